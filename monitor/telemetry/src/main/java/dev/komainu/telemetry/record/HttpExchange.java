package dev.komainu.telemetry.record;

import org.jspecify.annotations.Nullable;

/**
 * One request and its answer on a connection, as its packets show them.
 *
 * @param method absent when the request's head was not readable (TLS, cut packets)
 * @param target path without its query, at most 256 characters
 * @param status 100 to 599
 * @param requestMicros instant of the last segment of the request
 * @param firstByteMicros instant of the first segment of the answer
 * @param lastByteMicros instant of the last segment of the answer
 * @param responseMicros T_r: first byte of the answer minus last segment of the request
 * @param transferMicros first to last data segment of the answer
 * @param acknowledgementMicros the kernel's share: the server's first acknowledgement of the
 *     request's last segment minus that segment; absent where a retransmission makes it ambiguous
 *     (Karn)
 * @param thinkMicros the server's share: T_r minus the round trip to the server, not below zero;
 *     absent where either is ambiguous
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

    /** An exchange whose T_r nothing splits. */
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
