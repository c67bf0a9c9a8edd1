package dev.komainu.load.browser;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.util.Objects;
import java.util.function.Consumer;

/** Makes a connection, and what of TLS it needs, before anything is asked. */
final class Dialling {

    private Dialling() {}

    /** @param manner with TLS */
    static SslHandler tls(Manner manner, Channel channel) {
        SslContext context = Objects.requireNonNull(manner.tls());
        SslHandler handler = context.newHandler(
                channel.alloc(),
                manner.target().getHostString(),
                manner.target().getPort());
        handler.setHandshakeTimeoutMillis(manner.patience().toMillis());
        return handler;
    }

    /** Tells one of both, on the loop. */
    static void connect(Bootstrap bootstrap, Consumer<Channel> connected, Consumer<Failure> notMade) {
        ChannelFuture connecting = bootstrap.connect();
        connecting.addListener(done -> {
            Throwable why = connecting.cause();
            if (why != null) {
                notMade.accept(Failure.ofConnect(why));
                return;
            }
            Channel channel = connecting.channel();
            SslHandler tls = channel.pipeline().get(SslHandler.class);
            if (tls == null) {
                connected.accept(channel);
                return;
            }
            tls.handshakeFuture().addListener(shaken -> {
                if (shaken.isSuccess()) {
                    connected.accept(channel);
                } else {
                    channel.close();
                    notMade.accept(Failure.ofConnect(shaken.cause()));
                }
            });
        });
    }
}
