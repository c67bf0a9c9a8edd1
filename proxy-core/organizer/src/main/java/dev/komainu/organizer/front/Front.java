package dev.komainu.organizer.front;

import dev.komainu.intermediary.access.AccessList;
import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.intermediary.proxyprotocol.ProxyProtocolHandler;
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
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The front of one member: it accepts requests of clients and peers and forwards each to the member
 * that the route table selects. Thread-safe.
 */
public final class Front implements AutoCloseable {

    private static final int LOOPS_SECONDS = 10;

    private final RoutingContext routing;
    private final Transport transport;
    private final FrontCounts counts = new FrontCounts();
    private final Prefetch prefetch;
    private final EventLoopGroup loops;
    /** The embedding proxy; null: this organizer runs alone. */
    private final @Nullable ProxyEmbedding embedding;

    private final @Nullable PurgeSynchronization purges;

    private final IdentityHashMap<EventExecutor, FrontLoop> frontLoops = new IdentityHashMap<>();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final LineServer lines;
    private final @Nullable Channel listener;
    private volatile boolean acceptsRequests;
    private volatile AccessList purgers;

    /**
     * Starts the listeners.
     *
     * @param tls null: lines without TLS, for private networks
     * @param kinds tunnel protocols besides TCP and WebSocket
     * @param embedding the embedding proxy, whose event loops are used; null: the front has its own
     *     loops
     * @param clock determines freshness
     * @throws BindException when an address cannot be bound; the message names the setting
     */
    public Front(
            FrontSettings settings,
            RoutingContext routing,
            @Nullable LineTls tls,
            TunnelKinds kinds,
            @Nullable ProxyEmbedding embedding,
            ProxyClock clock)
            throws IOException {
        this(settings, routing, tls, kinds, embedding, clock, PurgeRights.UNRESTRICTED);
    }

    /**
     * Starts the listeners with restricted purges.
     *
     * @param rights which member may purge which URLs
     */
    public Front(
            FrontSettings settings,
            RoutingContext routing,
            @Nullable LineTls tls,
            TunnelKinds kinds,
            @Nullable ProxyEmbedding embedding,
            ProxyClock clock,
            PurgeRights rights)
            throws IOException {
        this.embedding = embedding;
        this.prefetch = new Prefetch(
                settings.pages(), embedding == null && settings.listen() != null, clock);
        this.routing = routing;
        this.purgers = settings.access().purgers();
        this.acceptsRequests = settings.listen() != null || embedding != null;
        loops = embedding == null ? Transport.best().loops(settings.loops()) : embedding.loops();
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
                embedding == null ? null : embedding.acceptor(),
                () -> acceptsRequests);
        for (EventExecutor loop : loops) {
            frontLoops.put(
                    loop, new FrontLoop(context, (EventLoop) loop, transport.client(), each));
        }
        purges = purges(embedding, rights);
        try {
            lines = new LineServer(
                    loops, settings.lineListen(), settings.line(), tls, this::accept);
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
                            channel -> begin(channel, settings.access().proxies()),
                            true);
        } catch (IOException e) {
            lines.close();
            stop();
            endLoops(1);
            throw e;
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // a failed close is reported to the handlers
    private void begin(Channel channel, AccessList proxies) {
        FrontLoop loop = of(channel.eventLoop());
        if (!(channel.remoteAddress() instanceof InetSocketAddress peer)) {
            channel.close();
        } else if (proxies.permits(peer.getAddress())) {
            ProxyProtocolHandler.expect(
                    channel,
                    peer,
                    client -> channel.pipeline().addLast(handler(loop, channel, client)),
                    () -> counts.count(FrontCounts.Kind.MALFORMED));
        } else {
            channel.pipeline().addLast(handler(loop, channel, peer));
        }
    }

    private Http1ServerHandler handler(FrontLoop loop, Channel channel, InetSocketAddress client) {
        return new Http1ServerHandler(
                loop.clients(),
                loop.head(),
                loop.counts(),
                (head, ends, stream, peer) -> ForwardedExchange.takeOfClient(
                        loop, head, ends, stream, mayPass(head, client.getAddress())),
                channel,
                client.getAddress());
    }

    /** Reports whether a client may send a request, in particular one to manage a cache. */
    private boolean mayPass(Http2Headers head, InetAddress client) {
        return !HeadConversion.isCacheManagement(head)
                || (purgers.permits(client) && !HeadConversion.isForwarded(head));
    }

    /**
     * The purge synchronization of the component that stores responses: the embedding proxy, or the
     * push store of this front. Null when neither exists.
     */
    private @Nullable PurgeSynchronization purges(
            @Nullable ProxyEmbedding proxy, PurgeRights rights) {
        FrontLoop first = frontLoops.values().iterator().next();
        PushStore store = prefetch.pushStore();
        if (proxy != null) {
            return purges(first, proxy.purges(), proxy.purger(), rights);
        }
        ProxyClock clock = prefetch.clock();
        return store == null
                ? null
                : purges(
                        first,
                        new PurgeLog(
                                routing.self() + "@" + clock.wallMillis(), clock::steadyMillis),
                        store::purge,
                        rights);
    }

    private PurgeSynchronization purges(
            FrontLoop first, PurgeLog log, Consumer<PurgeOrder> purger, PurgeRights rights) {
        return new PurgeSynchronization(
                first.loop(), first.lines(), routing, counts, log, purger, rights);
    }

    /**
     * Listens for clients of another protocol on the event loops of the front.
     *
     * @param setting named in the exception when the address cannot be bound
     * @param each receives each connection on its loop; the connection is not read until a read is
     *     requested
     */
    public Channel listen(String setting, InetSocketAddress address, Consumer<Channel> each)
            throws BindException {
        acceptsRequests = true;
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
     * Applies new settings to waits that start from now on; a wait in progress keeps its old
     * timeout. Blocks until all loops have applied them. Must not be called on one of these loops.
     *
     * @param idle as in {@link FrontSettings}, validated
     */
    public void reload(
            Duration idle, Duration headTimeout, PageSettings pages, AccessList newPurgers) {
        purgers = newPurgers;
        prefetch.reload(pages);
        frontLoops
                .values()
                .forEach(frontLoop -> frontLoop
                        .loop()
                        .submit(() -> frontLoop.clients().setTimeouts(idle, headTimeout))
                        .awaitUninterruptibly(LOOPS_SECONDS, TimeUnit.SECONDS));
    }

    /** Returns the event loops on which this front runs. */
    public List<EventLoop> loops() {
        return frontLoops.values().stream().map(FrontLoop::loop).toList();
    }

    /**
     * Opens a tunnel to the member that the route table selects, as for a client.
     *
     * @param loop a loop of this front; this method is called on it, and all events are delivered
     *     on it
     * @param listener receives the response, never before this method returns
     */
    public LineStream openTunnel(EventLoop loop, Http2Headers head, StreamListener listener) {
        return InternalRequests.send(of(loop), head, listener);
    }

    /** Opens a tunnel to this member only, as {@link #openTunnel} does. */
    public LineStream openTunnelTo(
            EventLoop loop, MemberId member, Http2Headers head, StreamListener listener) {
        return InternalRequests.sendTo(of(loop), member, head, listener);
    }

    private StreamListener accept(
            Http2Headers head, boolean ends, LineStream stream, LinePeer peer) {
        ProxyEmbedding proxy = embedding;
        PurgeSynchronization synchronization = purges;
        if (synchronization != null && head.contains(MemberFields.PURGES)) {
            return synchronization.accept(stream);
        }
        if (head.contains(MemberFields.PURGES)) {
            return PurgeSynchronization.refused(routing, stream);
        }
        if (proxy != null && head.contains(MemberFields.OWNER)) {
            counts.count(FrontCounts.Kind.PEER_REQUESTS);
            CharSequence needed = head.get(MemberFields.HEARD);
            if (needed == null || proxy.purges().meets(needed.toString())) {
                return proxy.acceptor().take(head, ends, stream, peer);
            }
            // The response stored here may be one that the requesting member knows to be purged.
            stream.head(routing.refusal(GatewayError.NO_ROUTE, routing.self().text()), true);
            return StreamListener.NOBODY;
        }
        // A member without a cache answers an owner request like any other request.
        head.remove(MemberFields.OWNER);
        return ForwardedExchange.takeOfPeer(of(stream.loop()), head, ends, stream);
    }

    /** Returns the propagation of purges to other members; null without an embedding proxy. */
    public @Nullable PurgePropagation purgePropagation() {
        return embedding == null ? null : purges;
    }

    /** Returns the cluster as an upstream for fetches on one of the proxy's loops. */
    public ClusterUpstream upstream(EventLoop loop, ProxyEmbedding proxy) {
        FrontLoop frontLoop = of(loop);
        return new ClusterMembers(
                loop,
                frontLoop.head(),
                routing,
                frontLoop.lines(),
                (head, ends, client, chosen) ->
                        ForwardedExchange.takeForCache(frontLoop, head, ends, client, chosen),
                proxy);
    }

    /** Stops the periodic tasks on the loops. The loops may belong to a proxy and continue. */
    private void stop() {
        if (purges != null) {
            purges.close();
        }
        frontLoops.values().forEach(loop -> loop.loop().execute(loop::close));
    }

    private void endLoops(int seconds) {
        if (embedding == null) {
            loops.shutdownGracefully(0, seconds, TimeUnit.SECONDS)
                    .awaitUninterruptibly(seconds, TimeUnit.SECONDS);
        }
    }

    private FrontLoop of(EventExecutor loop) {
        FrontLoop found = frontLoops.get(loop);
        if (found == null) {
            throw new IllegalStateException("Not an event loop of this front");
        }
        return found;
    }

    Prefetch prefetch() {
        return prefetch;
    }

    /** Loads the learnt pages from a file. */
    public void loadPages(PageFile file) {
        file.read(prefetch.storedLearner());
    }

    /**
     * Saves the learnt pages to a file when they have changed. Called by one thread at a time,
     * which is not an event loop.
     */
    public void savePages(PageFile file) {
        file.write(prefetch.storedLearner());
    }

    /** Returns the counts of pushed responses. */
    public PageCounts pageCounts() {
        return prefetch.counts();
    }

    /** Returns the numbers of learnt pages and objects; null: learning is off. */
    public PageLearner.@Nullable Figures pageFigures() {
        PageLearner learner = prefetch.learner();
        return learner == null ? null : learner.figures();
    }

    /** Returns the bytes of pushed responses that are stored or being received. */
    public long pushStoreBytes() {
        PushStore store = prefetch.pushStore();
        return store == null ? 0 : store.heldBytes();
    }

    /** Returns the counts of requests. */
    public FrontCounts counts() {
        return counts;
    }

    /** Returns the address for clients; null: there is no listener for clients. */
    public @Nullable InetSocketAddress address() {
        return listener == null ? null : (InetSocketAddress) listener.localAddress();
    }

    /** Returns the address for peers. */
    public InetSocketAddress lineAddress() {
        return lines.address();
    }

    /**
     * Returns the reason why peers cannot use QUIC; empty: they can, at the UDP port with the
     * number of {@link #lineAddress}.
     */
    public String lineWithoutQuic() {
        return lines.withoutQuic();
    }

    /**
     * Returns the figures of the requesting ends, one for each peer and loop. Blocks; must not be
     * called on a loop of this front.
     */
    public List<LineFigures> lineFigures() {
        List<LineFigures> all = new ArrayList<>();
        for (FrontLoop loop : frontLoops.values()) {
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

    /** Returns the figures of the accepting end. Must not be called on a loop. */
    public LineServer.Figures peerFigures() {
        return lines.figures();
    }

    /**
     * Makes all connections of lines again, with the current certificate: those to peers, and those
     * of peers. Exchanges in progress continue. From any thread.
     */
    public void renewLines() {
        lines.renew();
        frontLoops.values().forEach(loop -> loop.loop().execute(loop.lines()::renew));
    }

    /** Stops accepting clients and requests. Exchanges in progress continue. Idempotent. */
    @SuppressWarnings("FutureReturnValueIgnored") // the result of a close is not needed
    public void drain() {
        if (listener != null) {
            listener.close();
        }
        lines.drain();
        frontLoops.values().forEach(loop -> loop.loop().execute(loop.clients()::drain));
    }

    /**
     * Returns the number of requests and tunnels of clients and peers that are in progress. Blocks;
     * must not be called on a loop.
     */
    public int activeExchanges() {
        int all = 0;
        for (LineServer.PeerConnection peer : lines.figures().connections()) {
            all += peer.figures().streams();
        }
        for (FrontLoop loop : frontLoops.values()) {
            Integer busy = loop.loop()
                    .submit(loop.clients()::busy)
                    .awaitUninterruptibly()
                    .getNow();
            all += busy == null ? 0 : busy;
        }
        return all;
    }

    /**
     * Returns the number of peers whose connections are still open, even if all their requests are
     * answered. Must not be called on a loop.
     */
    public int openPeers() {
        return lines.figures().connections().size();
    }

    /** Closes all listeners, lines and loops. Blocks until the threads have ended, at most 5 s. */
    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the result of a close is not needed
    public void close() {
        if (loops.isShuttingDown() || closed.getAndSet(true)) {
            return;
        }
        if (listener != null) {
            listener.close();
        }
        lines.close();
        stop();
        // A loop that shuts down closes its connections before it runs its queued tasks. Without
        // this wait tunnels would end as if they were complete.
        frontLoops
                .values()
                .forEach(loop ->
                        loop.loop().submit(() -> {}).awaitUninterruptibly(1, TimeUnit.SECONDS));
        endLoops(5);
    }
}
