package dev.komainu.intermediary.upstream;

import dev.komainu.intermediary.buffer.LoopBuffers;
import dev.komainu.intermediary.buffer.ReceiveShare;
import dev.komainu.intermediary.connection.BodyPace;
import dev.komainu.intermediary.connection.ConnectionSide;
import dev.komainu.intermediary.connection.DeadlineList;
import dev.komainu.intermediary.connection.DeadlineLists;
import dev.komainu.intermediary.connection.IdleCounts;
import dev.komainu.intermediary.connection.IdleList;
import dev.komainu.intermediary.connection.OriginConnectionListener;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslHandler;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * One event loop's connections to origins. A request goes to the usable server with the least under
 * way, those with as much taking turns; there the youngest parked connection is lent first, so that
 * surplus ones grow old and expire. At the cap a request waits its turn for a while.
 *
 * <p>Whoever cannot connect to one server is sent to the next: nothing of the request has been seen
 * by anybody then.
 */
public final class OriginPool {

    private final EventLoop loop;
    private final Bootstrap bootstrap;
    private UpstreamSettings settings;
    private final AddressResolver addresses;
    private final HealthRegistry health;
    private OriginTls tls;
    /** Connections that were secured under other settings are not used again. */
    private int tlsGeneration;

    private final OriginConnectionListener connectionListener;
    private final LoopBuffers buffers;
    private final OriginCounts counts;
    private final Runnable flushed;
    private final Map<UpstreamServer, ServerPool> serverPools = new HashMap<>();
    private final DeadlineLists awaiting;
    private final IdleList parkedList;
    private final DeadlineLists queued;
    private final DeadlineLists bodies;
    private int turn;
    /** Connections to the server that has most, as of the last sweep. */
    private volatile int maxOpenPerServer;

    /** Connections in all, as of then. */
    private volatile int openConnections;

    /**
     * @param allocator of what is read from origins
     * @param places hears of each connection
     * @param flushed called when a batch of origin bytes has been told: clients' writes may be
     *     flushed
     */
    public OriginPool(
            EventLoop loop,
            Class<? extends Channel> channelType,
            ByteBufAllocator allocator,
            UpstreamSettings settings,
            KnownServers servers,
            IdleCounts idleCounts,
            OriginConnectionListener connectionListener,
            LoopBuffers buffers,
            OriginCounts counts,
            Runnable flushed) {
        this.loop = loop;
        this.settings = settings;
        this.addresses = servers.addresses();
        this.health = servers.health();
        this.tls = new OriginTls(settings.tls());
        this.connectionListener = connectionListener;
        this.buffers = buffers;
        this.counts = counts;
        this.flushed = flushed;
        this.awaiting = new DeadlineLists(settings.responseTimeout().toNanos());
        this.parkedList = new IdleList(
                ConnectionSide.ORIGIN,
                settings.idleTimeout().toNanos(),
                System.nanoTime(),
                idleCounts);
        this.queued = new DeadlineLists(settings.waitTimeout().toNanos());
        this.bodies = new DeadlineLists(settings.bodyWindow().toNanos());
        this.bootstrap = new Bootstrap()
                .group(loop)
                .channel(channelType)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        // Handlers come when this one has won its race.
                        channel.config().setRecvByteBufAllocator(new BoundedReads());
                    }
                })
                .option(ChannelOption.ALLOCATOR, allocator)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(
                        ChannelOption.CONNECT_TIMEOUT_MILLIS,
                        Math.toIntExact(settings.connectTimeout().toMillis()));
    }

    /**
     * Other settings, and perhaps other servers in the book, for the requests that begin now. What
     * is lent keeps its times. Parked connections that would not be opened any more close: those of
     * servers that are known no longer, those secured under other rules, and those beyond
     * {@code upstream.max-idle}.
     */
    public void apply(UpstreamSettings next) {
        UpstreamSettings before = settings;
        settings = next;
        awaiting.set(next.responseTimeout().toNanos());
        parkedList.set(next.idleTimeout().toNanos(), System.nanoTime());
        queued.set(next.waitTimeout().toNanos());
        bodies.set(next.bodyWindow().toNanos());
        bootstrap.option(
                ChannelOption.CONNECT_TIMEOUT_MILLIS,
                Math.toIntExact(next.connectTimeout().toMillis()));
        // The file of authorities may hold others by now.
        tls = new OriginTls(next.tls());
        if (!next.tls().equals(before.tls())) {
            tlsGeneration++;
        }
        for (ServerPool serverPool : List.copyOf(serverPools.values())) {
            serverPool.abandoned = serverPool.health != health.of(serverPool.server);
            for (OriginConnection connection : List.copyOf(serverPool.parked)) {
                if (!isReusable(connection)) {
                    connection.discard();
                }
            }
            while (serverPool.parked.size() > next.maxIdle()) {
                serverPool.parked.peekLast().discard();
            }
            for (int room = next.maxOpen() - serverPool.open();
                    room > 0 && !serverPool.waiting.isEmpty();
                    room--) {
                connectNextWaiter(serverPool);
            }
            removeIfEmpty(serverPool);
        }
    }

    /** Whether this connection may serve another request. */
    private boolean isReusable(OriginConnection connection) {
        ServerPool serverPool = connection.serverPool();
        return serverPool.hasAddress(connection.address())
                && !serverPool.abandoned
                && (!serverPool.server.secure() || connection.tlsGeneration() == tlsGeneration);
    }

    /**
     * Finds a connection and tells {@code events}.
     *
     * @param fresh not a parked one
     * @param avoid where this request failed just now: taken only when there is no other
     */
    public void acquire(
            Origin origin, boolean fresh, @Nullable UpstreamServer avoid, OriginListener listener) {
        search(new PoolAcquisition(origin, listener), fresh, avoid);
    }

    private void search(PoolAcquisition acquisition, boolean fresh, @Nullable UpstreamServer avoid) {
        long now = System.nanoTime();
        ServerPool serverPool = choose(acquisition, avoid, now);
        if (serverPool.isRefreshDue(now)) {
            refresh(serverPool);
        }
        while (!fresh && !serverPool.parked.isEmpty()) {
            OriginConnection connection = serverPool.parked.pop();
            counts.idleConnections--;
            if (connection.isOpen() && isReusable(connection)) {
                connection.lend(acquisition.listener);
                return;
            }
            connection.discard();
        }
        if (serverPool.open() < settings.maxOpen()) {
            open(serverPool, acquisition);
        } else {
            if (fresh && !serverPool.parked.isEmpty()) {
                // Its place is what this one waits for.
                serverPool.parked.peekLast().discard();
            }
            queue(serverPool, acquisition);
        }
    }

    private ServerPool choose(PoolAcquisition acquisition, @Nullable UpstreamServer avoid, long now) {
        List<UpstreamServer> servers = acquisition.origin.servers();
        if (servers.size() == 1) {
            return serverPool(servers.getFirst());
        }
        turn++;
        ServerPool best = null;
        int bestRank = Integer.MAX_VALUE;
        for (int i = 0; i < servers.size(); i++) {
            int index = Math.floorMod(turn + i, servers.size());
            if (!acquisition.tried(index)) {
                ServerPool serverPool = serverPool(servers.get(index));
                boolean out = serverPool.health != null && !serverPool.health.isUsable(now);
                // When all are out, any is better than none.
                int rank = Math.min(serverPool.load(), 1 << 20)
                        + (out ? 1 << 28 : 0)
                        + (serverPool.server.equals(avoid) ? 1 << 29 : 0);
                if (rank < bestRank) {
                    best = serverPool;
                    bestRank = rank;
                }
            }
        }
        return best == null ? serverPool(servers.getFirst()) : best;
    }

    private ServerPool serverPool(UpstreamServer server) {
        ServerPool known = serverPools.get(server);
        if (known == null) {
            known = new ServerPool(server, health.of(server), connectionListener);
            serverPools.put(server, known);
        }
        return known;
    }

    /** A name that moved is followed even when parked connections make dialling needless. */
    private void refresh(ServerPool serverPool) {
        addresses.resolve(serverPool.server, loop, (found, refusal) -> {
            if (found != null) {
                serverPool.setAddresses(found);
            }
        });
    }

    private void queue(ServerPool serverPool, PoolAcquisition acquisition) {
        if (serverPool.waiting.size() >= settings.maxWaiting()) {
            serverPool.removeUnneeded();
        }
        if (serverPool.waiting.size() >= settings.maxWaiting()) {
            failAtLimit(serverPool, acquisition, 0);
            return;
        }
        ServerPool.Waiter waiter = new ServerPool.Waiter() {
            @Override
            boolean isNeeded() {
                return acquisition.listener.isNeeded();
            }

            @Override
            void onConnection(OriginConnection connection) {
                connection.lend(acquisition.listener);
            }

            @Override
            void onCapacity() {
                open(serverPool, acquisition);
            }

            @Override
            protected void expired() {
                serverPool.withdraw(this);
                failAtLimit(
                        serverPool,
                        acquisition,
                        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - sinceNanos));
            }
        };
        serverPool.enqueue(waiter);
        queued.current().append(waiter, waiter.sinceNanos);
    }

    private void failAtLimit(ServerPool serverPool, PoolAcquisition acquisition, long waitedMillis) {
        counts.failures++;
        acquisition.listener.failed(new OriginFailure(
                503,
                "origin-limit",
                "No connection to " + serverPool.server + " after " + waitedMillis + " ms (open="
                        + serverPool.open() + ", idle=" + serverPool.parked.size() + ", waiting="
                        + serverPool.waiting.size() + ")",
                true));
    }

    private void open(ServerPool serverPool, PoolAcquisition acquisition) {
        serverPool.onOpening();
        addresses.resolve(serverPool.server, loop, (found, refusal) -> {
            if (found == null) {
                openFailed(
                        serverPool,
                        acquisition,
                        refusal == null ? OriginFailure.unknownHost(serverPool.server) : refusal);
                return;
            }
            HappyEyeballsConnect.begin(
                    bootstrap,
                    loop,
                    serverPool.order(found, System.nanoTime()),
                    serverPool::avoid,
                    (channel, cause) -> {
                        if (channel == null) {
                            openFailed(serverPool, acquisition, unconnected(serverPool.server, cause));
                        } else if (serverPool.server.secure()) {
                            startTls(serverPool, acquisition, channel);
                        } else {
                            onOpened(serverPool, acquisition, channel, 0);
                        }
                    });
        });
    }

    private void startTls(ServerPool serverPool, PoolAcquisition acquisition, Channel channel) {
        SslHandler handler;
        int generation = tlsGeneration;
        try {
            handler = tls.handler(
                    channel.alloc(), serverPool.server, settings.connectTimeout().toMillis());
        } catch (SSLException | IllegalArgumentException e) {
            channel.close();
            openFailed(
                    serverPool,
                    acquisition,
                    new OriginFailure(502, "tls-settings", "TLS cannot be used here", true));
            return;
        }
        // What goes wrong in the handshake is told by its future; the same as an event is nobody's
        // business.
        ChannelHandler quiet = new ChannelInboundHandlerAdapter() {
            @Override
            public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
                ctx.close();
            }
        };
        channel.pipeline().addLast(handler, quiet);
        handler.handshakeFuture().addListener(done -> {
            if (done.isSuccess()) {
                channel.pipeline().remove(quiet);
                onOpened(serverPool, acquisition, channel, generation);
            } else {
                channel.close();
                openFailed(serverPool, acquisition, OriginTls.failure(serverPool.server, done.cause()));
            }
        });
    }

    private void onOpened(ServerPool serverPool, PoolAcquisition acquisition, Channel channel, int generation) {
        if (!channel.isActive()) {
            openFailed(
                    serverPool,
                    acquisition,
                    new OriginFailure(502, "closed-early", "The origin closed at once", true));
            return;
        }
        counts.connections++;
        OriginConnection connection =
                new OriginConnection(this, serverPool, channel, buffers.opened(channel), generation);
        channel.pipeline().addLast(connection);
        if (acquisition.listener.isNeeded()) {
            connection.lend(acquisition.listener);
        } else {
            connection.returnUnused();
        }
    }

    private void openFailed(ServerPool serverPool, PoolAcquisition acquisition, OriginFailure failure) {
        counts.failures++;
        serverPool.counts.failures.increment();
        serverPool.onClosed();
        if (serverPool.health != null) {
            serverPool.health.recordFailure(System.nanoTime());
        }
        connectNextWaiter(serverPool);
        removeIfEmpty(serverPool);
        acquisition.markTried(serverPool.server);
        if (acquisition.hasMore() && acquisition.listener.isNeeded()) {
            search(acquisition, false, null);
        } else {
            acquisition.listener.failed(failure);
        }
    }

    /** A place below the cap became free. */
    private void connectNextWaiter(ServerPool serverPool) {
        ServerPool.Waiter next = serverPool.open() < settings.maxOpen() ? serverPool.nextWaiter() : null;
        if (next != null) {
            next.onCapacity();
        }
    }

    private OriginFailure unconnected(UpstreamServer server, @Nullable Throwable cause) {
        return OriginFailure.unconnected(
                server, cause, settings.connectTimeout().toMillis());
    }

    /** Told of a bare connection, or why there is none; exactly one argument is present. */
    @FunctionalInterface
    public interface ConnectListener {
        void completed(@Nullable Channel channel, @Nullable OriginFailure failure);
    }

    /** Opens a connection that is not pooled, for a tunnel; it is not read until told so. */
    public void connectUnpooled(Origin origin, ConnectListener listener) {
        UpstreamServer target = origin.servers().getFirst();
        addresses.resolve(target, loop, (found, refusal) -> {
            if (found == null) {
                listener.completed(null, refusal == null ? OriginFailure.unknownHost(target) : refusal);
                return;
            }
            Bootstrap bare = bootstrap
                    .clone()
                    .option(ChannelOption.AUTO_READ, false)
                    .option(ChannelOption.ALLOW_HALF_CLOSURE, true);
            HappyEyeballsConnect.begin(
                    bare,
                    loop,
                    AddressOrder.of(found, turn++, address -> false),
                    address -> {},
                    (channel, cause) -> listener.completed(
                            channel, channel == null ? unconnected(target, cause) : null));
        });
    }

    /** Asks a server once, on a connection of its own beside all bounds: for an active check. */
    void probe(UpstreamServer server, OriginListener listener) {
        open(serverPool(server), new PoolAcquisition(new Origin(List.of(server)), listener));
    }

    /**
     * Forward mode meets any number of servers, and reloads name others: a lane without connections
     * is not kept.
     */
    private void removeIfEmpty(ServerPool serverPool) {
        boolean lasting = serverPool.health != null && !serverPool.abandoned;
        if (!lasting && serverPool.open() == 0 && serverPool.parked.isEmpty() && serverPool.waiting.isEmpty()) {
            serverPools.remove(serverPool.server, serverPool);
        }
    }

    void park(OriginConnection connection) {
        ServerPool serverPool = connection.serverPool();
        if (!isReusable(connection)) {
            connection.discard();
            return;
        }
        ServerPool.Waiter next = serverPool.nextWaiter();
        if (next != null) {
            next.onConnection(connection);
            return;
        }
        if (serverPool.parked.size() >= settings.maxIdle()) {
            connection.discard();
            return;
        }
        serverPool.parked.push(connection);
        ReceiveShare receiveShare = connection.receiveShare();
        if (receiveShare != null) {
            receiveShare.park();
        }
        counts.idleConnections++;
        parkedList.append(connection.deadline(), System.nanoTime());
        connectionListener.onIdle();
    }

    void unpark(OriginConnection connection) {
        if (connection.serverPool().parked.remove(connection)) {
            counts.idleConnections--;
        }
    }

    void closed(OriginConnection connection) {
        counts.connections--;
        buffers.closed(connection.receiveShare());
        ServerPool serverPool = connection.serverPool();
        serverPool.onClosed();
        connectNextWaiter(serverPool);
        removeIfEmpty(serverPool);
    }

    /** Watches whether an answer's body comes fast enough. */
    BodyPace newPace(Runnable tooSlow) {
        return new BodyPace(bodies.current(), settings.leastBodyBytes()) {
            @Override
            protected void tooSlow() {
                tooSlow.run();
            }
        };
    }

    /** For a body that begins now. */
    void limitPace(BodyPace pace) {
        pace.setLimit(bodies.current(), settings.leastBodyBytes());
    }

    /** Where a request that is lent a connection now waits for its origin, to its end. */
    DeadlineList awaiting() {
        return awaiting.current();
    }

    OriginCounts counts() {
        return counts;
    }

    EventLoop loop() {
        return loop;
    }

    void flushed() {
        flushed.run();
    }

    /** Looks for connections that waited too long; called by the loop several times a second. */
    public void sweep(long nowNanos) {
        awaiting.expire(nowNanos);
        parkedList.expire(nowNanos, 0, Integer.MAX_VALUE);
        parkedList.publish();
        updateCounts();
        queued.expire(nowNanos);
        bodies.expire(nowNanos);
    }

    private void updateCounts() {
        int most = 0;
        int all = 0;
        for (ServerPool serverPool : serverPools.values()) {
            most = Math.max(most, serverPool.open());
            all += serverPool.open();
        }
        maxOpenPerServer = most;
        openConnections = all;
    }

    /** Connections of this loop to the server that it has most to, a moment ago. Any thread. */
    public int maxOpenPerServer() {
        return maxOpenPerServer;
    }

    /** Connections of this loop, a moment ago. Any thread. */
    public int openConnections() {
        return openConnections;
    }

    /** Connections parked for reuse; on the loop. */
    public IdleList parked() {
        return parkedList;
    }
}
