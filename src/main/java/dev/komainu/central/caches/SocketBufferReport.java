package dev.komainu.central.caches;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The shares of a proxy's budget for socket buffers (its control endpoint, Buffers; spec section
 * 2).
 *
 * @param scheme kernel, fixed or equation; counts are 0 except for equation
 * @param levelBytes level up to which every demand is met
 * @param waiting clients' connections that have used up their shares
 * @param waits number of times that a connection used up its share, since start
 * @param flows some clients' connections in use
 */
public record SocketBufferReport(
        String scheme,
        long budgetBytes,
        long inUse,
        long idle,
        long inUseBytes,
        long idleBytes,
        long freeBytes,
        long levelBytes,
        long waiting,
        long waits,
        List<Flow> flows) {

    /**
     * A client's connection.
     *
     * @param bytesPerSecond rate of its path; absent when no known limit exists
     */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    public record Flow(
            String client,
            long rttMicros,
            @Nullable Long bytesPerSecond,
            long wantBytes,
            long shareBytes,
            long outstandingBytes) {}
}
