package dev.komainu.load.browser;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.util.function.Consumer;

/** Makes a connection, and what of TLS it needs, before anything is asked. */
final class BrowserConnect {

    private BrowserConnect() {}

    private static SslHandler tls(SslContext context, ClientProfile manner, Channel channel) {
        SslHandler handler = context.newHandler(
                channel.alloc(),
                manner.target().getHostString(),
                manner.target().getPort());
        handler.setHandshakeTimeoutMillis(manner.patience().toMillis());
        return handler;
    }

    /**
     * Tells one of the last two, on the loop.
     *
     * @param speaks puts the protocol's handlers behind those of TLS
     */
    static void connect(
            Bootstrap bootstrap,
            ClientProfile manner,
            Consumer<ChannelPipeline> speaks,
            Consumer<Channel> connected,
            Consumer<RequestFailure> notMade) {
        bootstrap.handler(new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel made) {
                SslContext context = manner.tls();
                if (context != null) {
                    made.pipeline().addLast(tls(context, manner, made));
                }
                speaks.accept(made.pipeline());
            }
        });
        ChannelFuture connecting = bootstrap.connect();
        connecting.addListener(done -> {
            Throwable why = connecting.cause();
            if (why != null) {
                notMade.accept(RequestFailure.ofConnect(why));
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
                    notMade.accept(RequestFailure.ofConnect(shaken.cause()));
                }
            });
        });
    }
}
