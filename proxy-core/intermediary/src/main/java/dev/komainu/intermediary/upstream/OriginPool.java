package dev.komainu.intermediary.upstream;

import dev.komainu.intermediary.buffer.LoopBuffers;
import dev.komainu.intermediary.buffer.ReceiveShare;
import dev.komainu.intermediary.connection.BodyPace;
import dev.komainu.intermediary.connection.ConnectionSide;
import dev.komainu.intermediary.connection.DeadlineList;
import dev.komainu.intermediary.connection.DeadlineLists;
import dev.komainu.intermediary.connection.IdleCounts;
import dev.komainu.intermediary.connection.IdleList;
import dev.komainu.intermediary.connection.LoopTime;
import dev.komainu.intermediary.connection.OriginConnectionListener;
import dev.komainu.intermediary.transport.BoundedReadChannel;
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
 * One event loop's connections to origins. A request goes to the usable server with the lowest
 * load; servers with equal load take turns. The most recently parked connection is used first, so
 * that surplus connections grow old and expire. When the limit of connections is reached, requests
 * wait in a queue for a limited time.
 *
 * <p>A request that cannot connect to a server is sent to the next one: no byte of it was sent
 * before.
 */
// The channels closed here are given up; nothing waits for their end.
@SuppressWarnings("FutureReturnValueIgnored")
public final class OriginPool {

    private final EventLoop loop;
    private final Bootstrap bootstrap;
    private UpstreamSettings settings;
    private final AddressResolver addresses;
    private final HealthRegistry health;
    private OriginTls tls;
    /**
     * The number of TLS changes. A connection that was opened under an older number is not reused.
     */
    private int tlsGeneration;

    private final OriginConnectionListener connectionListener;
    private final LoopBuffers buffers;
    private final OriginCounts counts;
    private final Runnable flushed;
    private final LoopTime time;
    private final Map<UpstreamServer, ServerPool> serverPools = new HashMap<>();
    private final DeadlineLists awaiting;
    private final IdleList parkedList;
    private final DeadlineLists queued;
    private final DeadlineLists bodies;
    private int turn;
    private boolean isReading;
    /** Connections to the server with most connections, as of the last {@link #sweep}. */
    private volatile int maxOpenPerServer;

    /** All connections, as of the last {@link #sweep}. */
    private volatile int openConnections;

    /**
     * Creates a pool without connections.
     *
     * @param allocator of the bytes read from origins
     * @param connectionListener notified of each connection that opens, closes or becomes idle
     * @param time the loop's time; the pool updates it when bytes arrive from an origin
     * @param flushed runs after a batch of origin bytes was delivered: clients' writes may be
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
            LoopTime time,
            Runnable flushed) {
        this.loop = loop;
        this.settings = settings;
        this.addresses = servers.addresses();
        this.health = servers.health();
        this.tls = new OriginTls(settings.tls());
        this.connectionListener = connectionListener;
        this.buffers = buffers;
        this.counts = counts;
        this.time = time;
        this.flushed = flushed;
        this.awaiting = new DeadlineLists(settings.responseTimeout().toNanos());
        this.parkedList = new IdleList(
                ConnectionSide.ORIGIN, settings.idleTimeout().toNanos(), time.nanos(), idleCounts);
        this.queued = new DeadlineLists(settings.waitTimeout().toNanos());
        this.bodies = new DeadlineLists(settings.bodyWindow().toNanos());
        this.bootstrap = new Bootstrap()
                .group(loop)
                .channel(channelType)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        // Handlers are added when this channel has won its race.
                        if (!(channel instanceof BoundedReadChannel)) {
                            channel.config().setRecvByteBufAllocator(new BoundedReads());
                        }
                    }
                })
                .option(ChannelOption.ALLOCATOR, allocator)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(
                        ChannelOption.CONNECT_TIMEOUT_MILLIS,
                        Math.toIntExact(settings.connectTimeout().toMillis()));
    }

    /**
     * Puts new settings in force for the requests that begin from now on; the list of known servers
     * may have changed too. Connections in use keep their timeouts. Parked connections close when
     * they would not be opened under the new settings: those of unknown servers, those secured
     * under other TLS settings, and those beyond {@code upstream.max-idle}.
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
        // The file of authorities may have new contents.
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

    /** Reports whether this connection may serve another request. */
    private boolean isReusable(OriginConnection connection) {
        ServerPool serverPool = connection.serverPool();
        return serverPool.hasAddress(connection.address())
                && !serverPool.abandoned
                && (!serverPool.server.secure() || connection.tlsGeneration() == tlsGeneration);
    }

    /**
     * Finds a connection and passes it to {@code listener}, now or later, on the loop.
     *
     * @param fresh true: a parked connection is not used
     * @param avoid the server where this request just failed: used only when there is no other;
     *     absent: none
     */
    public void acquire(
            Origin origin, boolean fresh, @Nullable UpstreamServer avoid, OriginListener listener) {
        search(new PoolAcquisition(origin, listener), fresh, avoid);
    }

    private void search(
            PoolAcquisition acquisition, boolean fresh, @Nullable UpstreamServer avoid) {
        long now = time.nanos();
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
                // The request waits for the place of this connection.
                serverPool.parked.peekLast().discard();
            }
            queue(serverPool, acquisition);
        }
    }

    private ServerPool choose(
            PoolAcquisition acquisition, @Nullable UpstreamServer avoid, long now) {
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
                // When all servers are ejected, each is better than none.
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

    /**
     * Looks the name up again: new addresses are used even when parked connections make dialling
     * unnecessary.
     */
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

    private void failAtLimit(
            ServerPool serverPool, PoolAcquisition acquisition, long waitedMillis) {
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
                            openFailed(
                                    serverPool, acquisition, unconnected(serverPool.server, cause));
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
                    channel.alloc(),
                    serverPool.server,
                    settings.connectTimeout().toMillis());
        } catch (SSLException | IllegalArgumentException e) {
            channel.close();
            openFailed(
                    serverPool,
                    acquisition,
                    new OriginFailure(
                            502, "tls-settings", "The TLS settings cannot be used", true));
            return;
        }
        // The handshake's future reports failures; the same failure as an event is ignored.
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
                openFailed(
                        serverPool,
                        acquisition,
                        OriginTls.failure(serverPool.server, done.cause()));
            }
        });
    }

    private void onOpened(
            ServerPool serverPool, PoolAcquisition acquisition, Channel channel, int generation) {
        if (!channel.isActive()) {
            openFailed(
                    serverPool,
                    acquisition,
                    new OriginFailure(
                            502, "closed-early", "The origin closed the new connection", true));
            return;
        }
        counts.connections++;
        OriginConnection connection = new OriginConnection(
                this, serverPool, channel, buffers.opened(channel), generation);
        channel.pipeline().addLast(connection);
        if (acquisition.listener.isNeeded()) {
            connection.lend(acquisition.listener);
        } else {
            connection.returnUnused();
        }
    }

    private void openFailed(
            ServerPool serverPool, PoolAcquisition acquisition, OriginFailure failure) {
        boolean shortage = failure.isOfThisHost();
        if (shortage) {
            counts.shortages++;
        } else {
            counts.failures++;
            serverPool.counts.failures.increment();
            if (serverPool.health != null) {
                serverPool.health.recordFailure(System.nanoTime());
            }
        }
        serverPool.onClosed();
        connectNextWaiter(serverPool);
        removeIfEmpty(serverPool);
        acquisition.markTried(serverPool.server);
        // A connection to another server would need a descriptor or a port too.
        if (!shortage && acquisition.hasMore() && acquisition.listener.isNeeded()) {
            search(acquisition, false, null);
        } else {
            acquisition.listener.failed(failure);
        }
    }

    /** Opens a connection for the next waiting request, when the limit permits. */
    private void connectNextWaiter(ServerPool serverPool) {
        ServerPool.Waiter next =
                serverPool.open() < settings.maxOpen() ? serverPool.nextWaiter() : null;
        if (next != null) {
            next.onCapacity();
        }
    }

    private OriginFailure unconnected(UpstreamServer server, @Nullable Throwable cause) {
        return OriginFailure.unconnected(
                server, cause, settings.connectTimeout().toMillis());
    }

    /**
     * A listener that receives a connection that is not pooled, or the reason why there is none;
     * exactly one argument is present.
     */
    @FunctionalInterface
    public interface ConnectListener {
        void completed(@Nullable Channel channel, @Nullable OriginFailure failure);
    }

    /**
     * Opens a connection that is not pooled, for a tunnel. The channel does not read before
     * auto-read is switched on.
     */
    public void connectUnpooled(Origin origin, ConnectListener listener) {
        UpstreamServer target = origin.servers().getFirst();
        addresses.resolve(target, loop, (found, refusal) -> {
            if (found == null) {
                listener.completed(
                        null, refusal == null ? OriginFailure.unknownHost(target) : refusal);
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

    /**
     * Sends one request to a server for an active check, on its own connection and outside all
     * limits.
     */
    void probe(UpstreamServer server, OriginListener listener) {
        open(serverPool(server), new PoolAcquisition(new Origin(List.of(server)), listener));
    }

    /**
     * Removes a server without connections: a forward proxy meets any number of servers, and a
     * reload names others.
     */
    private void removeIfEmpty(ServerPool serverPool) {
        boolean lasting = serverPool.health != null && !serverPool.abandoned;
        if (!lasting
                && serverPool.open() == 0
                && serverPool.parked.isEmpty()
                && serverPool.waiting.isEmpty()) {
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
        parkedList.append(connection.deadline(), time.nanos());
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

    /** Returns a monitor for the pace of a response body. */
    BodyPace newPace(Runnable tooSlow) {
        return new BodyPace(bodies.current(), settings.leastBodyBytes()) {
            @Override
            protected void tooSlow() {
                tooSlow.run();
            }
        };
    }

    /** Applies the present limits to a body that begins now. */
    void limitPace(BodyPace pace) {
        pace.setLimit(bodies.current(), settings.leastBodyBytes());
    }

    /**
     * Returns the list in which a request waits for its origin; the request keeps it to its end.
     */
    DeadlineList awaiting() {
        return awaiting.current();
    }

    OriginCounts counts() {
        return counts;
    }

    EventLoop loop() {
        return loop;
    }

    LoopTime time() {
        return time;
    }

    /**
     * Notifies that bytes of an origin have arrived.
     *
     * @param endsSoon whether {@link #readEnds} follows in the same turn of the loop
     */
    void readBegins(boolean endsSoon) {
        time.update();
        isReading = endsSoon;
    }

    /** Notifies that the bytes of one turn are delivered. */
    void readEnds() {
        isReading = false;
        flushed.run();
    }

    /**
     * Reports whether bytes of an origin are being delivered: clients' writes are flushed at the
     * end of that, without a further call.
     */
    public boolean isReading() {
        return isReading;
    }

    /**
     * Expires connections and requests whose time is over. The loop calls it several times a
     * second.
     */
    public void sweep(long nowNanos) {
        time.set(nowNanos);
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

    /**
     * Returns the connections of this loop to the server with most connections, as of the last
     * sweep. Any thread.
     */
    public int maxOpenPerServer() {
        return maxOpenPerServer;
    }

    /** Returns the connections of this loop, as of the last sweep. Any thread. */
    public int openConnections() {
        return openConnections;
    }

    /** Returns the connections parked for reuse. On the loop. */
    public IdleList parked() {
        return parkedList;
    }
}
