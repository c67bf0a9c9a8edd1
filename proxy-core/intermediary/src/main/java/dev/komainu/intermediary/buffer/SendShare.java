package dev.komainu.intermediary.buffer;

import dev.komainu.intermediary.connection.DeadlineList;
import dev.komainu.intermediary.connection.TcpInfo;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The share of one client's connection: the limit of its outstanding bytes, which are written and
 * not acknowledged. The kernel's own limit of a send buffer is too inexact for a budget, so the
 * bytes are counted here.
 *
 * <p>Counting needs a system call only when the share may be used up. Until then the bytes
 * outstanding at the last check, plus all bytes written since, are an upper bound. A connection
 * that has used up its share waits a quarter of a round trip and checks again; a peer that does not
 * read is checked less and less often.
 *
 * <p>One event loop owns it.
 */
public final class SendShare extends DeadlineList.Entry {

    /**
     * Bytes of one write, at most: beyond this, the kernel accepts one large packet more than its
     * buffer has room for.
     */
    public static final int MAX_WRITE_BYTES = 16 * 1024;

    /** Smaller writes produce packets that consist mostly of headers. */
    private static final int MIN_WRITE = 1024;

    private static final int MIN_MARK = 4 * 1024;
    private static final int MAX_MARK = 64 * 1024;
    private static final long MIN_SEND_BUFFER = 2304;

    private final ShareLimitedChannel channel;
    /** The channel's socket, created once: each creation reads the address from the kernel. */
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
    /** True when the share was used up since the last round. */
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

    /**
     * Replaces the source of upstream reads.
     *
     * @param newReads queried once a second
     */
    void setReads(UpstreamReads newReads) {
        reads = newReads;
    }

    /** Returns the bytes that may be written now; 0 when none may: {@link #waitForAcks}. */
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
     * Checks a share that is used up: many bytes may be acknowledged by now.
     *
     * @return the share, which may have grown
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
        // The share is the limit, and the peer acknowledges all bytes: grow as slow start does, but
        // only into free bytes.
        grownNanos = nanos;
        return reservation.grow();
    }

    /** Counts bytes that the kernel accepted. */
    public void onWritten(long bytes) {
        boundBytes += bytes;
        writtenBytes += bytes;
    }

    /** Continues after a quarter of a round trip. */
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
        return isWaiting() || (out != null && !out.isEmpty());
    }

    /**
     * Measures a connection in use, once a round, and updates its demand. A connection whose
     * response has ended and is acknowledged is idle although it was used a moment ago. Most
     * persistent connections are in this state, and would halve the shares of the others.
     *
     * @return whether it is still in use
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
            // The path's capacity does not matter: its reader has stopped.
            rate = 0;
        }
        acknowledgedBefore = info.acknowledgedBytes();
        ReceiveShare receiveShare = reads.receiveShare();
        if (receiveShare != null) {
            // A miss moves no faster than its origin sends, and the origin needs no more than its
            // only reader accepts.
            if (reads.hasSingleReader()) {
                receiveShare.setClientRate(rate);
            }
            rate = BufferDemand.limitingRate(receiveShare.bytesPerSecond(), rate);
        }
        reservation.setDemand(BufferDemand.bytes(rate, rttSeconds));
        return true;
    }

    /** Limits the kernel's buffer, and the bytes that wait before it, to about the share. */
    void applyKernelLimit() throws IOException {
        long share = reservation.shareBytes();
        if (Math.abs(share - kernelBufferBytes) * 4 > kernelBufferBytes) {
            kernelBufferBytes = share;
            KernelSocketBuffers.limitSend(options, Math.max(MIN_SEND_BUFFER, share));
            setWaterMarks();
        }
    }

    /** Sets the kernel's buffer for a share that never changes. */
    void applyKernelLimit(int sendBuffer) throws IOException {
        kernelBufferBytes = reservation.shareBytes();
        KernelSocketBuffers.limitSend(options, sendBuffer);
        setWaterMarks();
    }

    /** Limits the bytes that wait before the kernel, in addition to the share. */
    void limitReadAhead(int bytes) {
        readAheadBytes = bytes;
        setWaterMarks();
    }

    private void setWaterMarks() {
        int high =
                Math.min(readAheadBytes, Math.clamp(reservation.shareBytes(), MIN_MARK, MAX_MARK));
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(high / 2, high));
    }
}
