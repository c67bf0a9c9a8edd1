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
 * What one event loop has with one server: connections open, those of them that are parked, and who
 * waits for one.
 *
 * <pre>
 *   busy = open − parked;  nobody waits while something is parked or open is below the cap
 * </pre>
 */
final class ServerPool {

    /** How long an address that did not answer is tried last. */
    private static final long AVOIDED_NANOS = 10_000_000_000L;
    /**
     * How often a server in use is looked up again; its time to live decides whether that asks
     * anybody.
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
    final @Nullable ServerHealth health;
    final ServerCounts counts;
    final ArrayDeque<OriginConnection> parked = new ArrayDeque<>();
    final ArrayDeque<Waiter> waiting = new ArrayDeque<>(0);
    /**
     * No route names this server any more, or only since then: its connections serve whom they
     * serve, and close.
     */
    boolean abandoned;

    private int open;
    private final Map<InetSocketAddress, Long> avoidedUntil = new HashMap<>();
    private @Nullable List<InetSocketAddress> addresses;
    private long refreshNanos;
    private int turn;

    private final OriginConnectionListener connectionListener;

    ServerPool(
            UpstreamServer server, @Nullable ServerHealth health, OriginConnectionListener connectionListener) {
        this.connectionListener = connectionListener;
        this.server = server;
        this.health = health;
        this.counts = health == null ? new ServerCounts() : health.counts;
        this.refreshNanos = System.nanoTime() + REFRESH_NANOS;
    }

    /** Connections, those being dialled included. */
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

    /** It waits no longer: in vain, or because a connection came. */
    private void onDequeued(Waiter waiter) {
        DeadlineList.remove(waiter);
        counts.waitEnded(System.nanoTime() - waiter.sinceNanos);
    }

    /** Its time is over. */
    void withdraw(Waiter waiter) {
        waiting.remove(waiter);
        onDequeued(waiter);
    }

    int load() {
        return open - parked.size() + waiting.size();
    }

    /** The next who still wants a connection; absent when nobody does. */
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

    /** Those who left no longer count against the bound. */
    void removeUnneeded() {
        waiting.removeIf(waiter -> {
            boolean gone = !waiter.isNeeded();
            if (gone) {
                onDequeued(waiter);
            }
            return gone;
        });
    }

    /** These are the server's addresses now. @return in the order to try them */
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

    /** Whether the server's name still stands for this address; yes while that is not known. */
    boolean hasAddress(InetSocketAddress address) {
        return addresses == null || addresses.contains(address);
    }
}
