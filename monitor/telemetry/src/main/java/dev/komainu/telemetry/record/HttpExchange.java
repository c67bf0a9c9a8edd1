package dev.komainu.telemetry.record;

import org.jspecify.annotations.Nullable;

/**
 * One request and its response on a connection, according to its packets.
 *
 * @param method absent when the request's head was not readable (TLS, cut packets)
 * @param target path without its query, at most 256 characters
 * @param status 100 to 599
 * @param requestMicros instant of the last segment of the request
 * @param firstByteMicros instant of the first segment of the response
 * @param lastByteMicros instant of the last segment of the response
 * @param responseMicros T_r: first byte of the response minus last segment of the request
 * @param transferMicros first to last data segment of the response
 * @param acknowledgementMicros the kernel's part: the server's first acknowledgement of the
 *     request's last segment minus that segment; absent when a retransmission makes it ambiguous
 *     (Karn)
 * @param thinkMicros the server's part: T_r minus the round trip to the server, not below zero;
 *     absent when either is ambiguous
 */
public record HttpExchange(
        @Nullable String method,
        @Nullable String target,
        @Nullable Integer status,
        long requestMicros,
        @Nullable Long firstByteMicros,
        @Nullable Long lastByteMicros,
        @Nullable Long responseMicros,
        @Nullable Long transferMicros,
        @Nullable Long acknowledgementMicros,
        @Nullable Long thinkMicros) {

    /** Creates an exchange without the parts of T_r. */
    public HttpExchange(
            @Nullable String method,
            @Nullable String target,
            @Nullable Integer status,
            long requestMicros,
            @Nullable Long firstByteMicros,
            @Nullable Long lastByteMicros,
            @Nullable Long responseMicros,
            @Nullable Long transferMicros) {
        this(
                method,
                target,
                status,
                requestMicros,
                firstByteMicros,
                lastByteMicros,
                responseMicros,
                transferMicros,
                null,
                null);
    }
}
