package dev.komainu.central.state;

import java.time.Instant;

/**
 * A threshold set for one service in place of the rule book's.
 *
 * @param service canonical id
 * @param rule the rule it belongs to
 * @param measure the condition in that rule: each measurement stands in a rule once
 * @param value in the index's unit
 * @param reason why, 1 to {@value #MOST_REASON} characters
 * @param by user or {@code token:NAME}
 * @param at when it was set
 */
public record ThresholdOverride(
        String service,
        String rule,
        String measure,
        double value,
        String reason,
        String by,
        Instant at) {

    public static final int MOST_REASON = 500;

    /** What evidence says of the threshold's origin. */
    String source() {
        return "own: set by " + by + ", " + reason;
    }
}
