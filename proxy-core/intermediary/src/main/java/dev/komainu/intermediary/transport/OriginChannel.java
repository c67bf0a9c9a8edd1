package dev.komainu.intermediary.transport;

import io.netty.channel.ChannelException;
import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A connection that this program opens, on Netty's epoll loop. For each message it uses only read
 * and write.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a close is reported by the pipeline
public final class OriginChannel extends EpollStreamChannel {

    private final Socket socket;
    private boolean active;
    private @Nullable SocketAddress peer;
    /** The connect in progress; null when there is none. */
    private @Nullable ChannelPromise connect;

    private @Nullable Future<?> connectTimeout;

    /**
     * Creates the socket; it is not connected. Bootstraps call it by reflection.
     *
     * @throws ChannelException when no descriptor is free
     */
    public OriginChannel() {
        this(Socket.newSocketStream());
    }

    private OriginChannel(Socket socket) {
        super(null, socket);
        this.socket = socket;
        try {
            socket.setTcpNoDelay(true);
        } catch (IOException e) {
            throw new ChannelException(e);
        }
    }

    @Override
    public boolean isActive() {
        return active;
    }

    @Override
    boolean isReadable() {
        return active;
    }

    @Override
    protected @Nullable SocketAddress remoteAddress0() {
        return active ? peer : null;
    }

    @Override
    protected void doClose() throws IOException {
        active = false;
        ChannelPromise waiting = connect;
        if (waiting != null) {
            endConnect();
            waiting.tryFailure(new ClosedChannelException());
        }
        super.doClose();
    }

    private void endConnect() {
        connect = null;
        if (connectTimeout != null) {
            connectTimeout.cancel(false);
            connectTimeout = null;
        }
    }

    @Override
    void onReady(int ops) {
        ChannelPromise waiting = connect;
        if (waiting == null) {
            super.onReady(ops);
            return;
        }
        try {
            if (socket.finishConnect()) {
                endConnect();
                connected(waiting);
            }
        } catch (IOException e) {
            endConnect();
            unsafe().fail(waiting, e, peer);
        }
    }

    private void connected(ChannelPromise promise) {
        active = true;
        endConnectWait();
        boolean open = promise.trySuccess();
        pipeline().fireChannelActive();
        if (!open) {
            // The connect was cancelled.
            unsafe().close(voidPromise());
        }
    }

    @Override
    protected ConnectUnsafe newUnsafe() {
        return new ConnectUnsafe();
    }

    @Override
    public ConnectUnsafe unsafe() {
        return (ConnectUnsafe) super.unsafe();
    }

    final class ConnectUnsafe extends StreamUnsafe {
        @Override
        public void connect(
                SocketAddress remote, @Nullable SocketAddress local, ChannelPromise promise) {
            if (promise.isDone() || !ensureOpen(promise)) {
                return;
            }
            try {
                if (connect != null) {
                    throw new ConnectionPendingException();
                }
                if (local != null) {
                    socket.bind(local);
                }
                peer = remote;
                if (socket.connect(remote)) {
                    connected(promise);
                    return;
                }
                connect = promise;
                awaitOutput();
                int millis = config().getConnectTimeoutMillis();
                if (millis > 0) {
                    connectTimeout = eventLoop()
                            .schedule(() -> onTimeout(millis), millis, TimeUnit.MILLISECONDS);
                }
            } catch (IOException | RuntimeException e) {
                fail(promise, e, remote);
            }
        }

        private void onTimeout(int millis) {
            ChannelPromise waiting = connect;
            if (waiting != null) {
                endConnect();
                waiting.tryFailure(new ConnectTimeoutException(
                        "connection timed out after " + millis + " ms: " + peer));
                close(voidPromise());
            }
        }

        private void fail(ChannelPromise promise, Throwable cause, @Nullable SocketAddress remote) {
            promise.tryFailure(annotateConnectException(cause, remote));
            close(voidPromise());
        }
    }
}
