package dev.komainu.organizer.route;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class BackoffTest {

    private static final long SECOND = 1_000_000_000L;
    /** So late that the values of the clock overflow meanwhile. */
    private static final long NOW = Long.MAX_VALUE - SECOND / 2;

    /**
     * Returns the seconds until the next attempt is due, now and after each of the given number of
     * steps.
     */
    private static List<Long> waits(int steps, UnaryOperator<Backoff> step) {
        List<Long> waits = new ArrayList<>();
        Backoff backoff = Backoff.first(NOW);
        waits.add((backoff.dueNanos() - NOW) / SECOND);
        for (int i = 0; i < steps; i++) {
            backoff = step.apply(backoff);
            waits.add((backoff.dueNanos() - NOW) / SECOND);
        }
        return waits;
    }

    @Test
    void again_eachFailure_doublesTheWaitUpToFourSeconds() {
        assertThat(waits(5, backoff -> backoff.failedAgain(NOW)))
                .containsExactly(1L, 2L, 4L, 4L, 4L, 4L);
    }

    @Test
    void tried_attemptUnderWay_waitsAsLongAsBefore() {
        assertThat(waits(2, backoff -> backoff.attempted(NOW))).containsExactly(1L, 1L, 1L);
        assertThat(waits(4, backoff -> backoff.failedAgain(NOW).attempted(NOW)))
                .containsExactly(1L, 2L, 4L, 4L, 4L);
    }

    @Test
    void isDue_fromThatNanosecondOn() {
        Backoff backoff = Backoff.first(NOW);
        assertThat(backoff.isDue(NOW)).isFalse();
        assertThat(backoff.isDue(NOW + SECOND - 1)).isFalse();
        assertThat(backoff.isDue(NOW + SECOND)).isTrue();
    }
}
