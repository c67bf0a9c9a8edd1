package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.buffer.LoopBuffers;
import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.connection.CloseReason;
import dev.komainu.intermediary.connection.ConnectionSide;
import dev.komainu.intermediary.connection.DeadlineList;
import dev.komainu.intermediary.connection.DeadlineLists;
import dev.komainu.intermediary.connection.IdleList;
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
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One event loop's belongings: scratch that every request reuses, lists of who waits, its origin
 * connections, its counts. Only its loop touches it; {@link #drain} and {@link #tally} are asked
 * for by tasks on it.
 */
public final class LoopContext implements IdleLoop {

    private static final long SWEEP_MILLIS = 100;
    private static final int MOST_AT_ONCE = 64;
    private static final long LAST_CALL_MILLIS = 500;
    private static final long LINGER_NANOS = 1_000_000_000L;

    final ExchangeServices services;
    final EventLoop loop;
    final RequestHead head = new RequestHead();
    /** An HTTP/2 request as text, for {@link #head} to read. */
    final ByteBuf requestText = Unpooled.buffer(2048);

    final CacheKey key = new CacheKey();
    final ResponseHeadWriter answers;
    final FetchContext fetching;
    private final OriginPool origins;
    private final ConnectionLimits limits;
    final LoopBuffers buffers;
    final LoopTally tally = new LoopTally();
    final SweepDetector sweeps = new SweepDetector();
    /** What rules the requests that begin now. */
    RequestPolicy policy;

    AccessLogWriter access;
    final DeadlineLists heads;
    final IdleList idle;
    private final SilentClients silent;
    private final IdleEviction places;
    /** Uploads whose client sends nothing. */
    final DeadlineLists uploads;

    final DeadlineLists sending;
    final DeadlineLists bodies;
    final DeadlineLists handshakes;
    final DeadlineList lingering = new DeadlineList(LINGER_NANOS);
    final Set<ClientSession> connections = new HashSet<>();
    private final List<ClientSession> unflushed = new ArrayList<>();
    /** Absent while this proxy is a member of none. */
    private @Nullable ClusterUpstream cluster;

    private boolean flushScheduled;
    private boolean draining;
    private boolean sweptSoon;

    /**
     * Makes the worker of a loop that has no connection yet.
     *
     * @param policy what rules requests at the start
     * @param allocator of buffers to clients
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
        this.answers = new ResponseHeadWriter(services.viaName());
        this.access = policy.access().pen(tally, services.clock());
        this.heads = new DeadlineLists(policy.connections().headTimeout().toNanos());
        this.idle = new IdleList(
                ConnectionSide.CLIENT,
                policy.connections().idleTimeout().toNanos(),
                System.nanoTime(),
                limits.reclamation().counts());
        this.uploads = new DeadlineLists(policy.connections().idleTimeout().toNanos());
        this.bodies = new DeadlineLists(policy.connections().bodyWindow().toNanos());
        this.sending = new DeadlineLists(lookNanos(policy));
        this.buffers = new LoopBuffers(loop, limits.buffers());
        this.silent = new SilentClients(limits.reclamation().counts());
        this.places = new IdleEviction(loop, this, limits.reclamation(), limits.clients());
        this.origins = new OriginPool(
                loop,
                channelType,
                // Counted by the acceptor's bufferBytes beside the clients' own.
                ByteBufAllocator.DEFAULT,
                policy.upstream(),
                servers,
                limits.reclamation().counts(),
                places,
                buffers,
                tally.origin,
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
        loop.scheduleAtFixedRate(this::sweep, SWEEP_MILLIS, SWEEP_MILLIS, TimeUnit.MILLISECONDS);
    }

    private static long lookNanos(RequestPolicy policy) {
        return policy.deliver().stallTimeout().toNanos() / StallDetector.LOOKS;
    }

    /**
     * From now on this rules what begins. What is under way keeps what it began with, and what
     * waits keeps its time; only who is idle waits no longer than a newcomer would. On the loop.
     */
    public void take(RequestPolicy next) {
        RequestPolicy before = policy;
        policy = next;
        if (next.access() != before.access()) {
            access = next.access().pen(tally, services.clock());
        }
        heads.set(next.connections().headTimeout().toNanos());
        idle.set(next.connections().idleTimeout().toNanos(), System.nanoTime());
        uploads.set(next.connections().idleTimeout().toNanos());
        bodies.set(next.connections().bodyWindow().toNanos());
        sending.set(lookNanos(next));
        handshakes.set(next.handshakeTimeout().toNanos());
        origins.apply(next.upstream());
        buffers.apply(limits.buffers().settings());
    }

    /** From now on its fetches may ask the cluster; absent: no more. On the loop. */
    public void joins(@Nullable ClusterUpstream member) {
        cluster = member;
    }

    private void sweep() {
        long now = System.nanoTime();
        handshakes.expire(now);
        farewells();
        sending.expire(now);
        bodies.expire(now);
        uploads.expire(now);
        origins.sweep(now);
        idle.publish();
        tally.sweepingClients = sweeps.sweeping(now);
    }

    /**
     * Thousands that came together are due together: closing them all at once would let everybody
     * else wait.
     */
    private void farewells() {
        long now = System.nanoTime();
        boolean more = heads.expire(now, MOST_AT_ONCE);
        more |= idle.expire(
                now,
                limits.reclamation()
                        .clientIdleNanos(policy.connections().idleTimeout().toNanos()),
                MOST_AT_ONCE);
        more |= lingering.expire(now, MOST_AT_ONCE);
        if (more && !sweptSoon) {
            sweptSoon = true;
            loop.schedule(
                    () -> {
                        sweptSoon = false;
                        farewells();
                    },
                    1,
                    TimeUnit.MILLISECONDS);
        }
    }

    /** Several writes of one turn of the loop leave in one flush. */
    void flushLater(ClientSession connection) {
        unflushed.add(connection);
        if (!flushScheduled) {
            flushScheduled = true;
            loop.execute(this::flushScheduled);
        }
    }

    private void flushScheduled() {
        flushScheduled = false;
        flush();
    }

    private void flush() {
        // By index: a flush may close a connection, and what follows from that may write to
        // another.
        for (int i = 0; i < unflushed.size(); i++) {
            unflushed.get(i).flushNow();
        }
        unflushed.clear();
    }

    /**
     * Ends keep-alive: busy connections close after their answer. Idle ones are heard for a moment
     * longer, because a request may be on its way to them already: it is answered, with
     * {@code Connection: close}. What remains is the request that arrives in the very instant of
     * the close (RFC 9112 section 9.5); no byte of it is read.
     */
    public void drain() {
        draining = true;
        List.copyOf(connections).forEach(ClientSession::draining);
        long half = policy.connections().drainTimeout().toMillis() / 2;
        loop.schedule(this::closeIdle, Math.min(LAST_CALL_MILLIS, half), TimeUnit.MILLISECONDS);
    }

    private void closeIdle() {
        for (ClientSession connection : List.copyOf(connections)) {
            connection.closeIfIdle();
        }
    }

    boolean isDraining() {
        return draining;
    }

    /** Exchanges and connections still here; for the drain. */
    public int busy() {
        return connections.size() + handshakes.size();
    }

    /** A connection ended that was counted but never served. */
    public void left(InetAddress client) {
        limits.clients().leave(client);
    }

    /** Connections whose TLS handshake is not through. */
    public DeadlineList handshakes() {
        return handshakes.current();
    }

    /** This loop's part of the budget for socket buffers. */
    public LoopBuffers buffers() {
        return buffers;
    }

    /** This loop's connections to origins; on the loop only. */
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

    /** A client is here and has said nothing yet. @param hasWaited see {@link SilentClients#add} */
    void isSilent(DeadlineList.Entry client, boolean hasWaited) {
        silent.add(client, hasWaited, System.nanoTime());
        places.begin();
    }

    @Override
    public void giveWay() {
        places.begin();
    }

    @Override
    public SilentClients silent() {
        return silent;
    }

    /**
     * A client is idle from now on; where newcomers wait for a place, the one that is idle for
     * longest gives its own after this turn.
     */
    void idles(DeadlineList.Entry client, long nowNanos) {
        idle.append(client, nowNanos);
        places.begin();
    }

    /**
     * Closes some idle connections at once, for want of descriptors. @return whether any was left
     * to close
     */
    public boolean gaveUpIdle(int most) {
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
        if (idle(side).close(sinceNanos, MOST_AT_ONCE, why)) {
            loop.schedule(() -> reclaim(side, sinceNanos, why), 1, TimeUnit.MILLISECONDS);
        }
    }

    /** The loop's counters; on the loop only. */
    public LoopTally tally() {
        return tally;
    }

    /** Client connections without an exchange. */
    public int idleConnections() {
        return idle.size();
    }
}
