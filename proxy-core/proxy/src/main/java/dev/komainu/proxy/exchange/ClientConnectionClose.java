package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.connection.DeadlineList;
import dev.komainu.intermediary.connection.HalfClose;
import dev.komainu.intermediary.transport.CorkableChannel;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;

/**
 * The close of a client's connection: after its last response, after a period of lingering, or at
 * once.
 */
final class ClientConnectionClose {

    private final DeadlineList lingering;
    private final Channel channel;
    private final boolean overTls;
    private final DeadlineList.Entry deadline;
    private boolean due;
    private boolean isLingering;

    /**
     * Creates the close of a connection.
     *
     * @param lingering the loop's list of lingering connections
     * @param overTls whether the channel encrypts what is written
     * @param deadline the connection's own deadline; it ends the lingering
     */
    ClientConnectionClose(
            DeadlineList lingering, Channel channel, boolean overTls, DeadlineList.Entry deadline) {
        this.lingering = lingering;
        this.overTls = overTls;
        this.channel = channel;
        this.deadline = deadline;
    }

    /** Reports whether no further request is served here. */
    boolean isDue() {
        return due;
    }

    boolean isLingering() {
        return isLingering;
    }

    /** Makes the current response the last one. */
    void closeAfterResponse() {
        due = true;
    }

    /** Sends the written bytes, if any, then closes. */
    void closeFlushed() {
        closeFlushed(false);
    }

    /**
     * Sends the written bytes, then closes.
     *
     * @param unsent whether bytes were written that have not been flushed yet
     */
    void closeFlushed(boolean unsent) {
        if (unsent && channel instanceof CorkableChannel corkable) {
            corkable.corkUntilClose();
        }
        if (!overTls) {
            channel.flush();
            ChannelOutboundBuffer left = channel.unsafe().outboundBuffer();
            if (left == null || left.isEmpty()) {
                channel.unsafe().close(channel.voidPromise());
                return;
            }
        }
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }

    /**
     * Sends the written bytes, then half-closes and reads for a second. Closing with unread bytes,
     * or before the last of them arrived, would reset the connection and may destroy the response
     * on its way (RFC 9112 section 9.6). The second starts when the socket has accepted all bytes;
     * the stall detector limits the time for that.
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

    /** Resets the connection: the client must see that its response is incomplete. */
    void breakOff() {
        due = true;
        channel.flush();
        channel.config().setOption(ChannelOption.SO_LINGER, 0);
        HalfClose.cutOff(channel);
    }
}
