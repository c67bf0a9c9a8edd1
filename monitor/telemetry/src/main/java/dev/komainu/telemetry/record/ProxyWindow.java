package dev.komainu.telemetry.record;

import org.jspecify.annotations.Nullable;

/**
 * The proxy's own counters over one window.
 *
 * @param service the proxy's service id
 * @param fromMicros start, a multiple of the length
 * @param lengthMicros one second
 * @param exchanges the exchanges with clients
 * @param outcomes the exchanges of the window by the result of the cache
 * @param origins the exchanges with origins
 * @param connections the connections with clients and with origins
 * @param cache the stored responses and the space they use
 * @param times the distributions of the times to the first byte
 */
public record ProxyWindow(
        String service,
        long fromMicros,
        long lengthMicros,
        Exchanges exchanges,
        Outcomes outcomes,
        Origins origins,
        Connections connections,
        Cache cache,
        Times times)
        implements TelemetryRecord {

    /**
     * The exchanges with clients.
     *
     * @param requests complete request headers read
     * @param responses responses begun
     * @param inFlight exchanges in progress now
     * @param sentBytes bytes sent to clients
     * @param exchangesNotListed exchanges counted here but not sent individually (sampling above a
     *     rate)
     */
    @FieldGroup
    public record Exchanges(
            long requests,
            long responses,
            long inFlight,
            long sentBytes,
            long exchangesNotListed) {}

    /**
     * The exchanges of the window by the result of the cache.
     *
     * @param hits served from memory, without stale ones
     * @param stale served stale
     * @param revalidated confirmed by the origin
     * @param collapsed waited for the fetch of another request
     * @param misses fetched
     * @param passes not cacheable
     * @param errors responses of the proxy itself with 4xx or 5xx
     */
    @FieldGroup
    public record Outcomes(
            long hits,
            long stale,
            long revalidated,
            long collapsed,
            long misses,
            long passes,
            long errors) {}

    /**
     * The exchanges with origins.
     *
     * @param originRequests requests sent to origins, including retries
     * @param originFailures requests to origins without a complete response
     * @param receivedFromOriginBytes bytes received from origins
     */
    @FieldGroup
    public record Origins(long originRequests, long originFailures, long receivedFromOriginBytes) {}

    /**
     * The connections with clients and with origins.
     *
     * @param clientConnections open now
     * @param idleClientConnections open without an exchange in progress
     * @param originConnections open now
     * @param idleOriginConnections open and idle for reuse
     * @param refusedConnections closed at accept because of a limit
     * @param buffers the budget for socket buffers; absent: the kernel manages them, or each
     *     connection has the same
     */
    @FieldGroup
    public record Connections(
            long clientConnections,
            long idleClientConnections,
            long originConnections,
            long idleOriginConnections,
            long refusedConnections,
            @Nullable Buffers buffers) {}

    /**
     * The stored responses and the space they use.
     *
     * @param cacheBytes all bytes the cache accounts for now
     * @param cacheBudgetBytes limit of these bytes
     * @param cacheObjects stored responses now
     * @param evictions stored responses evicted for space
     * @param pools division of the cache; absent: not reported
     * @param tier the disk tier below the memory; absent: there is none
     */
    @FieldGroup
    public record Cache(
            long cacheBytes,
            long cacheBudgetBytes,
            long cacheObjects,
            long evictions,
            @Nullable Pools pools,
            @Nullable Tier tier) {}

    /**
     * The distributions of the times to the first byte.
     *
     * @param hitResponse time to first byte of hits
     * @param missResponse time to first byte of everything else
     * @param originResponse time to the origin's first byte
     */
    @FieldGroup
    public record Times(
            Distribution hitResponse, Distribution missResponse, Distribution originResponse) {}

    /**
     * Both pools of the cache (spec section 3): their sizes at the window's end, their lookups in
     * the window. An undivided cache has only a normal pool.
     *
     * @param wholeBytes limit of both pools together
     * @param protectedBytes S_cur
     * @param targetBytes S_target
     * @param protectedUnreferencedBytes stored responses of the protected pool without a use since
     *     the current period began
     * @param normalUnreferencedBytes stored responses of the normal pool without a use since the
     *     current period began
     * @param protectedHits responses from memory
     * @param protectedMisses lookups that led to an origin or to the disk
     */
    public record Pools(
            long wholeBytes,
            long protectedBytes,
            long targetBytes,
            long protectedUnreferencedBytes,
            long normalBytes,
            long normalUnreferencedBytes,
            long protectedHits,
            long protectedMisses,
            long normalHits,
            long normalMisses) {}

    /**
     * The disk tier below the memory.
     *
     * @param bytes size of all segments at the window's end
     * @param limitBytes maximum of this size
     * @param records stored responses on disk
     * @param found responses read back in the window
     * @param notFound requested reads of stored responses that failed
     * @param written responses written in the window
     * @param peakMicros part of the window in peak state, with the disk closed
     * @param protectedBytes part of {@code bytes} that had priority when it was written
     */
    public record Tier(
            long bytes,
            long limitBytes,
            long records,
            long found,
            long notFound,
            long written,
            long peakMicros,
            long protectedBytes) {}

    /**
     * The division of the budget for socket buffers at the window's end (E²-ATBT).
     *
     * @param inUseBytes shares of connections in use
     * @param idleBytes shares of idle connections
     * @param waiting client connections that have used up their shares
     */
    public record Buffers(long budgetBytes, long inUseBytes, long idleBytes, long waiting) {}

    @Override
    public long atMicros() {
        return fromMicros + lengthMicros;
    }
}
