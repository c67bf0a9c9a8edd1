package dev.komainu.central.indices;

import dev.komainu.telemetry.record.ProxyWindow;
import dev.komainu.telemetry.record.ProxyWindow.Buffers;
import dev.komainu.telemetry.record.ProxyWindow.Pools;
import dev.komainu.telemetry.record.ProxyWindow.Tier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The columns of each second of the proxy's own counters; counts become rates per second. */
enum ProxyColumn {
    REQUESTS(true, w -> w.requests()),
    RESPONSES(true, w -> w.responses()),
    /**
     * Responses without waiting for an origin's body: hits and stale responses (RFC 9211 "hit").
     */
    HITS(true, w -> w.hits() + w.stale()),
    FRESH_HITS(true, w -> w.hits()),
    STALE_HITS(true, w -> w.stale()),
    /**
     * Requests that waited for an origin's response, including the fetch of another request and a
     * revalidation.
     */
    MISSES(true, w -> w.misses() + w.collapsed() + w.revalidated()),
    PASSES(true, w -> w.passes()),
    ERRORS(true, w -> w.errors()),
    ORIGIN_REQUESTS(true, w -> w.originRequests()),
    ORIGIN_FAILURES(true, w -> w.originFailures()),
    CLIENT_CONNECTIONS(false, w -> w.clientConnections()),
    IDLE_CLIENT_CONNECTIONS(false, w -> w.idleClientConnections()),
    ORIGIN_CONNECTIONS(false, w -> w.originConnections()),
    IN_FLIGHT(false, w -> w.inFlight()),
    REFUSED_CONNECTIONS(true, w -> w.refusedConnections()),
    CACHE_BYTES(false, w -> w.cacheBytes()),
    CACHE_BUDGET(false, w -> w.cacheBudgetBytes()),
    CACHE_OBJECTS(false, w -> w.cacheObjects()),
    EVICTIONS(true, w -> w.evictions()),
    SENT_BYTES(true, w -> w.sentBytes()),
    FETCHED_BYTES(true, w -> w.receivedFromOriginBytes()),
    PROTECTED_BYTES(false, w -> of(w.pools(), Pools::protectedBytes)),
    PROTECTED_TARGET(false, w -> of(w.pools(), Pools::targetBytes)),
    PROTECTED_UNREFERENCED(false, w -> of(w.pools(), Pools::protectedUnreferencedBytes)),
    NORMAL_BYTES(false, w -> of(w.pools(), Pools::normalBytes)),
    NORMAL_UNREFERENCED(false, w -> of(w.pools(), Pools::normalUnreferencedBytes)),
    PROTECTED_HITS(true, w -> of(w.pools(), Pools::protectedHits)),
    PROTECTED_MISSES(true, w -> of(w.pools(), Pools::protectedMisses)),
    NORMAL_HITS(true, w -> of(w.pools(), Pools::normalHits)),
    NORMAL_MISSES(true, w -> of(w.pools(), Pools::normalMisses)),
    DISK_BYTES(false, w -> of(w.tier(), Tier::bytes)),
    DISK_PROTECTED_BYTES(false, w -> of(w.tier(), Tier::protectedBytes)),
    DISK_FOUND(true, w -> of(w.tier(), Tier::found)),
    DISK_NOT_FOUND(true, w -> of(w.tier(), Tier::notFound)),
    DISK_WRITTEN(true, w -> of(w.tier(), Tier::written)),
    PEAK(true, w -> of(w.tier(), tier -> tier.peakMicros() / 1e6)),
    BUFFERS_IN_USE(false, w -> of(w.buffers(), Buffers::inUseBytes)),
    BUFFERS_IDLE(false, w -> of(w.buffers(), Buffers::idleBytes)),
    BUFFERS_BUDGET(false, w -> of(w.buffers(), Buffers::budgetBytes)),
    BUFFERS_WAITING(false, w -> of(w.buffers(), Buffers::waiting));

    private final boolean rate;
    private final ToDoubleFunction<ProxyWindow> value;

    ProxyColumn(boolean rate, ToDoubleFunction<ProxyWindow> value) {
        this.rate = rate;
        this.value = value;
    }

    /**
     * Returns a figure of an optional part; {@code NaN} when the proxy has no such part or is too
     * old to report it.
     */
    private static <T> double of(@Nullable T part, ToDoubleFunction<T> value) {
        return part == null ? Double.NaN : value.applyAsDouble(part);
    }

    /**
     * Returns the column's value in a window.
     *
     * @param coveredMicros time that the window covers: its length, unless seconds of it are
     *     missing
     */
    double of(ProxyWindow window, long coveredMicros) {
        double measured = value.applyAsDouble(window);
        return rate ? measured * 1e6 / coveredMicros : measured;
    }
}
