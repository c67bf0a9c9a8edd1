package dev.komainu.telemetry.report;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The result of one attempt to send a batch. */
sealed interface SendResult {

    /**
     * The central service has the batch.
     *
     * @param centralRun identity of the central service's run; absent when it reports none
     * @param orders signed orders of the response, not verified
     * @param judged states of servers that the batch named, by address
     * @param detailed services whose windows are requested by connection
     * @param revoked ids of parts that have lost their identity
     */
    record Stored(
            @Nullable String centralRun,
            List<String> orders,
            Map<String, String> judged,
            Set<String> detailed,
            Set<String> revoked)
            implements SendResult {}

    /** The batch will never be accepted (400, 413, 422). */
    record Poisoned(String reason) implements SendResult {}

    /**
     * The token or the certificate was not accepted (401, 403).
     *
     * @param certificate type of the problem with the certificate; absent: another reason
     */
    record Refused(String reason, @Nullable String certificate) implements SendResult {}

    /**
     * The batch is not accepted now: 429, 503, or any other response.
     *
     * @param after shortest wait; zero: none
     * @param asked wait that the response asked for, of several the shortest; zero: none
     * @param elsewhere whether another address may accept it
     */
    record Deferred(String reason, Duration after, Duration asked, boolean elsewhere)
            implements SendResult {}

    /** No response. */
    record Unreachable(String reason) implements SendResult {}
}
