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
    private static final long SHUNNED_NANOS = 10_000_000_000L;
    /**
     * How often a server in use is looked up again; its time to live decides whether that asks
     * anybody.
     */
    private static final long REFRESH_NANOS = 1_000_000_000L;

    /** A request that waits for a connection. */
    abstract static class Waiter extends DeadlineList.Entry {
        final long sinceNanos = System.nanoTime();

        abstract boolean wanted();

        abstract void served(OriginConnection connection);

        abstract void mayDial();
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
    boolean left;

    private int open;
    private final Map<InetSocketAddress, Long> shunnedUntil = new HashMap<>();
    private @Nullable List<InetSocketAddress> addresses;
    private long refreshNanos;
    private int turn;

    private final OriginConnectionListener places;

    ServerPool(
            UpstreamServer server, @Nullable ServerHealth health, OriginConnectionListener places) {
        this.places = places;
        this.server = server;
        this.health = health;
        this.counts = health == null ? new ServerCounts() : health.counts;
        this.refreshNanos = System.nanoTime() + REFRESH_NANOS;
    }

    /** Connections, those being dialled included. */
    int open() {
        return open;
    }

    void opens() {
        open++;
        counts.open.increment();
        places.onOpening();
    }

    void closes() {
        open--;
        counts.open.decrement();
        places.onClosed();
    }

    void waits(Waiter waiter) {
        waiting.add(waiter);
        counts.waiting.increment();
    }

    /** It waits no longer: in vain, or because a connection came. */
    private void waited(Waiter waiter) {
        DeadlineList.remove(waiter);
        counts.waited(System.nanoTime() - waiter.sinceNanos);
    }

    /** Its time is over. */
    void gaveUp(Waiter waiter) {
        waiting.remove(waiter);
        waited(waiter);
    }

    int load() {
        return open - parked.size() + waiting.size();
    }

    /** The next who still wants a connection; absent when nobody does. */
    @Nullable
    Waiter nextWaiter() {
        for (Waiter first = waiting.poll(); first != null; first = waiting.poll()) {
            waited(first);
            if (first.wanted()) {
                return first;
            }
        }
        return null;
    }

    /** Those who left no longer count against the bound. */
    void forgetUnwanted() {
        waiting.removeIf(waiter -> {
            boolean gone = !waiter.wanted();
            if (gone) {
                waited(waiter);
            }
            return gone;
        });
    }

    /** These are the server's addresses now. @return in the order to try them */
    List<InetSocketAddress> order(List<InetSocketAddress> now, long nowNanos) {
        addresses = now;
        shunnedUntil.values().removeIf(until -> nowNanos - until >= 0);
        return AddressOrder.of(now, turn++, shunnedUntil::containsKey);
    }

    void shun(InetSocketAddress address) {
        shunnedUntil.put(address, System.nanoTime() + SHUNNED_NANOS);
    }

    boolean wantsRefresh(long nowNanos) {
        boolean due = nowNanos - refreshNanos >= 0;
        if (due) {
            refreshNanos = nowNanos + REFRESH_NANOS;
        }
        return due;
    }

    void refreshed(List<InetSocketAddress> now) {
        addresses = now;
    }

    /** Whether the server's name still stands for this address; yes while that is not known. */
    boolean stillAt(InetSocketAddress address) {
        return addresses == null || addresses.contains(address);
    }
}
