package dev.komainu.telemetry.record;

import org.jspecify.annotations.Nullable;

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
 * @param pools how the cache is divided; absent: the proxy does not tell
 * @param tier the disk behind the memory; absent: there is none
 * @param buffers the budget for socket buffers; absent: the kernel has them, or each has the same
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
        Distribution originResponse,
        @Nullable Pools pools,
        @Nullable Tier tier,
        @Nullable Buffers buffers)
        implements TelemetryRecord {

    /**
     * Both pools of the cache (spec section 3): what they weigh at the window's end, what they were
     * asked in it. An undivided cache is a normal pool alone.
     *
     * @param wholeBytes what both may weigh together
     * @param protectedBytes S_cur
     * @param targetBytes S_target
     * @param protectedUnreferencedBytes of stored answers that nobody used since the present period
     *     began
     * @param normalUnreferencedBytes the same of the normal pool
     * @param protectedHits answers from memory
     * @param protectedMisses look-ups that led to an origin or to the disk
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
     * The disk behind the memory.
     *
     * @param bytes of all segments at the window's end
     * @param limitBytes most there may be
     * @param records stored answers there
     * @param found answers that were brought back in the window
     * @param notFound reads that were wanted of what is there, and not had
     * @param written answers that went there in the window
     * @param peakMicros for so much of the window it was peak, and the disk closed
     * @param protectedBytes of {@code bytes}, what had priority when it was written
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
     * How the budget for socket buffers was shared at the window's end (E²-ATBT).
     *
     * @param inUseBytes shares of connections in use
     * @param idleBytes held by idle ones
     * @param waiting clients' connections that have used up their shares
     */
    public record Buffers(long budgetBytes, long inUseBytes, long idleBytes, long waiting) {}

    @Override
    public long atMicros() {
        return fromMicros + lengthMicros;
    }
}
