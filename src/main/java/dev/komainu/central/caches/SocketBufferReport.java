package dev.komainu.central.caches;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The shares of a proxy's budget for socket buffers (its control endpoint, Buffers; spec section
 * 2).
 *
 * @param scheme kernel, fixed or equation; counts are 0 but for the last
 * @param levelBytes up to which every want is met
 * @param waiting clients' connections that have used up their shares
 * @param waits how often one did, since start
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

    /** @param bytesPerSecond of its path; absent when nothing that is known bounds it */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    public record Flow(
            String client,
            long rttMicros,
            @Nullable Long bytesPerSecond,
            long wantBytes,
            long shareBytes,
            long outstandingBytes) {}
}
