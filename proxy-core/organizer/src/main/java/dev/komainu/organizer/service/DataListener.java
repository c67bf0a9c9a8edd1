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
 * Listens for one connection of one peer, for a while. Others who connect are closed and told of.
 * On its loop.
 */
final class DataListener {

    static final Duration PATIENCE = Duration.ofSeconds(60);

    /** What becomes of it; on its loop, and nothing after {@link DataListener#close}. */
    interface Told {

        /** It listens. */
        void listens(InetSocketAddress at);

        /** The one connection, not read yet; it listens no more. */
        void came(Channel channel);

        /** Somebody else connected. */
        void stranger();

        /** It listens no more, or never did, and nobody came. */
        void over(ServiceRefusal why);
    }

    private final EventLoop loop;
    private final InetAddress at;
    private final InetAddress from;
    private final PortRange ports;
    private final Told told;
    private int tries;
    private int next;
    private boolean closed;
    private @Nullable Channel listener;
    private @Nullable Future<?> late;

    private DataListener(
            EventLoop loop, InetAddress at, PortRange ports, InetAddress from, Told told) {
        this.loop = loop;
        this.at = at;
        this.ports = ports;
        this.from = from;
        this.told = told;
        // Not always the same first: who listened there before may still be connected.
        this.next = ThreadLocalRandom.current().nextInt(ports.size());
    }

    /**
     * Begins to listen; what becomes of it is told after this has returned.
     *
     * @param from who may connect
     */
    static DataListener open(
            EventLoop loop, InetAddress at, PortRange ports, InetAddress from, Told told) {
        DataListener made = new DataListener(loop, at, ports, from, told);
        loop.execute(made::bind);
        return made;
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
                        came(channel);
                    }
                })
                .bind(new InetSocketAddress(at, ports.first() + next))
                .addListener((ChannelFuture bound) -> bound(bound));
    }

    private void bound(ChannelFuture bound) {
        if (closed) {
            bound.channel().close();
        } else if (bound.isSuccess()) {
            listener = bound.channel();
            late = loop.schedule(
                    () -> giveUp(ServiceRefusal.NO_DATA),
                    PATIENCE.toMillis(),
                    TimeUnit.MILLISECONDS);
            told.listens((InetSocketAddress) bound.channel().localAddress());
        } else if (++tries < ports.size()) {
            next = (next + 1) % ports.size();
            bind();
        } else {
            giveUp(ServiceRefusal.NO_DATA_PORT);
        }
    }

    private void came(Channel channel) {
        if (closed) {
            channel.close();
        } else if (channel.remoteAddress() instanceof InetSocketAddress peer
                && peer.getAddress().equals(from)) {
            close();
            told.came(channel);
        } else {
            ServiceClientConnection.breakOff(channel);
            told.stranger();
        }
    }

    private void giveUp(ServiceRefusal why) {
        if (!closed) {
            close();
            told.over(why);
        }
    }

    void close() {
        closed = true;
        Channel listening = listener;
        if (listening != null) {
            listening.close();
        }
        Future<?> until = late;
        if (until != null) {
            until.cancel(false);
        }
    }
}
