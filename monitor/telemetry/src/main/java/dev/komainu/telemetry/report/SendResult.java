package dev.komainu.telemetry.report;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What became of one attempt to send a batch. */
sealed interface SendResult {

    /**
     * The central service has it.
     *
     * @param centre which run of the central service answered; absent when it does not tell
     * @param orders signed orders that came along, unread
     * @param judged states of servers that the batch named, by address
     */
    record Stored(@Nullable String centre, List<String> orders, Map<String, String> judged)
            implements SendResult {}

    /** It will never be accepted (400, 413, 422). */
    record Poisoned(String why) implements SendResult {}

    /** The token was not accepted (401, 403). */
    record Refused(String why) implements SendResult {}

    /** Not now: 429, 503, or any other answer that is none of ours. */
    record Later(String why, Duration after) implements SendResult {}

    /** No answer. */
    record Unreachable(String why) implements SendResult {}
}
