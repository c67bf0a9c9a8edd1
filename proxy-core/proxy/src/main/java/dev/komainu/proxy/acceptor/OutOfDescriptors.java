package dev.komainu.proxy.acceptor;

import dev.komainu.intermediary.connection.Errno;
import dev.komainu.proxy.exchange.LoopContext;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;

/**
 * The handler of a listener that cannot accept because descriptors are exhausted. Netty would pause
 * the listener for a second. When idle connections are left on this loop, some of them are closed,
 * and the listener continues at once.
 */
@ChannelHandler.Sharable
final class OutOfDescriptors extends ChannelInboundHandlerAdapter {

    private static final int PORTION = 16;

    private final LoopContext context;

    OutOfDescriptors(LoopContext context) {
        this.context = context;
        // Loads the class that detects a shortage: in a shortage there is no descriptor left to
        // load a class.
        isShortage(new IOException());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (!isShortage(cause) || !context.closeIdleForDescriptors(PORTION)) {
            ctx.fireExceptionCaught(cause);
        }
    }

    private static boolean isShortage(Throwable cause) {
        return cause instanceof IOException && Errno.isOutOfDescriptors(cause);
    }
}
