package dev.komainu.central.indices;

import dev.komainu.telemetry.record.ProxyWindow;
import java.util.function.ToDoubleFunction;

/** What is kept of each second of our proxy's own counters; counts become rates per second. */
enum ProxyColumn {
    REQUESTS(true, w -> w.requests()),
    RESPONSES(true, w -> w.responses()),
    /** Answered without waiting for an origin's body: hits and stale ones (RFC 9211 "hit"). */
    HITS(true, w -> w.hits() + w.stale()),
    FRESH_HITS(true, w -> w.hits()),
    STALE_HITS(true, w -> w.stale()),
    /** Those that an origin's answer was awaited for, another's fetch and a confirmation included. */
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
    FETCHED_BYTES(true, w -> w.receivedFromOriginBytes());

    private final boolean rate;
    private final ToDoubleFunction<ProxyWindow> value;

    ProxyColumn(boolean rate, ToDoubleFunction<ProxyWindow> value) {
        this.rate = rate;
        this.value = value;
    }

    /** @param coveredMicros time the window tells of: its length, unless seconds of it are missing */
    double of(ProxyWindow window, long coveredMicros) {
        double seen = value.applyAsDouble(window);
        return rate ? seen * 1e6 / coveredMicros : seen;
    }
}
