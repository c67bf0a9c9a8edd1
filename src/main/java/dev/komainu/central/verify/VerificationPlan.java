package dev.komainu.central.verify;

import java.time.Duration;
import java.time.Instant;

/**
 * The seconds that a run compares, since the epoch; the ends are exclusive. They are fixed before
 * the measurement.
 *
 * @param changed when the change was made
 * @param baselineFrom first second before it
 * @param baselineTo a little before the change, whose second is not known exactly
 * @param afterFrom first second after it that counts
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

    /** @param blur by how much the change may have been earlier than {@code changed} says */
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

    /** What is done at a second, as long as there is no verdict yet. */
    public Phase phase(long second) {
        if (second < afterFrom) {
            return Phase.SETTLING;
        }
        return second < afterTo ? Phase.MEASURING : Phase.JUDGING;
    }

    /** Until the last second that counts. */
    public long secondsLeft(long second) {
        return Math.max(0, afterTo - second);
    }
}
