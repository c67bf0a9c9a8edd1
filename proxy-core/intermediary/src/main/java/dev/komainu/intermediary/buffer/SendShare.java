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
    public static final int TURN_BYTES = 16 * 1024;

    /** Smaller writes make packets that are mostly head. */
    private static final int LEAST_WRITE = 1024;

    private static final int LEAST_MARK = 4 * 1024;
    private static final int MOST_MARK = 64 * 1024;
    private static final long LEAST_SEND_BUFFER = 2304;

    private final ShareLimitedChannel channel;
    /** The channel's, had once: each making of one asks the kernel for its address. */
    private final Socket options;

    private final LoopBuffers loop;
    private final BufferReservation booking;
    private UpstreamReads feed;
    private @Nullable PathEstimate path;
    private double rttSeconds;
    private double rate;
    private long boundBytes;
    private long writtenBytes;
    private long writtenBefore;
    private long fenceBytes;
    private long acknowledgedBefore;
    private int aheadBytes = MOST_MARK;
    private int inVain;
    private long acknowledgedAtLook;
    private long grownNanos = System.nanoTime();
    /** Since the last look its share was used up. */
    private boolean heldBack;

    SendShare(
            ShareLimitedChannel channel,
            UpstreamReads feed,
            LoopBuffers loop,
            BufferReservation booking) {
        this.feed = feed;
        this.channel = channel;
        this.options = channel.options();
        this.loop = loop;
        this.booking = booking;
    }

    /** @param by asked once a second */
    void fedBy(UpstreamReads by) {
        feed = by;
    }

    /** Bytes that may be written in this turn; 0: not now, {@link #waitForAcks}. */
    public int room() throws IOException {
        if (booking.isParked()) {
            loop.wakes(this);
        }
        booking.wake();
        long share = booking.shareBytes();
        long least = Math.min(LEAST_WRITE, share / 2);
        if (share - boundBytes < least && channel.isOpen()) {
            share = lookForRoom(share);
        }
        long room = share - boundBytes;
        return room < least ? 0 : (int) Math.min(TURN_BYTES, room);
    }

    /**
     * The share is used up: much of it may be acknowledged by now. @return the share, which may
     * have grown
     */
    private long lookForRoom(long share) throws IOException {
        TcpInfo now = loop.ask(options);
        boolean moved = now.acknowledgedBytes() != acknowledgedAtLook;
        acknowledgedAtLook = now.acknowledgedBytes();
        boundBytes = now.outstandingBytes();
        rttSeconds = now.rttSeconds();
        inVain = moved ? 0 : inVain + 1;
        heldBack = true;
        long nanos = System.nanoTime();
        if (!moved || nanos - grownNanos < rttSeconds * 1e9) {
            return share;
        }
        // What it may have is what holds it back, and its peer takes all: as slow start does, but
        // only of what is free.
        grownNanos = nanos;
        return booking.grow();
    }

    public void wrote(long bytes) {
        boundBytes += bytes;
        writtenBytes += bytes;
    }

    /** Goes on a quarter of a round trip later. */
    public void waitForAcks() {
        if (!isWaiting()) {
            loop.waits(this, rttSeconds / 4, inVain);
        }
    }

    @Override
    protected void expired() {
        channel.resumeWriting();
    }

    long shareBytes() {
        return booking.shareBytes();
    }

    BufferReservation booking() {
        return booking;
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
    boolean look(TcpInfo info) throws IOException {
        boolean written = writtenBytes != writtenBefore;
        writtenBefore = writtenBytes;
        if (!written && !isWriting()) {
            booking.idle(false);
            return false;
        }
        info.read(options);
        if (info.outstandingBytes() == 0 && !isWriting() && feed.receiveShare() == null) {
            boundBytes = 0;
            acknowledgedBefore = info.acknowledgedBytes();
            booking.idle(false);
            return false;
        }
        PathEstimate known = path;
        if (known == null) {
            known = new PathEstimate(info.congestionControl(options));
            path = known;
        }
        boundBytes = info.outstandingBytes();
        rttSeconds = info.rttSeconds();
        rate = known.bytesPerSecond(info, heldBack);
        heldBack = false;
        if (info.acknowledgedBytes() == acknowledgedBefore) {
            // Whatever its path could carry, its reader stands still.
            rate = 0;
        }
        acknowledgedBefore = info.acknowledgedBytes();
        ReceiveShare from = feed.receiveShare();
        if (from != null) {
            // A miss comes no faster than its origin sends, and the origin needs no more than its
            // only reader takes.
            if (feed.hasSingleReader()) {
                from.feeds(rate);
            }
            rate = BufferDemand.useful(from.bytesPerSecond(), rate);
        }
        booking.wants(BufferDemand.bytes(rate, rttSeconds));
        return true;
    }

    /** Holds the kernel, and what waits before it, to the share, roughly. */
    void fence() throws IOException {
        long share = booking.shareBytes();
        if (Math.abs(share - fenceBytes) * 4 > fenceBytes) {
            fenceBytes = share;
            KernelSocketBuffers.send(options, Math.max(LEAST_SEND_BUFFER, share));
            mark();
        }
    }

    /** For a share that never changes, asked of the kernel as such. */
    void fence(int sendBuffer) throws IOException {
        fenceBytes = booking.shareBytes();
        KernelSocketBuffers.send(options, sendBuffer);
        mark();
    }

    /** What waits before the kernel is bounded by this, too. */
    void ahead(int bytes) {
        aheadBytes = bytes;
        mark();
    }

    private void mark() {
        int high = Math.min(aheadBytes, Math.clamp(booking.shareBytes(), LEAST_MARK, MOST_MARK));
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(high / 2, high));
    }
}
