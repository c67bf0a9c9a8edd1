package dev.komainu.telemetry.record;

/**
 * Our proxy's own counters over one window.
 *
 * @param service the proxy's service id
 * @param fromMicros start, a multiple of the length
 * @param lengthMicros one second
 * @param requests heads read complete
 * @param responses answers begun
 * @param hits served from memory, stale ones not among them
 * @param stale served stale
 * @param revalidated confirmed by the origin
 * @param collapsed waited for another's fetch
 * @param misses fetched
 * @param passes not cacheable
 * @param errors answered by the proxy itself with 4xx or 5xx
 * @param originRequests requests sent to origins, retries included
 * @param originFailures of those, without a complete answer
 * @param clientConnections open now
 * @param idleClientConnections of those, without an exchange under way
 * @param originConnections open now
 * @param idleOriginConnections of those, parked for reuse
 * @param inFlight exchanges under way now
 * @param refusedConnections closed at accept for a limit
 * @param cacheBytes bytes the cache accounts for now, everything counted
 * @param cacheBudgetBytes its cap
 * @param cacheObjects stored answers now
 * @param evictions stored answers dropped for room
 * @param sentBytes to clients
 * @param receivedFromOriginBytes from origins
 * @param exchangesNotListed exchanges counted here but not sent one by one (sampling above a rate)
 * @param hitResponse time to first byte of hits
 * @param missResponse time to first byte of everything else
 * @param originResponse time to the origin's first byte
 */
public record ProxyWindow(
        String service,
        long fromMicros,
        long lengthMicros,
        long requests,
        long responses,
        long hits,
        long stale,
        long revalidated,
        long collapsed,
        long misses,
        long passes,
        long errors,
        long originRequests,
        long originFailures,
        long clientConnections,
        long idleClientConnections,
        long originConnections,
        long idleOriginConnections,
        long inFlight,
        long refusedConnections,
        long cacheBytes,
        long cacheBudgetBytes,
        long cacheObjects,
        long evictions,
        long sentBytes,
        long receivedFromOriginBytes,
        long exchangesNotListed,
        Distribution hitResponse,
        Distribution missResponse,
        Distribution originResponse)
        implements TelemetryRecord {

    @Override
    public long atMicros() {
        return fromMicros + lengthMicros;
    }
}
