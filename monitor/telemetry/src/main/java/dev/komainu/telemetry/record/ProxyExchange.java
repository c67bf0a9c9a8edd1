package dev.komainu.telemetry.record;

import org.jspecify.annotations.Nullable;

/**
 * One exchange as our proxy lived it.
 *
 * @param service the proxy's service id
 * @param atMicros instant of the answer's last byte
 * @param client who asked
 * @param method request method
 * @param target host and path without query, at most 256 characters
 * @param status as sent to the client
 * @param outcome what the cache did
 * @param origin who was asked, absent when nobody
 * @param responseMicros request head complete to first byte written
 * @param totalMicros request head complete to last byte written
 * @param originMicros request sent to origin's first byte, absent when nobody was asked
 * @param receivedBytes from the client
 * @param sentBytes to the client
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

    /** What the cache did with an exchange (RFC 9211's vocabulary where it has one). */
    public enum CacheOutcome {
        /** Served from memory. */
        HIT,
        /** Served stale while the origin was asked or failing (RFC 5861). */
        STALE,
        /** The stored answer was confirmed by the origin (304). */
        REVALIDATED,
        /** Waited for somebody else's fetch of the same object. */
        COLLAPSED,
        /** Fetched and, where allowed, stored. */
        MISS,
        /** Not cacheable by method or answer: passed through. */
        PASS,
        /** A tunnel (CONNECT). */
        TUNNEL,
        /** Answered by the proxy itself with an error. */
        ERROR
    }
}
