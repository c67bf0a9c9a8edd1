package dev.komainu.central.verify;

import java.time.Duration;
import java.time.Instant;

/**
 * The seconds that a run compares, since the epoch; the ends are exclusive. They are fixed before
 * the measurement.
 *
 * @param changed time of the change
 * @param baselineFrom first second of the baseline
 * @param baselineTo end of the baseline: slightly before the change, whose second is not known
 *     exactly
 * @param afterFrom first second after the change that counts
 */
public record VerificationPlan(
        long changed, long baselineFrom, long baselineTo, long afterFrom, long afterTo) {

    /** The phase of a run at an instant. */
    public enum Phase {
        SETTLING,
        MEASURING,
        JUDGING,
        DONE;

        @com.fasterxml.jackson.annotation.JsonValue
        public String label() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    /**
     * Returns the plan for a change.
     *
     * @param blur time by which the change can have been earlier than {@code changed}
     */
    public static VerificationPlan of(
            Instant changed, Duration blur, Duration baseline, Duration settle, Duration after) {
        long at = changed.getEpochSecond();
        long baselineTo = at - blur.toSeconds();
        long afterFrom = at + settle.toSeconds();
        return new VerificationPlan(
                at,
                baselineTo - baseline.toSeconds(),
                baselineTo,
                afterFrom,
                afterFrom + after.toSeconds());
    }

    /** Returns the phase at a second of a run without a verdict. */
    public Phase phase(long second) {
        if (second < afterFrom) {
            return Phase.SETTLING;
        }
        return second < afterTo ? Phase.MEASURING : Phase.JUDGING;
    }

    /** Returns the seconds until the last one that counts. */
    public long secondsLeft(long second) {
        return Math.max(0, afterTo - second);
    }
}
