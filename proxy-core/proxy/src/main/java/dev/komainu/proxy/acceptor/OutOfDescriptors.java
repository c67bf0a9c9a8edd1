package dev.komainu.proxy.acceptor;

import dev.komainu.intermediary.connection.Errno;
import dev.komainu.proxy.exchange.LoopContext;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;

/**
 * Before a listener that cannot accept for want of descriptors pauses for a second, as Netty lets
 * it: where idle connections are left on this loop, some of them close and it goes on at once.
 */
@ChannelHandler.Sharable
final class OutOfDescriptors extends ChannelInboundHandlerAdapter {

    private static final int PORTION = 16;

    private final LoopContext worker;

    OutOfDescriptors(LoopContext worker) {
        this.worker = worker;
        // Loads what judges a shortage: in a shortage there is no descriptor left to read a class
        // with.
        isShortage(new IOException());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (!isShortage(cause) || !worker.closeIdleForDescriptors(PORTION)) {
            ctx.fireExceptionCaught(cause);
        }
    }

    private static boolean isShortage(Throwable cause) {
        return cause instanceof IOException && Errno.isOutOfDescriptors(cause);
    }
}
