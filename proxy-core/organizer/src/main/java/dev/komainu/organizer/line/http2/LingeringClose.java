package dev.komainu.organizer.line.http2;

import dev.komainu.intermediary.connection.HalfClose;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * The orderly close of a TCP connection after its last frame: first the output, then the socket
 * after the peer's own end.
 *
 * <p>A closed socket answers every further byte, such as a WINDOW_UPDATE for the last bytes, with a
 * reset. A reset peer may lose bytes that were sent before and not read yet (RFC 9112 section 9.6,
 * RFC 1122 section 4.2.2.13). Therefore further bytes are read; the caller must discard them.
 */
// A failed close changes nothing: the channel's closeFuture reports the end.
@SuppressWarnings("FutureReturnValueIgnored")
final class LingeringClose {

    /**
     * Time after which the socket is closed in any case: a lost peer, or one without an end, must
     * not keep a socket.
     */
    static final int MOST_SECONDS = 5;

    private LingeringClose() {}

    /**
     * Starts the close, on the channel's loop. Half closure must not be allowed, so that the peer's
     * end closes the channel.
     *
     * @param late runs before the channel is closed without the peer's end
     */
    static void begin(Channel channel, Runnable late) {
        Future<?> timeout = channel.eventLoop()
                .schedule(
                        () -> {
                            late.run();
                            channel.close();
                        },
                        MOST_SECONDS,
                        TimeUnit.SECONDS);
        channel.closeFuture().addListener(closed -> timeout.cancel(false));
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> {
            if (written.isSuccess()) {
                HalfClose.endOutput(channel);
            } else {
                channel.close();
            }
        });
    }
}
