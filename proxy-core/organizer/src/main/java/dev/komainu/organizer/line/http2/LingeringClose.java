package dev.komainu.organizer.line.http2;

import dev.komainu.intermediary.connection.HalfClose;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * How a TCP connection ends behind its last frame: output first, the socket behind the peer's own
 * end.
 *
 * <p>A socket that is closed answers whatever still comes, such as a WINDOW_UPDATE for the last
 * bytes, with a reset; and who is reset may lose what was sent before and not read yet (RFC 9112
 * section 9.6, RFC 1122 section 4.2.2.13). What comes is read, and for whoever began this to throw
 * away.
 */
final class LingeringClose {

    /**
     * Then it is closed all the same: a peer that is gone, or says no end, must not keep a socket.
     */
    static final int MOST_SECONDS = 5;

    private LingeringClose() {}

    /**
     * On the channel's loop; half closure not allowed, so that the peer's end closes it. @param
     * late told before it is closed without the peer's end
     */
    static void begin(Channel channel, Runnable late) {
        Future<?> bound = channel.eventLoop()
                .schedule(
                        () -> {
                            late.run();
                            channel.close();
                        },
                        MOST_SECONDS,
                        TimeUnit.SECONDS);
        channel.closeFuture().addListener(closed -> bound.cancel(false));
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(done -> {
            if (done.isSuccess()) {
                HalfClose.endOutput(channel);
            } else {
                channel.close();
            }
        });
    }
}
