package dev.komainu.intermediary.connection;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;

/** How a channel's output ends, with TLS or without. On its event loop. */
public final class HalfClose {

    private HalfClose() {}

    /**
     * Nothing follows, but the peer is still heard. TLS says so by close_notify (RFC 8446 section
     * 6.1), else it looks cut.
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

    /** Closes without close_notify: what was sent is not all there was. */
    public static void cutOff(Channel channel) {
        ChannelHandlerContext tls = channel.pipeline().context(SslHandler.class);
        if (tls == null) {
            channel.close();
        } else {
            tls.close();
        }
    }
}
