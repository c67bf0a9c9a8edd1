package dev.komainu.central.ingest;

import dev.komainu.central.access.IdentityConcerns;
import dev.komainu.central.access.IdentityConcerns.Concern;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * The check of the clocks of sources. A part sends the time of its host with each batch (field
 * {@code Date}, RFC 9110 section 6.6.1); the times of the records say nothing, because a batch may
 * have waited for days. A wrong clock is told: records get wrong times, and certificates of either
 * side may count as ended. Any thread.
 */
@Component
public final class SourceClocks {

    /**
     * Difference beyond which it is told; the field has whole seconds, and a request takes time.
     */
    private static final Duration MOST = Duration.ofMinutes(1);

    private final IdentityConcerns concerns;
    private final Clock clock;

    public SourceClocks(IdentityConcerns concerns, Clock clock) {
        this.concerns = concerns;
        this.clock = clock;
    }

    /** Returns the difference of a host's clock from this one; null: no field, or none to tell. */
    @Nullable
    Duration ahead(@Nullable String date) {
        if (date == null) {
            return null;
        }
        try {
            Instant theirs = Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(date));
            Duration ahead = Duration.between(clock.instant(), theirs);
            return ahead.abs().compareTo(MOST) <= 0 ? null : ahead;
        } catch (DateTimeException e) {
            return null;
        }
    }

    /**
     * Tells a difference.
     *
     * @param ahead as {@link #ahead} returned it when the request came
     */
    void tell(String source, @Nullable Duration ahead) {
        if (ahead != null) {
            Instant now = clock.instant().truncatedTo(ChronoUnit.SECONDS);
            concerns.tell(
                    source,
                    Concern.CLOCK_DIFFERS,
                    "its host's clock is " + text(ahead) + ". This service's says " + now
                            + " (expected: less than a minute between them)",
                    now);
        }
    }

    private static String text(Duration ahead) {
        Duration rounded = ahead.abs().plusSeconds(30);
        return rounded.toHours() + " h " + rounded.toMinutesPart() + " min "
                + (ahead.isNegative() ? "behind" : "ahead");
    }
}
