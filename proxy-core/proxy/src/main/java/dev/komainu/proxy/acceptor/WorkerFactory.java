package dev.komainu.proxy.acceptor;

import dev.komainu.proxy.exchange.LoopContext;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;

/** The factory of loop contexts. */
@FunctionalInterface
public interface WorkerFactory {

    /**
     * Creates the context of one event loop, before that loop has a connection.
     *
     * @param channels the class of channels to origins
     * @param allocator the allocator of buffers to clients
     */
    LoopContext create(
            EventLoop loop, Class<? extends Channel> channels, ByteBufAllocator allocator);
}
