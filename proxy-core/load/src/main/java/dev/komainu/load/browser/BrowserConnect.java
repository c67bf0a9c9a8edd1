package dev.komainu.load.browser;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.util.function.Consumer;

/** The establishment of a connection, including its TLS handshake, before any request. */
// A failed close leaves nothing to do.
@SuppressWarnings("FutureReturnValueIgnored")
final class BrowserConnect {

    private BrowserConnect() {}

    private static SslHandler tls(SslContext context, ClientProfile profile, Channel channel) {
        SslHandler handler = context.newHandler(
                channel.alloc(),
                profile.target().getHostString(),
                profile.target().getPort());
        handler.setHandshakeTimeoutMillis(profile.timeout().toMillis());
        return handler;
    }

    /**
     * Connects and calls one of the last two parameters, on the event loop.
     *
     * @param addProtocol adds the protocol's handlers behind those of TLS
     */
    static void connect(
            Bootstrap bootstrap,
            ClientProfile profile,
            Consumer<ChannelPipeline> addProtocol,
            Consumer<Channel> connected,
            Consumer<RequestFailure> failed) {
        bootstrap.handler(new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel newChannel) {
                SslContext context = profile.tls();
                if (context != null) {
                    newChannel.pipeline().addLast(tls(context, profile, newChannel));
                }
                addProtocol.accept(newChannel.pipeline());
            }
        });
        ChannelFuture connecting = bootstrap.connect();
        connecting.addListener(done -> {
            Throwable cause = connecting.cause();
            if (cause != null) {
                failed.accept(RequestFailure.ofConnect(cause));
                return;
            }
            Channel channel = connecting.channel();
            SslHandler tls = channel.pipeline().get(SslHandler.class);
            if (tls == null) {
                connected.accept(channel);
                return;
            }
            tls.handshakeFuture().addListener(handshake -> {
                if (handshake.isSuccess()) {
                    connected.accept(channel);
                } else {
                    channel.close();
                    failed.accept(RequestFailure.ofConnect(handshake.cause()));
                }
            });
        });
    }
}
