package dev.komainu.intermediary.transport;

import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.util.concurrent.Executor;

/**
 * Event loops of epoll whose sockets stay in epoll's set while nothing is asked of them.
 *
 * <p>Netty (4.2.17 to 4.2.20, since its #16689) takes such a socket out of the set and does not put
 * it in again: a connection whose input has ended, and whose output then has to wait for room,
 * cannot ask for the room ({@code ENOENT}), and Netty ends its output: the reader gets a FIN in the
 * middle. Here it stays, watched for nothing, by edges: that it is hung up wakes the loop once, not
 * for ever.
 */
final class EpollLoops extends MultiThreadIoEventLoopGroup {

    EpollLoops(int count) {
        super(count, EpollIoHandler.newFactory());
    }

    @Override
    protected IoEventLoop newChild(Executor executor, IoHandlerFactory epoll, Object... args) {
        return new Loop(this, executor, epoll);
    }

    private static final class Loop extends SingleThreadIoEventLoop {

        Loop(EpollLoops parent, Executor executor, IoHandlerFactory epoll) {
            super(parent, executor, new IoHandlerFactory() {
                @Override
                public IoHandler newHandler(ThreadAwareExecutor executor) {
                    return new Handler(epoll.newHandler(executor));
                }

                @Override
                public boolean isChangingThreadSupported() {
                    return epoll.isChangingThreadSupported();
                }
            });
        }

        @Override
        public boolean isIoType(Class<? extends IoHandler> type) {
            return type.equals(EpollIoHandler.class);
        }
    }

    private record Handler(IoHandler epoll) implements IoHandler {

        @Override
        public void initialize() {
            epoll.initialize();
        }

        @Override
        public int run(IoHandlerContext context) {
            return epoll.run(context);
        }

        @Override
        public void prepareToDestroy() {
            epoll.prepareToDestroy();
        }

        @Override
        public void destroy() {
            epoll.destroy();
        }

        @Override
        public IoRegistration register(IoHandle handle) throws Exception {
            return new Registration(epoll.register(handle));
        }

        @Override
        public void wakeup() {
            epoll.wakeup();
        }

        @Override
        public boolean isCompatible(Class<? extends IoHandle> type) {
            return epoll.isCompatible(type);
        }
    }

    private static final class Registration implements IoRegistration {

        private final IoRegistration epoll;
        /** Before, there is nothing to keep. */
        private volatile boolean isWatched;

        Registration(IoRegistration epoll) {
            this.epoll = epoll;
        }

        @Override
        public long submit(IoOps ops) {
            if (!ops.equals(EpollIoOps.NONE)) {
                isWatched = true;
                return epoll.submit(ops);
            }
            return epoll.submit(isWatched ? EpollIoOps.EPOLLET : ops);
        }

        @Override
        public <T> T attachment() {
            return epoll.attachment();
        }

        @Override
        public boolean isValid() {
            return epoll.isValid();
        }

        @Override
        public boolean cancel() {
            return epoll.cancel();
        }
    }
}
