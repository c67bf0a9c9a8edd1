package dev.komainu.central.indices;

import dev.komainu.telemetry.record.ProxyWindow;
import dev.komainu.telemetry.record.ProxyWindow.Buffers;
import dev.komainu.telemetry.record.ProxyWindow.Pools;
import dev.komainu.telemetry.record.ProxyWindow.Tier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The columns of each second of the proxy's own counters; counts become rates per second. */
enum ProxyColumn {
    REQUESTS(true, w -> w.exchanges().requests()),
    RESPONSES(true, w -> w.exchanges().responses()),
    /**
     * Responses without waiting for an origin's body: hits and stale responses (RFC 9211 "hit").
     */
    HITS(true, w -> w.outcomes().hits() + w.outcomes().stale()),
    FRESH_HITS(true, w -> w.outcomes().hits()),
    STALE_HITS(true, w -> w.outcomes().stale()),
    /**
     * Requests that waited for an origin's response, including the fetch of another request and a
     * revalidation.
     */
    MISSES(
            true,
            w -> w.outcomes().misses() + w.outcomes().collapsed() + w.outcomes().revalidated()),
    PASSES(true, w -> w.outcomes().passes()),
    ERRORS(true, w -> w.outcomes().errors()),
    ORIGIN_REQUESTS(true, w -> w.origins().originRequests()),
    ORIGIN_FAILURES(true, w -> w.origins().originFailures()),
    CLIENT_CONNECTIONS(false, w -> w.connections().clientConnections()),
    IDLE_CLIENT_CONNECTIONS(false, w -> w.connections().idleClientConnections()),
    ORIGIN_CONNECTIONS(false, w -> w.connections().originConnections()),
    IN_FLIGHT(false, w -> w.exchanges().inFlight()),
    REFUSED_CONNECTIONS(true, w -> w.connections().refusedConnections()),
    CACHE_BYTES(false, w -> w.cache().cacheBytes()),
    CACHE_BUDGET(false, w -> w.cache().cacheBudgetBytes()),
    CACHE_OBJECTS(false, w -> w.cache().cacheObjects()),
    EVICTIONS(true, w -> w.cache().evictions()),
    SENT_BYTES(true, w -> w.exchanges().sentBytes()),
    FETCHED_BYTES(true, w -> w.origins().receivedFromOriginBytes()),
    PROTECTED_BYTES(false, w -> of(w.cache().pools(), Pools::protectedBytes)),
    PROTECTED_TARGET(false, w -> of(w.cache().pools(), Pools::targetBytes)),
    PROTECTED_UNREFERENCED(false, w -> of(w.cache().pools(), Pools::protectedUnreferencedBytes)),
    NORMAL_BYTES(false, w -> of(w.cache().pools(), Pools::normalBytes)),
    NORMAL_UNREFERENCED(false, w -> of(w.cache().pools(), Pools::normalUnreferencedBytes)),
    PROTECTED_HITS(true, w -> of(w.cache().pools(), Pools::protectedHits)),
    PROTECTED_MISSES(true, w -> of(w.cache().pools(), Pools::protectedMisses)),
    NORMAL_HITS(true, w -> of(w.cache().pools(), Pools::normalHits)),
    NORMAL_MISSES(true, w -> of(w.cache().pools(), Pools::normalMisses)),
    DISK_BYTES(false, w -> of(w.cache().tier(), Tier::bytes)),
    DISK_PROTECTED_BYTES(false, w -> of(w.cache().tier(), Tier::protectedBytes)),
    DISK_FOUND(true, w -> of(w.cache().tier(), Tier::found)),
    DISK_NOT_FOUND(true, w -> of(w.cache().tier(), Tier::notFound)),
    DISK_WRITTEN(true, w -> of(w.cache().tier(), Tier::written)),
    PEAK(true, w -> of(w.cache().tier(), tier -> tier.peakMicros() / 1e6)),
    BUFFERS_IN_USE(false, w -> of(w.connections().buffers(), Buffers::inUseBytes)),
    BUFFERS_IDLE(false, w -> of(w.connections().buffers(), Buffers::idleBytes)),
    BUFFERS_BUDGET(false, w -> of(w.connections().buffers(), Buffers::budgetBytes)),
    BUFFERS_WAITING(false, w -> of(w.connections().buffers(), Buffers::waiting));

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
