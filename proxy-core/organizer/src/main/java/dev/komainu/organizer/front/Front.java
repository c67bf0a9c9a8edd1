package dev.komainu.organizer.front;

import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.intermediary.purge.PurgeLog;
import dev.komainu.intermediary.purge.PurgeOrder;
import dev.komainu.intermediary.purge.PurgePropagation;
import dev.komainu.intermediary.transport.Transport;
import dev.komainu.intermediary.upstream.ClusterUpstream;
import dev.komainu.organizer.line.LineBuffers;
import dev.komainu.organizer.line.LinePeer;
import dev.komainu.organizer.line.LineSettings;
import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.LineTls;
import dev.komainu.organizer.line.MemberFields;
import dev.komainu.organizer.line.StreamListener;
import dev.komainu.organizer.line.endpoint.LineFigures;
import dev.komainu.organizer.line.endpoint.LineServer;
import dev.komainu.organizer.line.tunnel.TunnelKinds;
import dev.komainu.organizer.page.PageCounts;
import dev.komainu.organizer.page.PageFile;
import dev.komainu.organizer.page.PageLearner;
import dev.komainu.organizer.page.PageSettings;
import dev.komainu.organizer.page.PushStore;
import dev.komainu.organizer.route.MemberId;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The front of one member: listens for clients and for peers, and carries what they ask to whom the
 * table names. Safe for threads.
 */
public final class Front implements AutoCloseable {

    private static final int LOOPS_SECONDS = 10;

    private final FrontSettings settings;
    private final RoutingContext routing;
    private final @Nullable LineTls tls;
    private final TunnelKinds kinds;
    private final Transport transport;
    private final FrontCounts counts = new FrontCounts();
    private final Prefetch prefetch;
    private final EventLoopGroup loops;
    /** The proxy of this process; absent: this organizer stands alone. */
    private final @Nullable ProxyEmbedding inside;

    private final @Nullable PurgeSynchronization purges;

    private final Map<EventExecutor, FrontLoop> own = new IdentityHashMap<>();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final LineServer lines;
    private final @Nullable Channel listener;
    private volatile boolean asks;

    /**
     * Listens.
     *
     * @param tls null: lines in the clear, for networks nobody else is on
     * @param kinds tunnels that are taken beside TCP and WebSocket
     * @param inside of a proxy: on its event loops, and with it as one that answers; absent: on own
     *     loops
     * @param clock what is stale is judged by
     * @throws BindException naming the setting, when an address cannot be had
     */
    public Front(
            FrontSettings settings,
            RoutingContext routing,
            @Nullable LineTls tls,
            TunnelKinds kinds,
            @Nullable ProxyEmbedding inside,
            ProxyClock clock)
            throws IOException {
        this(settings, routing, tls, kinds, inside, clock, PurgeRights.EVERYBODY);
    }

    /** Likewise. @param rights who may have what purged */
    public Front(
            FrontSettings settings,
            RoutingContext routing,
            @Nullable LineTls tls,
            TunnelKinds kinds,
            @Nullable ProxyEmbedding inside,
            ProxyClock clock,
            PurgeRights rights)
            throws IOException {
        this.inside = inside;
        this.settings = settings;
        this.prefetch =
                new Prefetch(settings.pages(), inside == null && settings.listen() != null, clock);
        this.routing = routing;
        this.tls = tls;
        this.kinds = kinds;
        this.asks = settings.listen() != null || inside != null;
        loops = inside == null ? Transport.best().loops(settings.loops()) : inside.loops();
        transport = loops instanceof IoEventLoopGroup io && io.isIoType(EpollIoHandler.class)
                ? Transport.EPOLL
                : Transport.NIO;
        LineSettings each = settings.line()
                .withConnections(Math.max(1, settings.line().connections() / settings.loops()));
        FrontContext context = new FrontContext(
                settings,
                routing,
                prefetch,
                counts,
                kinds,
                tls,
                inside == null ? null : inside.answers(),
                () -> asks);
        for (EventExecutor loop : loops) {
            own.put(loop, new FrontLoop(context, (EventLoop) loop, transport.client(), each));
        }
        purges = purges(inside, rights);
        try {
            lines = new LineServer(loops, settings.lineListen(), settings.line(), tls, this::taken);
        } catch (IOException e) {
            stop();
            endLoops(1);
            throw new BindException("line: " + e.getMessage());
        }
        InetSocketAddress listen = settings.listen();
        try {
            listener = listen == null
                    ? null
                    : listen(
                            "front",
                            listen,
                            channel -> channel.pipeline()
                                    .addLast(door(of(channel.eventLoop()), channel)),
                            true);
        } catch (IOException e) {
            lines.close();
            stop();
            endLoops(1);
            throw e;
        }
    }

    private static Http1ServerHandler door(FrontLoop loop, Channel channel) {
        return new Http1ServerHandler(
                loop.clients(),
                loop.head(),
                loop.counts(),
                (head, ends, stream, peer) ->
                        ForwardedExchange.take(loop, head, ends, stream, false),
                channel);
    }

    /**
     * Of whoever stores anything: the proxy of this process, or this front itself what came
     * unasked.
     */
    private @Nullable PurgeSynchronization purges(
            @Nullable ProxyEmbedding proxy, PurgeRights rights) {
        FrontLoop first = own.values().iterator().next();
        PushStore hand = prefetch.hand();
        if (proxy != null) {
            return purges(first, proxy.purges(), proxy.purger(), rights);
        }
        ProxyClock clock = prefetch.clock();
        return hand == null
                ? null
                : purges(
                        first,
                        new PurgeLog(
                                routing.self() + "@" + clock.wallMillis(), clock::steadyMillis),
                        hand::purge,
                        rights);
    }

    private PurgeSynchronization purges(
            FrontLoop first, PurgeLog log, Consumer<PurgeOrder> purger, PurgeRights rights) {
        return new PurgeSynchronization(
                first.loop(), first.lines(), routing, counts, log, purger, rights);
    }

    /**
     * Listens for clients of another protocol on the front's loops.
     *
     * @param setting named when the address cannot be had
     * @param each gets each connection on its loop; it is not read before somebody asks
     */
    public Channel listen(String setting, InetSocketAddress address, Consumer<Channel> each)
            throws BindException {
        asks = true;
        return listen(setting, address, each, false);
    }

    private Channel listen(
            String setting, InetSocketAddress address, Consumer<Channel> each, boolean reads)
            throws BindException {
        ChannelFuture bound = new ServerBootstrap()
                .group(loops)
                .channel(
                        transport == Transport.EPOLL
                                ? EpollServerSocketChannel.class
                                : NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, 4_096)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.ALLOCATOR, LineBuffers.ALLOCATOR)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, !reads)
                .childOption(ChannelOption.AUTO_READ, reads)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        each.accept(channel);
                    }
                })
                .bind(address)
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new BindException(setting + ": " + address.getHostString() + ":"
                    + address.getPort() + " (" + bound.cause().getMessage() + ")");
        }
        return bound.channel();
    }

    /**
     * Rules what begins from now on; who waits already keeps the time it had. Returns when all
     * loops have taken it; not to be called on one of them.
     *
     * @param idle as in {@link FrontSettings}, checked
     */
    public void ruleBy(Duration idle, Duration headTimeout, PageSettings pages) {
        prefetch.ruleBy(pages);
        own.values()
                .forEach(one -> one.loop()
                        .submit(() -> one.clients().waits(idle, headTimeout))
                        .awaitUninterruptibly(LOOPS_SECONDS, TimeUnit.SECONDS));
    }

    /** Where everything here happens. */
    public List<EventLoop> loops() {
        return own.values().stream().map(FrontLoop::loop).toList();
    }

    /**
     * Asks for a tunnel as a client would: of the member that the table names.
     *
     * @param loop one of the front's, where this is called and everything is told
     * @param hears hears the answer, at the earliest after this has returned
     */
    public LineStream ask(EventLoop loop, Http2Headers head, StreamListener hears) {
        return InternalRequests.ask(of(loop), head, hears);
    }

    /** As {@link #ask}, of one member and no other. */
    public LineStream askOnly(
            EventLoop loop, MemberId member, Http2Headers head, StreamListener hears) {
        return InternalRequests.askOnly(of(loop), member, head, hears);
    }

    private StreamListener taken(
            Http2Headers head, boolean ends, LineStream stream, LinePeer peer) {
        ProxyEmbedding proxy = inside;
        PurgeSynchronization heard = purges;
        if (heard != null && head.contains(MemberFields.PURGES)) {
            return heard.taken(stream);
        }
        if (head.contains(MemberFields.PURGES)) {
            return PurgeSynchronization.refused(routing, stream);
        }
        if (proxy != null && head.contains(MemberFields.OWNER)) {
            counts.count(FrontCounts.Kind.PEER_REQUESTS);
            CharSequence needed = head.get(MemberFields.HEARD);
            if (needed == null || proxy.purges().meets(needed.toString())) {
                return proxy.answers().take(head, ends, stream, peer);
            }
            // What is stored here may be what the asker knows to be purged.
            stream.head(routing.refusal(GatewayError.NO_ROUTE, routing.self().text()), true);
            return StreamListener.NOBODY;
        }
        // Who is no cache answers as it answers anybody.
        head.remove(MemberFields.OWNER);
        return ForwardedExchange.take(of(stream.loop()), head, ends, stream, true);
    }

    /** How orders reach other members; absent without a proxy. */
    public @Nullable PurgePropagation spread() {
        return inside == null ? null : purges;
    }

    /** The cluster as fetches on one of the proxy's loops ask it. */
    public ClusterUpstream members(EventLoop loop, ProxyEmbedding proxy) {
        FrontLoop at = of(loop);
        return new ClusterMembers(
                loop,
                at.head(),
                routing,
                at.lines(),
                (head, ends, client, chosen) ->
                        ForwardedExchange.takeForCache(at, head, ends, client, chosen),
                proxy);
    }

    /** What happens again and again on the loops, which may be a proxy's and go on. */
    private void stop() {
        if (purges != null) {
            purges.close();
        }
        own.values().forEach(loop -> loop.loop().execute(loop::close));
    }

    private void endLoops(int seconds) {
        if (inside == null) {
            loops.shutdownGracefully(0, seconds, TimeUnit.SECONDS)
                    .awaitUninterruptibly(seconds, TimeUnit.SECONDS);
        }
    }

    private FrontLoop of(EventExecutor loop) {
        FrontLoop found = own.get(loop);
        if (found == null) {
            throw new IllegalStateException("A loop of somebody else");
        }
        return found;
    }

    Prefetch prefetch() {
        return prefetch;
    }

    /** Knows of pages what a file says, too. */
    public void recallPages(PageFile file) {
        file.read(prefetch.allLearnt());
    }

    /**
     * Writes what is learnt of pages, if that is something else than before. Any thread but a
     * loop's, one at a time.
     */
    public void keepPages(PageFile file) {
        file.write(prefetch.allLearnt());
    }

    /** What became of answers that nobody had asked for. */
    public PageCounts pageCounts() {
        return prefetch.counts();
    }

    /** How much is learnt of pages; absent: nothing is. */
    public PageLearner.@Nullable Figures pageFigures() {
        PageLearner book = prefetch.book();
        return book == null ? null : book.figures();
    }

    /** Bytes that came unasked and are at hand, or under way. */
    public long heldPageBytes() {
        PushStore hand = prefetch.hand();
        return hand == null ? 0 : hand.heldBytes();
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

    /**
     * Why peers cannot reach it over QUIC; empty: they can, at the UDP port of
     * {@link #lineAddress}'s number.
     */
    public String lineWithoutQuic() {
        return lines.withoutQuic();
    }

    /**
     * Of the ends that ask, one for each peer and loop, gathered on the loops; not to be called on
     * one of them.
     */
    public List<LineFigures> lineFigures() {
        List<LineFigures> all = new ArrayList<>();
        for (FrontLoop loop : own.values()) {
            loop.loop()
                    .submit(() -> {
                        List<LineFigures> here = loop.lines().figures();
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

    /** Takes no new clients and no new requests; what is under way goes on. Safe to call twice. */
    public void drain() {
        if (listener != null) {
            listener.close();
        }
        lines.drain();
        own.values().forEach(loop -> loop.loop().execute(loop.clients()::drain));
    }

    /** Requests and tunnels of clients and peers that are not over; not to be called on a loop. */
    public int underWay() {
        int all = 0;
        for (LineServer.PeerConnection peer : lines.figures().connections()) {
            all += peer.figures().streams();
        }
        for (FrontLoop loop : own.values()) {
            Integer busy = loop.loop()
                    .submit(loop.clients()::busy)
                    .awaitUninterruptibly()
                    .getNow();
            all += busy == null ? 0 : busy;
        }
        return all;
    }

    /**
     * Peers whose connections have not ended, though all they asked may be answered; not to be
     * called on a loop.
     */
    public int peersLeft() {
        return lines.figures().connections().size();
    }

    /** Closes everything; returns when its threads have ended, after 5 s at most. */
    @Override
    public void close() {
        if (loops.isShuttingDown() || closed.getAndSet(true)) {
            return;
        }
        if (listener != null) {
            listener.close();
        }
        lines.close();
        stop();
        // A loop that shuts down closes its connections before it does what it was given: tunnels
        // would end as if they were complete.
        own.values()
                .forEach(loop ->
                        loop.loop().submit(() -> {}).awaitUninterruptibly(1, TimeUnit.SECONDS));
        endLoops(5);
    }
}
