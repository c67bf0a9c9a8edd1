package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.connection.DeadlineList;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;

/**
 * Watches whether a client takes what is sent to it. While bytes wait for its socket, it is looked
 * at {@value #LOOKS} times in each stall time-out; nothing accepted between that many looks is a
 * stall. So a stall is noticed after one to one and a quarter time-outs. A client that takes one
 * byte now and then is left alone, unless a least rate is set: then so many looks together must see
 * as many bytes accepted as it demands.
 *
 * <p>Which bytes were accepted is told by two numbers: whole buffers (written less waiting) and
 * what is left of the first one. A connection whose bytes all went at once is never in the list.
 */
abstract class StallDetector extends DeadlineList.Entry {

    static final int LOOKS = 4;

    private final LoopContext worker;
    private final Channel channel;
    private long written;
    private long acceptedBefore;
    private int leftBefore;
    private int looks;
    private long bytesWritten;
    private long bytesBefore;
    private int pace;
    // As they were when it began to watch.
    private DeadlineList sending;
    private long least;

    StallDetector(LoopContext worker, Channel channel) {
        this.worker = worker;
        this.channel = channel;
        this.sending = worker.sending.current();
    }

    /** Nothing was accepted for the whole time-out. */
    abstract void stalled();

    /** One more buffer of so many bytes is on its way. */
    final void wrote(int bytes) {
        written++;
        bytesWritten += bytes;
    }

    /** After a flush: begins to watch when bytes are left. */
    final void flushed() {
        ChannelOutboundBuffer out = channel.unsafe().outboundBuffer();
        if (out != null && !out.isEmpty() && !isWaiting()) {
            looks = 0;
            pace = 0;
            sending = worker.sending.current();
            least = worker.policy.deliver().leastBytes();
            bytesBefore = bytesAccepted(out);
            remember(out);
            sending.append(this, System.nanoTime());
        }
    }

    /**
     * Whether bytes wait for the socket now. Being watched says less: who has taken all is in the
     * list until the next look.
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
        if (least == 0 || ++pace < LOOKS) {
            return false;
        }
        pace = 0;
        long accepted = bytesAccepted(out);
        boolean slow = accepted - bytesBefore < least;
        bytesBefore = accepted;
        return slow;
    }

    /**
     * Of all bytes ever written, those that wait no longer; under TLS a few less, of its own
     * framing.
     */
    private long bytesAccepted(ChannelOutboundBuffer out) {
        if (least == 0) {
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
        looks = remember(out) ? looks + 1 : 0;
        if (looks == LOOKS || isTooSlow(out)) {
            stalled();
        } else {
            sending.append(this, System.nanoTime());
        }
    }
}
