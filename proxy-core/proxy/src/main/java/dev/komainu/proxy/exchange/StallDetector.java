package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.connection.DeadlineList;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;

/**
 * A detector of clients that do not accept the bytes sent to them. While bytes wait for the socket,
 * the socket is checked {@value #CHECKS} times in each stall timeout; nothing accepted between that
 * many checks is a stall. So a stall is detected after 1 to 1.25 timeouts. A client that sometimes
 * accepts one byte does not stall, unless a minimum rate is set: then that many checks together
 * must see as many bytes accepted as the rate demands.
 *
 * <p>Two numbers show the accepted bytes: whole buffers (written less waiting) and the rest of the
 * first one. A connection whose socket accepts all bytes at once is never in the list.
 */
abstract class StallDetector extends DeadlineList.Entry {

    static final int CHECKS = 4;

    private final LoopContext context;
    private final Channel channel;
    private long written;
    private long acceptedBefore;
    private int leftBefore;
    private int checks;
    private long bytesWritten;
    private long bytesBefore;
    private int rateChecks;
    // The values at the start of the watch.
    private DeadlineList sending;
    private long minBytes;

    StallDetector(LoopContext context, Channel channel) {
        this.context = context;
        this.channel = channel;
        this.sending = context.sending.current();
    }

    /** Handles a stall: nothing was accepted for the whole timeout. */
    abstract void stalled();

    /** Records one more buffer of this many bytes. */
    final void wrote(int bytes) {
        written++;
        bytesWritten += bytes;
    }

    /** Starts to watch after a flush when bytes are left. */
    final void flushed() {
        ChannelOutboundBuffer out = channel.unsafe().outboundBuffer();
        if (out != null && !out.isEmpty() && !isWaiting()) {
            checks = 0;
            rateChecks = 0;
            sending = context.sending.current();
            minBytes = context.policy.deliver().leastBytes();
            bytesBefore = bytesAccepted(out);
            remember(out);
            sending.append(this, System.nanoTime());
        }
    }

    /**
     * Reports whether bytes wait for the socket now. The list alone does not show this: a
     * connection whose socket has accepted all bytes stays in it until the next check.
     */
    final boolean hasLeft() {
        ChannelOutboundBuffer out = channel.unsafe().outboundBuffer();
        return out != null && !out.isEmpty();
    }

    private boolean remember(ChannelOutboundBuffer out) {
        long accepted = written - out.size();
        int left = out.current() instanceof ByteBuf first ? first.readableBytes() : 0;
        boolean same = accepted == acceptedBefore && left == leftBefore;
        acceptedBefore = accepted;
        leftBefore = left;
        return same;
    }

    private boolean isTooSlow(ChannelOutboundBuffer out) {
        if (minBytes == 0 || ++rateChecks < CHECKS) {
            return false;
        }
        rateChecks = 0;
        long accepted = bytesAccepted(out);
        boolean slow = accepted - bytesBefore < minBytes;
        bytesBefore = accepted;
        return slow;
    }

    /**
     * Returns the number of written bytes that no longer wait; under TLS a few less, because of its
     * framing.
     */
    private long bytesAccepted(ChannelOutboundBuffer out) {
        if (minBytes == 0) {
            return 0;
        }
        long[] waiting = {0};
        try {
            out.forEachFlushedMessage(message -> {
                waiting[0] += message instanceof ByteBuf bytes ? bytes.readableBytes() : 0;
                return true;
            });
        } catch (Exception e) {
            throw new IllegalStateException(e); // counting throws nothing
        }
        return bytesWritten - waiting[0];
    }

    @Override
    protected final void expired() {
        ChannelOutboundBuffer out = channel.unsafe().outboundBuffer();
        if (out == null || out.isEmpty()) {
            return;
        }
        checks = remember(out) ? checks + 1 : 0;
        if (checks == CHECKS || isTooSlow(out)) {
            stalled();
        } else {
            sending.append(this, System.nanoTime());
        }
    }
}
