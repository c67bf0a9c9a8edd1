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

    private final OriginConnectionListener places;
    private final LoopBuffers buffers;
    private final OriginCounts counts;
    private final Runnable flushed;
    private final Map<UpstreamServer, ServerPool> lanes = new HashMap<>();
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
            OriginConnectionListener places,
            LoopBuffers buffers,
            OriginCounts counts,
            Runnable flushed) {
        this.loop = loop;
        this.settings = settings;
        this.addresses = servers.addresses();
        this.health = servers.health();
        this.tls = new OriginTls(settings.tls());
        this.places = places;
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
        for (ServerPool lane : List.copyOf(lanes.values())) {
            lane.left = lane.health != health.of(lane.server);
            for (OriginConnection connection : List.copyOf(lane.parked)) {
                if (!isWelcome(connection)) {
                    connection.discard();
                }
            }
            while (lane.parked.size() > next.maxIdle()) {
                lane.parked.peekLast().discard();
            }
            for (int room = next.maxOpen() - lane.open();
                    room > 0 && !lane.waiting.isEmpty();
                    room--) {
                dialForNext(lane);
            }
            forgetEmpty(lane);
        }
    }

    /** Whether this connection may serve another request. */
    private boolean isWelcome(OriginConnection connection) {
        ServerPool lane = connection.lane();
        return lane.stillAt(connection.address())
                && !lane.left
                && (!lane.server.secure() || connection.tlsGeneration() == tlsGeneration);
    }

    /**
     * Finds a connection and tells {@code events}.
     *
     * @param fresh not a parked one
     * @param avoid where this request failed just now: taken only when there is no other
     */
    public void acquire(
            Origin origin, boolean fresh, @Nullable UpstreamServer avoid, OriginListener events) {
        seek(new PoolAcquisition(origin, events), fresh, avoid);
    }

    private void seek(PoolAcquisition errand, boolean fresh, @Nullable UpstreamServer avoid) {
        long now = System.nanoTime();
        ServerPool lane = choose(errand, avoid, now);
        if (lane.wantsRefresh(now)) {
            refresh(lane);
        }
        while (!fresh && !lane.parked.isEmpty()) {
            OriginConnection connection = lane.parked.pop();
            counts.idleConnections--;
            if (connection.isOpen() && isWelcome(connection)) {
                connection.lend(errand.events);
                return;
            }
            connection.discard();
        }
        if (lane.open() < settings.maxOpen()) {
            open(lane, errand);
        } else {
            if (fresh && !lane.parked.isEmpty()) {
                // Its place is what this one waits for.
                lane.parked.peekLast().discard();
            }
            queue(lane, errand);
        }
    }

    private ServerPool choose(PoolAcquisition errand, @Nullable UpstreamServer avoid, long now) {
        List<UpstreamServer> servers = errand.origin.servers();
        if (servers.size() == 1) {
            return lane(servers.getFirst());
        }
        turn++;
        ServerPool best = null;
        int bestRank = Integer.MAX_VALUE;
        for (int i = 0; i < servers.size(); i++) {
            int at = Math.floorMod(turn + i, servers.size());
            if (!errand.tried(at)) {
                ServerPool lane = lane(servers.get(at));
                boolean out = lane.health != null && !lane.health.isUsable(now);
                // When all are out, any is better than none.
                int rank = Math.min(lane.load(), 1 << 20)
                        + (out ? 1 << 28 : 0)
                        + (lane.server.equals(avoid) ? 1 << 29 : 0);
                if (rank < bestRank) {
                    best = lane;
                    bestRank = rank;
                }
            }
        }
        return best == null ? lane(servers.getFirst()) : best;
    }

    private ServerPool lane(UpstreamServer server) {
        ServerPool known = lanes.get(server);
        if (known == null) {
            known = new ServerPool(server, health.of(server), places);
            lanes.put(server, known);
        }
        return known;
    }

    /** A name that moved is followed even when parked connections make dialling needless. */
    private void refresh(ServerPool lane) {
        addresses.resolve(lane.server, loop, (found, refusal) -> {
            if (found != null) {
                lane.refreshed(found);
            }
        });
    }

    private void queue(ServerPool lane, PoolAcquisition errand) {
        if (lane.waiting.size() >= settings.maxWaiting()) {
            lane.forgetUnwanted();
        }
        if (lane.waiting.size() >= settings.maxWaiting()) {
            exhausted(lane, errand, 0);
            return;
        }
        ServerPool.Waiter waiter = new ServerPool.Waiter() {
            @Override
            boolean wanted() {
                return errand.events.isNeeded();
            }

            @Override
            void served(OriginConnection connection) {
                connection.lend(errand.events);
            }

            @Override
            void mayDial() {
                open(lane, errand);
            }

            @Override
            protected void expired() {
                lane.gaveUp(this);
                exhausted(
                        lane,
                        errand,
                        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - sinceNanos));
            }
        };
        lane.waits(waiter);
        queued.current().append(waiter, waiter.sinceNanos);
    }

    private void exhausted(ServerPool lane, PoolAcquisition errand, long waitedMillis) {
        counts.failures++;
        errand.events.failed(new OriginFailure(
                503,
                "origin-limit",
                "No connection to " + lane.server + " after " + waitedMillis + " ms (open="
                        + lane.open() + ", idle=" + lane.parked.size() + ", waiting="
                        + lane.waiting.size() + ")",
                true));
    }

    private void open(ServerPool lane, PoolAcquisition errand) {
        lane.opens();
        addresses.resolve(lane.server, loop, (found, refusal) -> {
            if (found == null) {
                unopened(
                        lane,
                        errand,
                        refusal == null ? OriginFailure.unknownHost(lane.server) : refusal);
                return;
            }
            HappyEyeballsConnect.begin(
                    bootstrap,
                    loop,
                    lane.order(found, System.nanoTime()),
                    lane::shun,
                    (channel, cause) -> {
                        if (channel == null) {
                            unopened(lane, errand, unconnected(lane.server, cause));
                        } else if (lane.server.secure()) {
                            secure(lane, errand, channel);
                        } else {
                            opened(lane, errand, channel, 0);
                        }
                    });
        });
    }

    private void secure(ServerPool lane, PoolAcquisition errand, Channel channel) {
        SslHandler handler;
        int generation = tlsGeneration;
        try {
            handler = tls.handler(
                    channel.alloc(), lane.server, settings.connectTimeout().toMillis());
        } catch (SSLException | IllegalArgumentException e) {
            channel.close();
            unopened(
                    lane,
                    errand,
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
                opened(lane, errand, channel, generation);
            } else {
                channel.close();
                unopened(lane, errand, OriginTls.failure(lane.server, done.cause()));
            }
        });
    }

    private void opened(ServerPool lane, PoolAcquisition errand, Channel channel, int generation) {
        if (!channel.isActive()) {
            unopened(
                    lane,
                    errand,
                    new OriginFailure(502, "closed-early", "The origin closed at once", true));
            return;
        }
        counts.connections++;
        OriginConnection connection =
                new OriginConnection(this, lane, channel, buffers.opened(channel), generation);
        channel.pipeline().addLast(connection);
        if (errand.events.isNeeded()) {
            connection.lend(errand.events);
        } else {
            connection.returnUnused();
        }
    }

    private void unopened(ServerPool lane, PoolAcquisition errand, OriginFailure failure) {
        counts.failures++;
        lane.counts.failures.increment();
        lane.closes();
        if (lane.health != null) {
            lane.health.failed(System.nanoTime());
        }
        dialForNext(lane);
        forgetEmpty(lane);
        errand.tries(lane.server);
        if (errand.hasMore() && errand.events.isNeeded()) {
            seek(errand, false, null);
        } else {
            errand.events.failed(failure);
        }
    }

    /** A place below the cap became free. */
    private void dialForNext(ServerPool lane) {
        ServerPool.Waiter next = lane.open() < settings.maxOpen() ? lane.nextWaiter() : null;
        if (next != null) {
            next.mayDial();
        }
    }

    private OriginFailure unconnected(UpstreamServer server, @Nullable Throwable cause) {
        return OriginFailure.unconnected(
                server, cause, settings.connectTimeout().toMillis());
    }

    /** Told of a bare connection, or why there is none; exactly one argument is present. */
    @FunctionalInterface
    public interface ConnectListener {
        void done(@Nullable Channel channel, @Nullable OriginFailure failure);
    }

    /** Opens a connection that is not pooled, for a tunnel; it is not read until told so. */
    public void connectUnpooled(Origin origin, ConnectListener told) {
        UpstreamServer target = origin.servers().getFirst();
        addresses.resolve(target, loop, (found, refusal) -> {
            if (found == null) {
                told.done(null, refusal == null ? OriginFailure.unknownHost(target) : refusal);
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
                    (channel, cause) -> told.done(
                            channel, channel == null ? unconnected(target, cause) : null));
        });
    }

    /** Asks a server once, on a connection of its own beside all bounds: for an active check. */
    void probe(UpstreamServer server, OriginListener events) {
        open(lane(server), new PoolAcquisition(new Origin(List.of(server)), events));
    }

    /**
     * Forward mode meets any number of servers, and reloads name others: a lane without connections
     * is not kept.
     */
    private void forgetEmpty(ServerPool lane) {
        boolean lasting = lane.health != null && !lane.left;
        if (!lasting && lane.open() == 0 && lane.parked.isEmpty() && lane.waiting.isEmpty()) {
            lanes.remove(lane.server, lane);
        }
    }

    void park(OriginConnection connection) {
        ServerPool lane = connection.lane();
        if (!isWelcome(connection)) {
            connection.discard();
            return;
        }
        ServerPool.Waiter next = lane.nextWaiter();
        if (next != null) {
            next.served(connection);
            return;
        }
        if (lane.parked.size() >= settings.maxIdle()) {
            connection.discard();
            return;
        }
        lane.parked.push(connection);
        ReceiveShare intake = connection.receiveShare();
        if (intake != null) {
            intake.park();
        }
        counts.idleConnections++;
        parkedList.append(connection.deadline(), System.nanoTime());
        places.onIdle();
    }

    void unpark(OriginConnection connection) {
        if (connection.lane().parked.remove(connection)) {
            counts.idleConnections--;
        }
    }

    void closed(OriginConnection connection) {
        counts.connections--;
        buffers.closed(connection.receiveShare());
        ServerPool lane = connection.lane();
        lane.closes();
        dialForNext(lane);
        forgetEmpty(lane);
    }

    /** Watches whether an answer's body comes fast enough. */
    BodyPace pace(Runnable tooSlow) {
        return new BodyPace(bodies.current(), settings.leastBodyBytes()) {
            @Override
            protected void tooSlow() {
                tooSlow.run();
            }
        };
    }

    /** For a body that begins now. */
    void judge(BodyPace pace) {
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
        count();
        queued.expire(nowNanos);
        bodies.expire(nowNanos);
    }

    private void count() {
        int most = 0;
        int all = 0;
        for (ServerPool lane : lanes.values()) {
            most = Math.max(most, lane.open());
            all += lane.open();
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
