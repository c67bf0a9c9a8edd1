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
 */
public record HttpExchange(
        @Nullable String method,
        @Nullable String target,
        @Nullable Integer status,
        long requestMicros,
        @Nullable Long firstByteMicros,
        @Nullable Long lastByteMicros,
        @Nullable Long responseMicros,
        @Nullable Long transferMicros) {}
