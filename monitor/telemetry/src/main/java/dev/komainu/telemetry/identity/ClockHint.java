package dev.komainu.telemetry.identity;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** Texts about clocks that differ, with both times. Pure. */
final class ClockHint {

    /** Difference beyond which it is told. */
    private static final Duration MOST = Duration.ofMinutes(1);

    private ClockHint() {}

    /** Returns an instant to the second, in UTC. */
    static String text(Instant instant) {
        return instant.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    /** Returns the difference from the clock of the central service; null when it is small. */
    static @Nullable String between(Instant own, Instant central) {
        Duration ahead = Duration.between(central, own);
        if (ahead.abs().compareTo(MOST) <= 0) {
            return null;
        }
        Duration rounded = ahead.abs().plusSeconds(30);
        return "The clock of this host says " + text(own) + ", that of the central service "
                + text(central) + ": this host's is " + rounded.toHours() + " h "
                + rounded.toMinutesPart() + " min "
                + (ahead.isNegative() ? "behind" : "ahead")
                + " (expected: less than a minute between them)";
    }

    /** Returns a certificate's time and the clock's; null when the certificate is valid now. */
    static @Nullable String outside(String whose, Instant begins, Instant ends, Instant own) {
        if (own.isBefore(begins)) {
            return whose + " is valid only from " + text(begins)
                    + " on, and the clock of this host says " + text(own);
        }
        if (own.isAfter(ends)) {
            return whose + " ended at " + text(ends) + ", and the clock of this host says "
                    + text(own);
        }
        return null;
    }
}
