package dev.komainu.intermediary.buffer;

import dev.komainu.intermediary.connection.DeadlineList;
import dev.komainu.intermediary.connection.TcpInfo;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * One client's connection under a share: no more than that is outstanding, which is written and not
 * acknowledged. The kernel's own bound of a send buffer is too soft to hold a budget, so the bytes
 * are counted here.
 *
 * <p>Counting costs a system call only when the share may be used up: until then what was
 * outstanding at the last look, and all that was written since, is a bound good enough. Who has
 * used up his share waits a quarter of a round trip and looks again; a peer that stands still is
 * looked at less and less often.
 *
 * <p>One event loop owns it.
 */
public final class SendShare extends DeadlineList.Entry {

    /**
     * At most so much at once: beyond, the kernel takes a whole large packet more than its buffer
     * has room for.
     */
    public static final int MAX_WRITE_BYTES = 16 * 1024;

    /** Smaller writes make packets that are mostly head. */
    private static final int MIN_WRITE = 1024;

    private static final int MIN_MARK = 4 * 1024;
    private static final int MAX_MARK = 64 * 1024;
    private static final long MIN_SEND_BUFFER = 2304;

    private final ShareLimitedChannel channel;
    /** The channel's, had once: each making of one asks the kernel for its address. */
    private final Socket options;

    private final LoopBuffers loop;
    private final BufferReservation reservation;
    private UpstreamReads reads;
    private @Nullable PathEstimate path;
    private double rttSeconds;
    private double rate;
    private long boundBytes;
    private long writtenBytes;
    private long writtenBefore;
    private long kernelBufferBytes;
    private long acknowledgedBefore;
    private int readAheadBytes = MAX_MARK;
    private int unchangedChecks;
    private long acknowledgedAtCheck;
    private long grownNanos = System.nanoTime();
    /** Since the last look its share was used up. */
    private boolean limitedByShare;

    SendShare(
            ShareLimitedChannel channel,
            UpstreamReads reads,
            LoopBuffers loop,
            BufferReservation reservation) {
        this.reads = reads;
        this.channel = channel;
        this.options = channel.options();
        this.loop = loop;
        this.reservation = reservation;
    }

    /** @param by asked once a second */
    void setReads(UpstreamReads newReads) {
        reads = newReads;
    }

    /** Bytes that may be written in this turn; 0: not now, {@link #waitForAcks}. */
    public int room() throws IOException {
        if (reservation.isCountedIdle()) {
            loop.onWake(this);
        }
        reservation.wake();
        long share = reservation.shareBytes();
        long least = Math.min(MIN_WRITE, share / 2);
        if (share - boundBytes < least && channel.isOpen()) {
            share = refreshRoom(share);
        }
        long room = share - boundBytes;
        return room < least ? 0 : (int) Math.min(MAX_WRITE_BYTES, room);
    }

    /**
     * The share is used up: much of it may be acknowledged by now. @return the share, which may
     * have grown
     */
    private long refreshRoom(long share) throws IOException {
        TcpInfo now = loop.readInfo(options);
        boolean moved = now.acknowledgedBytes() != acknowledgedAtCheck;
        acknowledgedAtCheck = now.acknowledgedBytes();
        boundBytes = now.outstandingBytes();
        rttSeconds = now.rttSeconds();
        unchangedChecks = moved ? 0 : unchangedChecks + 1;
        limitedByShare = true;
        long nanos = System.nanoTime();
        if (!moved || nanos - grownNanos < rttSeconds * 1e9) {
            return share;
        }
        // What it may have is what holds it back, and its peer takes all: as slow start does, but
        // only of what is free.
        grownNanos = nanos;
        return reservation.grow();
    }

    public void onWritten(long bytes) {
        boundBytes += bytes;
        writtenBytes += bytes;
    }

    /** Goes on a quarter of a round trip later. */
    public void waitForAcks() {
        if (!isWaiting()) {
            loop.scheduleRetry(this, rttSeconds / 4, unchangedChecks);
        }
    }

    @Override
    protected void expired() {
        channel.resumeWriting();
    }

    long shareBytes() {
        return reservation.shareBytes();
    }

    BufferReservation reservation() {
        return reservation;
    }

    ShareLimitedChannel channel() {
        return channel;
    }

    double rate() {
        return rate;
    }

    double rttSeconds() {
        return rttSeconds;
    }

    long boundBytes() {
        return boundBytes;
    }

    private boolean isWriting() {
        ChannelOutboundBuffer out = channel.unsafe().outboundBuffer();
        return isWaiting() || out != null && !out.isEmpty();
    }

    /**
     * Once a second, while it is in use: what it wants. Whose answer is over and acknowledged is
     * not, though he was a moment ago: on connections that stay most are such, and would halve what
     * others have.
     *
     * @return whether it still is
     */
    boolean measure(TcpInfo info) throws IOException {
        boolean written = writtenBytes != writtenBefore;
        writtenBefore = writtenBytes;
        if (!written && !isWriting()) {
            reservation.markIdle(false);
            return false;
        }
        info.read(options);
        if (info.outstandingBytes() == 0 && !isWriting() && reads.receiveShare() == null) {
            boundBytes = 0;
            acknowledgedBefore = info.acknowledgedBytes();
            reservation.markIdle(false);
            return false;
        }
        PathEstimate estimate = path;
        if (estimate == null) {
            estimate = new PathEstimate(info.congestionControl(options));
            path = estimate;
        }
        boundBytes = info.outstandingBytes();
        rttSeconds = info.rttSeconds();
        rate = estimate.bytesPerSecond(info, limitedByShare);
        limitedByShare = false;
        if (info.acknowledgedBytes() == acknowledgedBefore) {
            // Whatever its path could carry, its reader stands still.
            rate = 0;
        }
        acknowledgedBefore = info.acknowledgedBytes();
        ReceiveShare receiveShare = reads.receiveShare();
        if (receiveShare != null) {
            // A miss comes no faster than its origin sends, and the origin needs no more than its
            // only reader takes.
            if (reads.hasSingleReader()) {
                receiveShare.setClientRate(rate);
            }
            rate = BufferDemand.limitingRate(receiveShare.bytesPerSecond(), rate);
        }
        reservation.setDemand(BufferDemand.bytes(rate, rttSeconds));
        return true;
    }

    /** Holds the kernel, and what waits before it, to the share, roughly. */
    void applyKernelLimit() throws IOException {
        long share = reservation.shareBytes();
        if (Math.abs(share - kernelBufferBytes) * 4 > kernelBufferBytes) {
            kernelBufferBytes = share;
            KernelSocketBuffers.limitSend(options, Math.max(MIN_SEND_BUFFER, share));
            setWaterMarks();
        }
    }

    /** For a share that never changes, asked of the kernel as such. */
    void applyKernelLimit(int sendBuffer) throws IOException {
        kernelBufferBytes = reservation.shareBytes();
        KernelSocketBuffers.limitSend(options, sendBuffer);
        setWaterMarks();
    }

    /** What waits before the kernel is bounded by this, too. */
    void limitReadAhead(int bytes) {
        readAheadBytes = bytes;
        setWaterMarks();
    }

    private void setWaterMarks() {
        int high = Math.min(readAheadBytes, Math.clamp(reservation.shareBytes(), MIN_MARK, MAX_MARK));
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(high / 2, high));
    }
}
