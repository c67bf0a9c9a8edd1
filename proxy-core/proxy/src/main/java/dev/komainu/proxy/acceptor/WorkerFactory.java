package dev.komainu.proxy.acceptor;

import dev.komainu.proxy.exchange.LoopContext;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;

/** Makes the worker of one event loop, before that loop has a connection. */
@FunctionalInterface
public interface WorkerFactory {

    /**
     * Makes a worker.
     *
     * @param channels the class of channels to origins
     * @param allocator of buffers to clients
     */
    LoopContext create(
            EventLoop loop, Class<? extends Channel> channels, ByteBufAllocator allocator);
}
