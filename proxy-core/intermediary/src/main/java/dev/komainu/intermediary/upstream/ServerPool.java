package dev.komainu.intermediary.upstream;

import dev.komainu.intermediary.connection.DeadlineList;
import dev.komainu.intermediary.connection.OriginConnectionListener;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One event loop's connections to one server, and the requests that wait for a connection.
 *
 * <pre>
 *   busy = open − parked;  no request waits while a connection is parked or open is below the limit
 * </pre>
 */
final class ServerPool {

    /** Time in which an address that did not respond is tried last. */
    private static final long AVOIDED_NANOS = 10_000_000_000L;
    /**
     * Interval of name look-ups for a server in use. The time to live of the name decides whether a
     * query is sent.
     */
    private static final long REFRESH_NANOS = 1_000_000_000L;

    /** A request that waits for a connection. */
    abstract static class Waiter extends DeadlineList.Entry {
        final long sinceNanos = System.nanoTime();

        abstract boolean isNeeded();

        abstract void onConnection(OriginConnection connection);

        abstract void onCapacity();
    }

    final UpstreamServer server;
    /** The server's name for logs; each request shows it. */
    final String name;

    final @Nullable ServerHealth health;
    final ServerCounts counts;
    final ArrayDeque<OriginConnection> parked = new ArrayDeque<>();
    final ArrayDeque<Waiter> waiting = new ArrayDeque<>(0);
    /**
     * No route names this server, or its record of health was replaced. Its connections finish
     * their requests and close.
     */
    boolean abandoned;

    private int open;
    private final Map<InetSocketAddress, Long> avoidedUntil = new HashMap<>();
    private @Nullable List<InetSocketAddress> addresses;
    private long refreshNanos;
    private int turn;

    private final OriginConnectionListener connectionListener;

    ServerPool(
            UpstreamServer server,
            @Nullable ServerHealth health,
            OriginConnectionListener connectionListener) {
        this.connectionListener = connectionListener;
        this.server = server;
        this.name = server.toString();
        this.health = health;
        this.counts = health == null ? new ServerCounts() : health.counts;
        this.refreshNanos = System.nanoTime() + REFRESH_NANOS;
    }

    /** Returns the number of connections, those being opened included. */
    int open() {
        return open;
    }

    void onOpening() {
        open++;
        counts.open.increment();
        connectionListener.onOpening();
    }

    void onClosed() {
        open--;
        counts.open.decrement();
        connectionListener.onClosed();
    }

    void enqueue(Waiter waiter) {
        waiting.add(waiter);
        counts.waiting.increment();
    }

    /** Counts a wait that ended, with a connection or without. */
    private void onDequeued(Waiter waiter) {
        DeadlineList.remove(waiter);
        counts.waitEnded(System.nanoTime() - waiter.sinceNanos);
    }

    /** Removes a request whose wait time is over. */
    void withdraw(Waiter waiter) {
        waiting.remove(waiter);
        onDequeued(waiter);
    }

    int load() {
        return open - parked.size() + waiting.size();
    }

    @Nullable
    Waiter nextWaiter() {
        for (Waiter first = waiting.poll(); first != null; first = waiting.poll()) {
            onDequeued(first);
            if (first.isNeeded()) {
                return first;
            }
        }
        return null;
    }

    /**
     * Removes the requests that need no connection any more, so that they do not count against the
     * limit.
     */
    void removeUnneeded() {
        waiting.removeIf(waiter -> {
            boolean gone = !waiter.isNeeded();
            if (gone) {
                onDequeued(waiter);
            }
            return gone;
        });
    }

    /** Stores the server's present addresses and returns them in the order to try. */
    List<InetSocketAddress> order(List<InetSocketAddress> current, long nowNanos) {
        addresses = current;
        avoidedUntil.values().removeIf(until -> nowNanos - until >= 0);
        return AddressOrder.of(current, turn++, avoidedUntil::containsKey);
    }

    void avoid(InetSocketAddress address) {
        avoidedUntil.put(address, System.nanoTime() + AVOIDED_NANOS);
    }

    boolean isRefreshDue(long nowNanos) {
        boolean due = nowNanos - refreshNanos >= 0;
        if (due) {
            refreshNanos = nowNanos + REFRESH_NANOS;
        }
        return due;
    }

    void setAddresses(List<InetSocketAddress> current) {
        addresses = current;
    }

    /**
     * Reports whether the server's name still resolves to this address; true while its addresses
     * are unknown.
     */
    boolean hasAddress(InetSocketAddress address) {
        return addresses == null || addresses.contains(address);
    }
}
