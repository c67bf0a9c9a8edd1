package dev.komainu.proxy.exchange;

import dev.komainu.proxy.connection.DeadlineList;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;

/**
 * Watches whether a client takes what is sent to it. While bytes wait for its socket, it is looked at
 * {@value #LOOKS} times in each stall time-out; nothing accepted between that many looks is a stall. So a stall is
 * noticed after one to one and a quarter time-outs, and a client that takes one byte now and then is left alone.
 *
 * <p>Which bytes were accepted is told by two numbers: whole buffers (written less waiting) and what is left of the
 * first one. A connection whose bytes all went at once is never in the list.
 */
abstract class StallWatch extends DeadlineList.Waiting {

    static final int LOOKS = 4;

    private final Worker worker;
    private final Channel channel;
    private long written;
    private long acceptedBefore;
    private int leftBefore;
    private int looks;

    StallWatch(Worker worker, Channel channel) {
        this.worker = worker;
        this.channel = channel;
    }

    /** Nothing was accepted for the whole time-out. */
    abstract void stalled();

    /** One more buffer is on its way. */
    final void wrote() {
        written++;
    }

    /** After a flush: begins to watch when bytes are left. */
    final void flushed() {
        ChannelOutboundBuffer out = channel.unsafe().outboundBuffer();
        if (out != null && !out.isEmpty() && !isWaiting()) {
            looks = 0;
            remember(out);
            worker.sending.append(this, System.nanoTime());
        }
    }

    private boolean remember(ChannelOutboundBuffer out) {
        long accepted = written - out.size();
        int left = out.current() instanceof ByteBuf first ? first.readableBytes() : 0;
        boolean same = accepted == acceptedBefore && left == leftBefore;
        acceptedBefore = accepted;
        leftBefore = left;
        return same;
    }

    @Override
    protected final void expired() {
        ChannelOutboundBuffer out = channel.unsafe().outboundBuffer();
        if (out == null || out.isEmpty()) {
            return;
        }
        looks = remember(out) ? looks + 1 : 0;
        if (looks == LOOKS) {
            stalled();
        } else {
            worker.sending.append(this, System.nanoTime());
        }
    }
}
