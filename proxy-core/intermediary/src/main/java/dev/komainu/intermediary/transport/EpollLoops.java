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
 * Epoll event loops whose sockets stay in epoll's set while no event is awaited.
 *
 * <p>Netty (4.2.17 to 4.2.20, since its #16689) removes such a socket from the set and does not add
 * it again. A connection whose input has ended, and whose output then has to wait for room, cannot
 * wait for it ({@code ENOENT}), and Netty ends its output: the reader receives a FIN in the middle
 * of the response. Here the socket stays, registered for no event, edge-triggered: a hang-up wakes
 * the loop once, not continuously.
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
        /** False before the first event is awaited: there is nothing to keep then. */
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

        // The signature is Netty's.
        @Override
        @SuppressWarnings("TypeParameterUnusedInFormals")
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
