package dev.komainu.telemetry.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests of the pauses between attempts. */
class RetryPausesTest {

    private static final Duration FIRST = Duration.ofMillis(500);
    private static final Duration MOST = Duration.ofSeconds(30);

    /** The largest number each time, so that a pause is as long as it can be. */
    private final RandomGenerator largest = new Random(1) {
        private static final long serialVersionUID = 1;

        @Override
        public long nextLong(long bound) {
            return bound - 1;
        }
    };

    private final RetryPauses pauses = new RetryPauses(FIRST, MOST, largest);

    private Duration afterFailures(int number, Duration retryAfter) {
        Duration last = Duration.ZERO;
        for (int i = 0; i < number; i++) {
            last = pauses.failed(retryAfter);
        }
        return last;
    }

    @Test
    void failed_again_doublesUpToTheLongest() {
        assertThat(pauses.failed(Duration.ZERO)).isEqualTo(Duration.ofMillis(500));
        assertThat(pauses.failed(Duration.ZERO)).isEqualTo(Duration.ofSeconds(1));
        assertThat(afterFailures(60, Duration.ZERO)).isEqualTo(MOST);
    }

    @Test
    void failed_withRetryAfter_isAtLeastThat_andNeverMuchMore() {
        assertThat(pauses.failed(Duration.ofSeconds(2))).isEqualTo(Duration.ofSeconds(2));
        assertThat(afterFailures(60, Duration.ofSeconds(2))).isEqualTo(Duration.ofSeconds(16));
    }

    @Test
    void failed_longRetryAfter_isHonouredBeyondTheLongestPause() {
        assertThat(pauses.failed(Duration.ofMinutes(5))).isEqualTo(Duration.ofMinutes(5));
    }

    @Test
    void succeeded_beginsAnew() {
        afterFailures(10, Duration.ZERO);
        assertThat(pauses.failing()).isTrue();

        pauses.succeeded();

        assertThat(pauses.failing()).isFalse();
        assertThat(pauses.failed(Duration.ZERO)).isEqualTo(FIRST);
    }

    @Test
    void failed_isSpreadOverTheSecondHalf() {
        RetryPauses spread = new RetryPauses(MOST, MOST, new Random(7));
        long distinct = IntStream.range(0, 200)
                .mapToObj(each -> spread.failed(Duration.ZERO))
                .peek(each -> assertThat(each).isBetween(MOST.dividedBy(2), MOST))
                .distinct()
                .count();

        assertThat(distinct).isGreaterThan(150);
    }
}
