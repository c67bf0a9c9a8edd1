package dev.komainu.organizer.service;

import dev.komainu.organizer.line.LineBuffers;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A listener for one data connection of one peer, with a timeout. Connections of other hosts are
 * closed and reported. Used on its loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the result of a close is not needed
final class DataListener {

    static final Duration TIMEOUT = Duration.ofSeconds(60);

    /**
     * The receiver of the listener's events: called on its loop, and never after
     * {@link DataListener#close}.
     */
    interface Listener {

        /** Called when the listener is bound. */
        void listening(InetSocketAddress address);

        /** Called for the expected connection, which is not read yet. The listener is closed. */
        void connected(Channel channel);

        /** Called when another host has connected. */
        void foreignConnection();

        /** Called when the listener failed or timed out. It is closed. */
        void failed(ServiceRefusal reason);
    }

    private final EventLoop loop;
    private final InetAddress address;
    private final InetAddress from;
    private final PortRange ports;
    private final Listener listener;
    private int tries;
    private int offset;
    private boolean closed;
    private @Nullable Channel serverChannel;
    private @Nullable Future<?> timeout;

    private DataListener(
            EventLoop loop,
            InetAddress address,
            PortRange ports,
            InetAddress from,
            Listener listener) {
        this.loop = loop;
        this.address = address;
        this.ports = ports;
        this.from = from;
        this.listener = listener;
        // A random first port: the previous client of a port may still be connected.
        this.offset = ThreadLocalRandom.current().nextInt(ports.size());
    }

    /**
     * Starts to listen. Events are reported after this method has returned.
     *
     * @param from address of the expected peer
     */
    static DataListener open(
            EventLoop loop,
            InetAddress address,
            PortRange ports,
            InetAddress from,
            Listener listener) {
        DataListener dataListener = new DataListener(loop, address, ports, from, listener);
        loop.execute(dataListener::bind);
        return dataListener;
    }

    private void bind() {
        if (closed) {
            return;
        }
        boolean epoll = loop instanceof IoEventLoop io && io.isIoType(EpollIoHandler.class);
        new ServerBootstrap()
                .group(loop)
                .channel(epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, 8)
                .childOption(ChannelOption.ALLOCATOR, LineBuffers.ALLOCATOR)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childOption(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        connected(channel);
                    }
                })
                .bind(new InetSocketAddress(address, ports.first() + offset))
                .addListener((ChannelFuture bound) -> bound(bound));
    }

    private void bound(ChannelFuture bound) {
        if (closed) {
            bound.channel().close();
        } else if (bound.isSuccess()) {
            serverChannel = bound.channel();
            timeout = loop.schedule(
                    () -> fail(ServiceRefusal.NO_DATA), TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
            listener.listening((InetSocketAddress) bound.channel().localAddress());
        } else if (++tries < ports.size()) {
            offset = (offset + 1) % ports.size();
            bind();
        } else {
            fail(ServiceRefusal.NO_DATA_PORT);
        }
    }

    private void connected(Channel channel) {
        if (closed) {
            channel.close();
        } else if (channel.remoteAddress() instanceof InetSocketAddress peer
                && peer.getAddress().equals(from)) {
            close();
            listener.connected(channel);
        } else {
            ServiceClientConnection.abort(channel);
            listener.foreignConnection();
        }
    }

    private void fail(ServiceRefusal reason) {
        if (!closed) {
            close();
            listener.failed(reason);
        }
    }

    void close() {
        closed = true;
        Channel listening = serverChannel;
        if (listening != null) {
            listening.close();
        }
        Future<?> scheduled = timeout;
        if (scheduled != null) {
            scheduled.cancel(false);
        }
    }
}
