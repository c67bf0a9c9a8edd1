package dev.komainu.organizer.front;

import dev.komainu.organizer.line.Line;
import dev.komainu.organizer.line.LineFigures;
import dev.komainu.organizer.line.LineServer;
import dev.komainu.organizer.line.LineSettings;
import dev.komainu.organizer.line.LineTls;
import dev.komainu.organizer.route.MemberId;
import dev.komainu.organizer.route.Outlooks;
import dev.komainu.organizer.route.RouteTable;
import dev.komainu.organizer.route.UrlPrefix;
import dev.komainu.organizer.server.LocalServer;
import dev.komainu.proxy.acceptor.Transport;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The front of one member: listens for clients and for peers, and carries what they ask to whom the table names. Safe for threads. */
public final class Front implements AutoCloseable {

    private final FrontSettings settings;
    private final MemberId self;
    private final String cluster;
    private final Supplier<RouteTable> table;
    private final Outlooks outlooks;
    private final Function<UrlPrefix, @Nullable LocalServer> servers;
    private final @Nullable LineTls tls;
    private final FrontCounts counts = new FrontCounts();
    private final EventLoopGroup loops;
    private final Map<EventExecutor, FrontLoop> own = new IdentityHashMap<>();
    private final LineServer lines;
    private final @Nullable Channel listener;

    /**
     * Listens.
     *
     * @param table as of now; asked once for each request
     * @param outlooks what is expected of members; told what becomes of requests
     * @param servers of this member, by prefix; told what becomes of requests
     * @param tls null: lines in the clear, for networks nobody else is on
     * @throws BindException naming the setting, when an address cannot be had
     * @throws IllegalArgumentException telling all settings out of range
     */
    public Front(
            FrontSettings settings,
            MemberId self,
            String cluster,
            Supplier<RouteTable> table,
            Outlooks outlooks,
            Function<UrlPrefix, @Nullable LocalServer> servers,
            @Nullable LineTls tls)
            throws IOException {
        List<String> problems = new ArrayList<>();
        settings.check(problems);
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join("\n", problems));
        }
        this.settings = settings;
        this.self = self;
        this.cluster = cluster;
        this.table = table;
        this.outlooks = outlooks;
        this.servers = servers;
        this.tls = tls;
        Transport transport = Transport.best();
        loops = transport.loops(settings.loops());
        LineSettings each =
                settings.line().withConnections(Math.max(1, settings.line().connections() / settings.loops()));
        for (EventExecutor loop : loops) {
            own.put(loop, new FrontLoop(this, (EventLoop) loop, transport.client(), each));
        }
        try {
            lines = new LineServer(
                    loops,
                    settings.lineListen(),
                    settings.line(),
                    tls,
                    (head, ends, stream, peer) -> Passage.take(of(stream.loop()), head, ends, stream, true));
        } catch (IOException e) {
            loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
            throw new BindException("line: " + e.getMessage());
        }
        InetSocketAddress listen = settings.listen();
        try {
            listener = listen == null ? null : listen(listen, transport);
        } catch (IOException e) {
            lines.close();
            loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
            throw e;
        }
    }

    private Channel listen(InetSocketAddress address, Transport transport) throws IOException {
        ChannelFuture bound = new ServerBootstrap()
                .group(loops)
                .channel(transport == Transport.EPOLL ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, 4_096)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.ALLOCATOR, Line.BUFFERS)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new Door(of(channel.eventLoop()), channel));
                    }
                })
                .bind(address)
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new BindException("front: " + address.getHostString() + ":" + address.getPort() + " ("
                    + bound.cause().getMessage() + ")");
        }
        return bound.channel();
    }

    private FrontLoop of(EventExecutor loop) {
        FrontLoop found = own.get(loop);
        if (found == null) {
            throw new IllegalStateException("A loop of somebody else");
        }
        return found;
    }

    FrontSettings settings() {
        return settings;
    }

    MemberId self() {
        return self;
    }

    String cluster() {
        return cluster;
    }

    RouteTable table() {
        return table.get();
    }

    Outlooks outlooks() {
        return outlooks;
    }

    @Nullable
    LocalServer server(UrlPrefix prefix) {
        return servers.apply(prefix);
    }

    @Nullable
    LineTls tls() {
        return tls;
    }

    /** What became of requests. */
    public FrontCounts counts() {
        return counts;
    }

    /** Where clients reach it; absent: nowhere. */
    public @Nullable InetSocketAddress address() {
        return listener == null ? null : (InetSocketAddress) listener.localAddress();
    }

    /** Where peers reach it. */
    public InetSocketAddress lineAddress() {
        return lines.address();
    }

    /** Of the ends that ask, one for each peer and loop, gathered on the loops; not to be called on one of them. */
    public List<LineFigures> lineFigures() {
        List<LineFigures> all = new ArrayList<>();
        for (FrontLoop loop : own.values()) {
            loop.loop()
                    .submit(() -> {
                        List<LineFigures> here = loop.lineFigures();
                        synchronized (all) {
                            all.addAll(here);
                        }
                    })
                    .awaitUninterruptibly();
        }
        return List.copyOf(all);
    }

    /** Of the end that answers; not to be called on a loop. */
    public LineServer.Figures peerFigures() {
        return lines.figures();
    }

    /** Closes everything; returns when its threads have ended, after 5 s at most. */
    @Override
    public void close() {
        if (loops.isShuttingDown()) {
            return;
        }
        if (listener != null) {
            listener.close();
        }
        lines.close();
        own.values().forEach(loop -> loop.loop().execute(loop::closeLines));
        loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
    }
}
