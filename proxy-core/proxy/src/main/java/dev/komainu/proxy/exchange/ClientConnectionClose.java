package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.connection.DeadlineList;
import dev.komainu.intermediary.connection.HalfClose;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelOption;

/**
 * How a client's connection ends: after its last answer, after a while of listening, or at once.
 */
final class ClientConnectionClose {

    private final DeadlineList lingering;
    private final Channel channel;
    private final DeadlineList.Entry deadline;
    private boolean due;
    private boolean isLingering;

    /**
     * The end of a connection.
     *
     * @param lingering the loop's list of connections that are heard for a while longer
     * @param deadline the connection's own; it ends the lingering
     */
    ClientConnectionClose(DeadlineList lingering, Channel channel, DeadlineList.Entry deadline) {
        this.lingering = lingering;
        this.channel = channel;
        this.deadline = deadline;
    }

    /** No further request will be served here. */
    boolean isDue() {
        return due;
    }

    boolean isLingering() {
        return isLingering;
    }

    /** The answer now being given is the last. */
    void afterThis() {
        due = true;
    }

    /** Sends what is written, then closes; at once when the client owes nothing more. */
    void closeFlushed() {
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }

    /**
     * Sends what is written, then half-closes and reads on for a second: closing with unread bytes,
     * or before the last of them came, would reset the connection and may destroy the answer on its
     * way (RFC 9112 section 9.6). The second begins when the socket has taken all; how long that
     * may take, the stall watch says.
     */
    void linger() {
        if (isLingering) {
            return;
        }
        due = true;
        isLingering = true;
        channel.config().setAutoRead(true);
        DeadlineList.remove(deadline);
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(done -> {
            HalfClose.endOutput(channel);
            if (channel.isActive()) {
                lingering.append(deadline, System.nanoTime());
            }
        });
    }

    /** The client must see that its answer is incomplete: resets. */
    void breakOff() {
        due = true;
        channel.flush();
        channel.config().setOption(ChannelOption.SO_LINGER, 0);
        HalfClose.cutOff(channel);
    }
}
