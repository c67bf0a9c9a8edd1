package dev.komainu.telemetry.record;

import org.jspecify.annotations.Nullable;

/**
 * One exchange as the proxy measured it.
 *
 * @param service the proxy's service id
 * @param atMicros time of the response's last byte
 * @param client the client's address
 * @param method request method
 * @param target host and path without query, at most 256 characters
 * @param status as sent to the client
 * @param outcome the result of the cache
 * @param origin the origin server of the request; absent when none was contacted
 * @param responseMicros complete request header to first byte written
 * @param totalMicros complete request header to last byte written
 * @param originMicros request sent to the origin's first byte; absent when no origin was contacted
 * @param receivedBytes bytes received from the client
 * @param sentBytes bytes sent to the client
 */
public record ProxyExchange(
        String service,
        long atMicros,
        Endpoint client,
        String method,
        String target,
        int status,
        CacheOutcome outcome,
        @Nullable String origin,
        long responseMicros,
        long totalMicros,
        @Nullable Long originMicros,
        long receivedBytes,
        long sentBytes)
        implements TelemetryRecord {

    /**
     * The result of the cache for an exchange (RFC 9211's terms where it has one). The store keeps
     * the position of a constant in this list: the order is part of its format, and a new one comes
     * last.
     */
    public enum CacheOutcome {
        /** Served from memory. */
        HIT,
        /** Served stale while the origin was contacted or failed (RFC 5861). */
        STALE,
        /** The origin confirmed the stored response (304). */
        REVALIDATED,
        /** Waited for the fetch of the same object by another request. */
        COLLAPSED,
        /** Fetched and, if allowed, stored. */
        MISS,
        /** Not cacheable by method or response: passed through. */
        PASS,
        /** A tunnel (CONNECT). */
        TUNNEL,
        /** The proxy itself responded with an error. */
        ERROR
    }
}
