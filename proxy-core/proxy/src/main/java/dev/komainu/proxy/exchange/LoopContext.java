package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.buffer.LoopBuffers;
import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.connection.CloseReason;
import dev.komainu.intermediary.connection.ConnectionSide;
import dev.komainu.intermediary.connection.DeadlineList;
import dev.komainu.intermediary.connection.DeadlineLists;
import dev.komainu.intermediary.connection.IdleList;
import dev.komainu.intermediary.connection.LoopTime;
import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.intermediary.upstream.ClusterUpstream;
import dev.komainu.intermediary.upstream.KnownServers;
import dev.komainu.intermediary.upstream.OriginPool;
import dev.komainu.proxy.connection.ConnectionLimits;
import dev.komainu.proxy.connection.IdleEviction;
import dev.komainu.proxy.connection.IdleLoop;
import dev.komainu.proxy.connection.SilentClients;
import dev.komainu.proxy.deliver.ResponseHeadWriter;
import dev.komainu.proxy.fetch.FetchContext;
import dev.komainu.proxy.log.AccessLogWriter;
import dev.komainu.proxy.tally.LoopTally;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The objects of one event loop: buffers that every request reuses, lists of waiting connections,
 * its origin connections, its counts. Only its loop uses it; other threads call {@link #drain} and
 * {@link #tally} by tasks on that loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // sweepSafely logs exceptions
public final class LoopContext implements IdleLoop {

    private static final Logger LOG = LoggerFactory.getLogger(LoopContext.class);
    private static final long SWEEP_MILLIS = 100;
    private static final int MAX_AT_ONCE = 64;
    private static final long DRAIN_GRACE_MILLIS = 500;
    private static final long LINGER_NANOS = 1_000_000_000L;

    final ExchangeServices services;
    final EventLoop loop;
    final RequestHead head = new RequestHead();
    /** An HTTP/2 request as text, for {@link #head} to parse. */
    final ByteBuf requestText = Unpooled.buffer(2048);

    final CacheKey key = new CacheKey();
    final ResponseHeadWriter headWriter;
    final FetchContext fetching;
    private final OriginPool origins;
    private final ConnectionLimits limits;
    final LoopBuffers buffers;
    final LoopTime time = new LoopTime();
    final LoopTally tally = new LoopTally();
    final SweepDetector sweeps = new SweepDetector();
    /** The policy for requests that start now. */
    RequestPolicy policy;

    AccessLogWriter access;
    final DeadlineLists heads;
    final IdleList idle;
    private final SilentClients silent;
    private final IdleEviction eviction;
    /** The uploads whose client sends nothing. */
    final DeadlineLists uploads;

    final DeadlineLists sending;
    final DeadlineLists bodies;
    final DeadlineLists handshakes;
    final DeadlineList lingering = new DeadlineList(LINGER_NANOS);
    final OpenSessions connections = new OpenSessions();
    private final List<ClientSession> unflushed = new ArrayList<>();
    /** The cluster; null while this proxy is not a member of one. */
    private @Nullable ClusterUpstream cluster;

    private boolean flushScheduled;
    private boolean draining;
    private boolean expirySoon;

    /**
     * Creates the context of a loop that has no connection yet.
     *
     * @param policy the policy for requests at the start
     * @param allocator allocates buffers to clients
     */
    public LoopContext(
            ExchangeServices services,
            ConnectionLimits limits,
            KnownServers servers,
            RequestPolicy policy,
            EventLoop loop,
            Class<? extends Channel> channelType,
            ByteBufAllocator allocator) {
        this.services = services;
        this.limits = limits;
        this.policy = policy;
        this.handshakes = new DeadlineLists(policy.handshakeTimeout().toNanos());
        this.loop = loop;
        this.headWriter = new ResponseHeadWriter(services.viaName());
        this.access = policy.access().writer(tally, services.clock());
        this.heads = new DeadlineLists(policy.connections().headTimeout().toNanos());
        this.idle = new IdleList(
                ConnectionSide.CLIENT,
                policy.connections().idleTimeout().toNanos(),
                System.nanoTime(),
                limits.reclamation().counts());
        this.uploads = new DeadlineLists(policy.connections().idleTimeout().toNanos());
        this.bodies = new DeadlineLists(policy.connections().bodyWindow().toNanos());
        this.sending = new DeadlineLists(checkNanos(policy));
        this.buffers = new LoopBuffers(loop, limits.buffers());
        this.silent = new SilentClients(limits.reclamation().counts());
        this.eviction = new IdleEviction(loop, this, limits.reclamation(), limits.clients());
        this.origins = new OriginPool(
                loop,
                channelType,
                // The acceptor's bufferBytes counts this allocator beside that of the clients.
                ByteBufAllocator.DEFAULT,
                policy.upstream(),
                servers,
                limits.reclamation().counts(),
                eviction,
                buffers,
                tally.origin,
                time,
                this::flush);
        this.fetching = new FetchContext(
                loop,
                allocator,
                services.cache(),
                services.disk(),
                origins,
                () -> cluster,
                services.clock(),
                tally,
                services.viaName(),
                () -> this.policy.forwarding());
        loop.scheduleAtFixedRate(
                this::sweepSafely, SWEEP_MILLIS, SWEEP_MILLIS, TimeUnit.MILLISECONDS);
    }

    private static long checkNanos(RequestPolicy policy) {
        return policy.deliver().stallTimeout().toNanos() / StallDetector.CHECKS;
    }

    /**
     * Applies a new policy to requests that start from now on. Exchanges in progress keep theirs,
     * and connections that wait keep their deadline; only the idle timeout of idle connections
     * becomes that of a new one. On the loop.
     */
    public void apply(RequestPolicy next) {
        RequestPolicy before = policy;
        policy = next;
        if (next.access() != before.access()) {
            access = next.access().writer(tally, services.clock());
        }
        heads.set(next.connections().headTimeout().toNanos());
        idle.set(next.connections().idleTimeout().toNanos(), System.nanoTime());
        uploads.set(next.connections().idleTimeout().toNanos());
        bodies.set(next.connections().bodyWindow().toNanos());
        sending.set(checkNanos(next));
        handshakes.set(next.handshakeTimeout().toNanos());
        origins.apply(next.upstream());
        buffers.apply(limits.buffers().settings());
    }

    /** Sets the cluster that fetches may use from now on; null for none. On the loop. */
    public void setCluster(@Nullable ClusterUpstream member) {
        cluster = member;
    }

    /** An exception would end the periodic task, and with it all timeouts of this loop. */
    private void sweepSafely() {
        try {
            sweep();
        } catch (RuntimeException e) {
            LOG.error("Some timeouts of an event loop were not checked", e);
        }
    }

    private void sweep() {
        long now = time.update();
        handshakes.expire(now);
        expireConnections();
        sending.expire(now);
        bodies.expire(now);
        uploads.expire(now);
        origins.sweep(now);
        idle.publish();
        tally.sweepingClients = sweeps.sweeping(now);
    }

    /**
     * Closes connections whose time is over, in portions. Thousands of connections that were
     * accepted together expire together: closing all of them in one turn would delay all others.
     */
    private void expireConnections() {
        long now = System.nanoTime();
        boolean more = heads.expire(now, MAX_AT_ONCE);
        more |= idle.expire(
                now,
                limits.reclamation()
                        .clientIdleNanos(policy.connections().idleTimeout().toNanos()),
                MAX_AT_ONCE);
        more |= lingering.expire(now, MAX_AT_ONCE);
        if (more && !expirySoon) {
            expirySoon = true;
            loop.schedule(
                    () -> {
                        expirySoon = false;
                        expireConnections();
                    },
                    1,
                    TimeUnit.MILLISECONDS);
        }
    }

    /** Schedules a flush. Several writes of one turn of the loop leave in one flush. */
    void flushLater(ClientSession connection) {
        unflushed.add(connection);
        if (!flushScheduled && !origins.isReading()) {
            flushScheduled = true;
            loop.execute(this::flushScheduled);
        }
    }

    private void flushScheduled() {
        flushScheduled = false;
        flush();
    }

    private void flush() {
        // By index: a flush may close a connection, and this may write to another one.
        for (int i = 0; i < unflushed.size(); i++) {
            unflushed.get(i).flushNow();
        }
        unflushed.clear();
    }

    /**
     * Ends keep-alive. Busy connections close after their response. Idle ones stay open for a
     * moment, because a request may be on its way to them already: it is served, with
     * {@code Connection: close}. A request can still arrive at the moment of the close (RFC 9112
     * section 9.5); no byte of it is read.
     */
    public void drain() {
        draining = true;
        connections.all().forEach(ClientSession::draining);
        long half = policy.connections().drainTimeout().toMillis() / 2;
        loop.schedule(this::closeIdle, Math.min(DRAIN_GRACE_MILLIS, half), TimeUnit.MILLISECONDS);
    }

    private void closeIdle() {
        for (ClientSession connection : connections.all()) {
            connection.closeIfIdle();
        }
    }

    boolean isDraining() {
        return draining;
    }

    /** Returns the number of connections that are still open, for the drain. */
    public int busy() {
        return connections.size() + handshakes.size();
    }

    /** Removes a connection that was counted from the client's count. */
    public void left(InetAddress client) {
        limits.clients().leave(client);
    }

    /** Returns the list of connections whose TLS handshake is not complete. */
    public DeadlineList handshakes() {
        return handshakes.current();
    }

    /** Returns this loop's part of the budget for socket buffers. */
    public LoopBuffers buffers() {
        return buffers;
    }

    /** Returns this loop's connections to origins; on the loop only. */
    public OriginPool origins() {
        return origins;
    }

    @Override
    public EventLoop loop() {
        return loop;
    }

    @Override
    public IdleList idle(ConnectionSide side) {
        return side == ConnectionSide.CLIENT ? idle : origins.parked();
    }

    /**
     * Adds a client that has sent nothing yet.
     *
     * @param hasWaited see {@link SilentClients#add}
     */
    void addSilent(DeadlineList.Entry client, boolean hasWaited, long nowNanos) {
        silent.add(client, hasWaited, nowNanos);
        eviction.begin();
    }

    @Override
    public void giveWay() {
        eviction.begin();
    }

    @Override
    public SilentClients silent() {
        return silent;
    }

    /**
     * Adds a client that is idle from now on. When new clients wait for a connection, the
     * connection that is idle longest is closed after this turn.
     */
    void addIdle(DeadlineList.Entry client, long nowNanos) {
        idle.append(client, nowNanos);
        eviction.begin();
    }

    /**
     * Closes some idle connections at once because descriptors are exhausted.
     *
     * @return whether any was closed
     */
    public boolean closeIdleForDescriptors(int most) {
        int closed = 0;
        if (limits.reclamation().settings().enabled()) {
            for (ConnectionSide side : ConnectionSide.values()) {
                while (closed < most && idle(side).closeOldest(CloseReason.DESCRIPTORS)) {
                    closed++;
                }
            }
        }
        return closed > 0;
    }

    @Override
    public void reclaim(ConnectionSide side, long sinceNanos, CloseReason why) {
        if (idle(side).close(sinceNanos, MAX_AT_ONCE, why)) {
            loop.schedule(() -> reclaim(side, sinceNanos, why), 1, TimeUnit.MILLISECONDS);
        }
    }

    /** Returns the loop's counters; on the loop only. */
    public LoopTally tally() {
        return tally;
    }

    /** Returns the number of client connections without an exchange. */
    public int idleConnections() {
        return idle.size();
    }
}
