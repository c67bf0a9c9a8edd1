package dev.komainu.central.state;

import java.time.Instant;

/**
 * A threshold set for one service in place of the rule set's.
 *
 * @param service canonical id
 * @param rule id of the rule
 * @param measure the condition in that rule: each measurement occurs once in a rule
 * @param value in the index's unit
 * @param reason 1 to {@value #MOST_REASON} characters
 * @param by user or {@code token:NAME}
 * @param at time when it was set
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

    /** Returns the origin of the threshold, as shown in evidence. */
    String source() {
        return "own: set by " + by + ", " + reason;
    }
}
