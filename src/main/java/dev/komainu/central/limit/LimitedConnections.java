package dev.komainu.central.limit;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The open connections of clients, each in one stage, and the limits of each stage.
 *
 * <p>A client that needs more than a stage allows costs the oldest connection of this stage, not
 * the newest: a slow or silent client holds its place only until others need it, and a client whose
 * request arrives at once is never the oldest. Connections of authenticated callers are in a stage
 * of their own and are never closed for others.
 *
 * <p>A connection is cut by a shutdown of its socket's input (and output), never by a close: its
 * thread or the poller then reads the end of the input and closes it as usual. Thread-safe; one
 * lock, under which nothing blocks.
 */
public final class LimitedConnections {

    /** The stage of a connection. */
    enum Stage {
        /** Nothing came yet. Such a connection costs least, so most of them are allowed. */
        OPENED,
        /** A thread reads a head whose bytes are there. Lasts microseconds and has no limit. */
        PROCESSING,
        /** Half a head came, or the thread of a stranger's request waits for the body. */
        UNFINISHED,
        /** A complete request without a login is answered. */
        STRANGER,
        /** An authenticated request is received or answered. */
        CALLER,
        /** No request, after at least one; the last one had no login. */
        IDLE,
        /** No request; the last one was authenticated. Agents report every second, each on one. */
        CALLER_IDLE
    }

    /** The limits of a stage, in all and for one client; a time of zero is no limit. */
    private record Limits(int all, int perClient, Duration time, Refusal beyond) {}

    private static final Map<Stage, Limits> LIMITS = new EnumMap<>(Map.of(
            Stage.OPENED,
            new Limits(
                    RequestLimit.OPENED_CONNECTIONS.value(),
                    RequestLimit.OPENED_PER_ADDRESS.value(),
                    RequestLimit.HEAD_TIME.time(),
                    Refusal.OPENED_CONNECTIONS),
            Stage.UNFINISHED,
            new Limits(
                    RequestLimit.UNFINISHED_CONNECTIONS.value(),
                    RequestLimit.UNFINISHED_PER_ADDRESS.value(),
                    RequestLimit.HEAD_TIME.time(),
                    Refusal.UNFINISHED_CONNECTIONS),
            Stage.STRANGER,
            new Limits(
                    RequestLimit.STRANGER_CONNECTIONS.value(),
                    RequestLimit.STRANGERS_PER_ADDRESS.value(),
                    RequestLimit.STRANGER_RESPONSE_TIME.time(),
                    Refusal.STRANGER_CONNECTIONS),
            Stage.IDLE,
            new Limits(
                    RequestLimit.IDLE_CONNECTIONS.value(),
                    RequestLimit.IDLE_PER_ADDRESS.value(),
                    Duration.ZERO,
                    Refusal.IDLE_CONNECTIONS),
            Stage.CALLER_IDLE,
            new Limits(
                    RequestLimit.CALLER_IDLE_CONNECTIONS.value(),
                    RequestLimit.IDLE_PER_CALLER.value(),
                    Duration.ZERO,
                    Refusal.IDLE_CONNECTIONS)));

    /** The connection whose request the current thread processes. */
    private static final ScopedValue<LimitedConnection> CURRENT = ScopedValue.newInstance();

    /** Connections that may be cut but not closed yet while new ones are accepted. */
    private static final int CLOSING = 64;

    private final Refusals refusals;
    private final Predicate<InetAddress> trusted;
    private final LongSupplier nanoTime;

    private final Map<Object, LimitedConnection> open = new ConcurrentHashMap<>();
    private final Object lock = new Object();

    /** The connections of each stage, oldest first; guarded by {@link #lock}. */
    private final Map<Stage, LinkedHashSet<LimitedConnection>> stages = new EnumMap<>(Stage.class);

    /** The connections of each stage and client, oldest first; guarded by {@link #lock}. */
    private final Map<StagedClient, LinkedHashSet<LimitedConnection>> clients = new HashMap<>();

    /** Number of connections that are cut but not closed yet; guarded by {@link #lock}. */
    private int closing;

    /** A client in a stage: its address, or between two authenticated requests its caller. */
    private record StagedClient(Stage stage, Object client) {}

    /**
     * Creates the set of connections.
     *
     * @param trusted whether an address is a trusted proxy, for which no limit per address holds
     */
    public LimitedConnections(
            Refusals refusals, Predicate<InetAddress> trusted, LongSupplier nanoTime) {
        this.refusals = refusals;
        this.trusted = trusted;
        this.nanoTime = nanoTime;
        for (Stage stage : Stage.values()) {
            stages.put(stage, new LinkedHashSet<>());
        }
    }

    /** Returns the connection whose request this thread processes; null outside a web server. */
    public static @Nullable LimitedConnection current() {
        return CURRENT.isBound() ? CURRENT.get() : null;
    }

    static ScopedValue.Carrier as(LimitedConnection connection) {
        return ScopedValue.where(CURRENT, connection);
    }

    /**
     * Adds a connection.
     *
     * @param key identity of the connection for {@link #find} and {@link #closed}
     * @param cut ends the connection's input, and its output too if the argument is true
     */
    LimitedConnection opened(Object key, InetAddress address, Cut cut) {
        LimitedConnection connection = new LimitedConnection(
                this, trusted.test(address) ? null : network(address), cut, nanoTime.getAsLong());
        open.put(key, connection);
        move(connection, Stage.OPENED);
        return connection;
    }

    @Nullable
    LimitedConnection find(Object key) {
        return open.get(key);
    }

    void closed(Object key) {
        LimitedConnection connection = open.remove(key);
        if (connection != null) {
            synchronized (lock) {
                remove(connection);
                if (connection.cutFor() != null) {
                    closing--;
                    lock.notifyAll();
                }
            }
        }
    }

    /** Ends a connection's input, and its output too if the argument is true. Does not block. */
    @FunctionalInterface
    interface Cut {
        void run(boolean outputToo);
    }

    void move(LimitedConnection connection, Stage stage) {
        List<LimitedConnection> victims = List.of();
        synchronized (lock) {
            remove(connection);
            if (connection.cutFor() != null) {
                return;
            }
            connection.enter(stage, nanoTime.getAsLong());
            SequencedSet<LimitedConnection> all = stage(stage);
            all.add(connection);
            Limits limits = LIMITS.get(stage);
            Object client = connection.client();
            if (client != null) {
                LinkedHashSet<LimitedConnection> same = clients.computeIfAbsent(
                        new StagedClient(stage, client), key -> new LinkedHashSet<>());
                same.add(connection);
                if (limits != null && same.size() > limits.perClient()) {
                    victims = List.of(mark(same.getFirst(), limits.beyond()));
                }
            }
            if (limits != null && all.size() > limits.all()) {
                victims = List.of(mark(all.getFirst(), limits.beyond()));
            }
        }
        victims.forEach(this::cut);
    }

    /**
     * Waits until few connections are cut but not closed yet, so that connections do not come
     * faster than they can go. Called by the thread that accepts connections, which accepts none
     * meanwhile.
     */
    void awaitClosing(Duration most) throws InterruptedException {
        long end = System.nanoTime() + most.toNanos();
        synchronized (lock) {
            while (closing > CLOSING && end - System.nanoTime() > 0) {
                TimeUnit.NANOSECONDS.timedWait(lock, Math.max(1, end - System.nanoTime()));
            }
        }
    }

    /** Cuts the connections whose time is over. Called about every second. */
    public void sweep() {
        List<LimitedConnection> victims = new ArrayList<>();
        long now = nanoTime.getAsLong();
        synchronized (lock) {
            LIMITS.forEach((stage, limits) -> {
                long time = limits.time().toNanos();
                SequencedSet<LimitedConnection> all = stage(stage);
                while (time > 0 && !all.isEmpty() && now - all.getFirst().since() > time) {
                    victims.add(mark(
                            all.getFirst(),
                            stage == Stage.STRANGER
                                    ? Refusal.RESPONSE_TIME
                                    : all.getFirst().inBody()
                                            ? Refusal.BODY_TIME
                                            : Refusal.HEAD_TIME));
                }
            });
        }
        victims.forEach(this::cut);
    }

    /** Returns the number of connections in a stage. */
    int count(Stage stage) {
        synchronized (lock) {
            return stage(stage).size();
        }
    }

    /** Returns the number of all open connections. */
    public int count() {
        return open.size();
    }

    private LimitedConnection mark(LimitedConnection victim, Refusal reason) {
        remove(victim);
        victim.cut(reason);
        closing++;
        return victim;
    }

    private void cut(LimitedConnection victim) {
        Refusal reason = victim.cutFor();
        if (reason != null) {
            // A late body still gets its response, 408.
            victim.cutter().run(reason != Refusal.BODY_TIME);
            if (reason != Refusal.BODY_TIME) { // counted with its response
                refusals.count(reason);
            }
        }
    }

    private void remove(LimitedConnection connection) {
        Stage stage = connection.stage();
        if (stage != null) {
            stage(stage).remove(connection);
            Object client = connection.client();
            if (client != null) {
                clients.computeIfPresent(new StagedClient(stage, client), (key, same) -> {
                    same.remove(connection);
                    return same.isEmpty() ? null : same;
                });
            }
            connection.leave();
        }
    }

    private SequencedSet<LimitedConnection> stage(Stage stage) {
        return stages.getOrDefault(stage, new LinkedHashSet<>());
    }

    /** Returns what counts as one address: an IPv4 address, or the /64 of an IPv6 address. */
    static Object network(InetAddress address) {
        return address instanceof Inet6Address
                ? ByteBuffer.wrap(address.getAddress()).getLong()
                : address;
    }
}
