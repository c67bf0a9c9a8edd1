package dev.komainu.proxy.acceptor;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.function.Consumer;

/**
 * The handler of a listener whose connections stay on its own event loop. Registers each of them at
 * once and begins it: Netty's own handler sets options one by one and needs an initializer in each
 * pipeline, 2 % of a connection with one request.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed registration closes the channel
final class AcceptedConnections extends ChannelInboundHandlerAdapter {

    private final Consumer<Channel> configure;
    private final Consumer<Channel> begin;

    /**
     * Creates the handler.
     *
     * @param configure sets the options, before the connection is registered
     * @param begin adds the handlers
     */
    AcceptedConnections(Consumer<Channel> configure, Consumer<Channel> begin) {
        this.configure = configure;
        this.begin = begin;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        Channel channel = (Channel) message;
        try {
            configure.accept(channel);
            // On the loop itself the registration is complete when the call returns; a failed one
            // closes the channel.
            ctx.channel().eventLoop().register(channel);
            if (channel.isActive()) {
                begin.accept(channel);
            }
            if (channel.isActive()) {
                // The pipeline was empty when the registration reported this.
                channel.pipeline().fireChannelActive();
            }
        } catch (RuntimeException e) {
            channel.unsafe().closeForcibly();
            throw e;
        }
    }
}
