package dev.komainu.intermediary.connection;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;

/** The ways to end a channel's output, with TLS or without. On its event loop. */
// A shutdown or close that fails means a broken connection; handlers are notified of that anyway.
@SuppressWarnings("FutureReturnValueIgnored")
public final class HalfClose {

    private HalfClose() {}

    /**
     * Ends the output and continues to read. TLS sends close_notify first (RFC 8446 section 6.1);
     * without it the end would look like a truncation.
     */
    public static void endOutput(Channel channel) {
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        if (tls == null || !channel.isActive()) {
            shutdown(channel);
        } else {
            tls.closeOutbound().addListener(done -> shutdown(channel));
        }
    }

    private static void shutdown(Channel channel) {
        if (channel instanceof DuplexChannel duplex && channel.isActive()) {
            duplex.shutdownOutput();
        }
    }

    /** Closes without close_notify: the data sent is incomplete. */
    public static void cutOff(Channel channel) {
        ChannelHandlerContext tls = channel.pipeline().context(SslHandler.class);
        if (tls == null) {
            channel.close();
        } else {
            tls.close();
        }
    }
}
