package dev.komainu.proxy.peak;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.LongToDoubleFunction;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Days of two thousand seconds: usually a peak of four times the arrivals from 1,000 to 1,200. */
class PeakDecisionTest {

    private static final long DAY = 2_000;
    private static final double QUIET = 200;

    private final PeakSettings settings = new PeakSettings(
            2,
            0.6,
            Duration.ofMillis(50),
            Duration.ofMillis(20),
            Duration.ofSeconds(2),
            Duration.ofSeconds(10),
            true,
            Duration.ofSeconds(DAY));
    private final PeakHistory rhythm = new PeakHistory(DAY * 1000, at -> 0);
    private PeakDecision decision = new PeakDecision(settings, rhythm, 0);
    /** Seconds of changes, negative for changes to off-peak. */
    private final List<Long> switches = new ArrayList<>();

    private void day(long number, LongToDoubleFunction arrivals) {
        switches.clear();
        for (long second = 0; second < DAY; second++) {
            boolean switched = decision.add(new SecondReading(
                    (number * DAY + second) * 1000, arrivals.applyAsDouble(second), 0, 0, 0, 0, 1));
            if (switched) {
                switches.add(decision.now().peak() ? second : -second);
            }
        }
    }

    private static LongToDoubleFunction peak(long from) {
        return second -> second >= from && second < from + 200 ? 4 * QUIET : QUIET;
    }

    private static LongToDoubleFunction ramp(long from) {
        return second -> second < from || second > from + 240
                ? QUIET
                : QUIET * (1 + 3 * Math.min(1, (second - from) / 40.0));
    }

    private void usualDays(int count, long... offsets) {
        for (int i = 0; i < count; i++) {
            day(i, peak(1000 + (offsets.length == 0 ? 0 : offsets[i % offsets.length])));
        }
    }

    @Test
    void firstDay_nothingIsLearned_loadDecides() {
        day(0, peak(1000));
        assertThat(switches).containsExactly(1001L, -1209L);
        assertThat(decision.next(DAY * 1000)).isNull();
    }

    @Test
    void usualPeak_startsInAdvance() {
        usualDays(3);
        day(3, peak(1000));
        PeakHistory.Expected next = decision.next(4 * DAY * 1000);
        assertThat(switches).hasSize(2);
        assertThat(switches.getFirst()).isBetween(900L, 999L);
        assertThat(switches.getLast()).isEqualTo(-1209L);
        assertThat(next.atMillis()).isBetween((4 * DAY + 1000) * 1000, (4 * DAY + 1001) * 1000);
        assertThat(next.confidence()).isBetween(0.7, 1.0);
    }

    @Test
    void peakATenthOfADayEarly_startsAtOnce_andIsNotExpectedAgain() {
        usualDays(4);
        day(4, peak(800));
        assertThat(switches).containsExactly(800L, -1009L);
    }

    @Test
    void peakATenthOfADayLate_isWaitedFor_thenStartsAtOnce() {
        usualDays(4);
        day(4, peak(1200));
        assertThat(switches).hasSize(4);
        assertThat(switches.get(0)).isBetween(900L, 999L);
        assertThat(-switches.get(1)).isBetween(1010L, 1100L);
        assertThat(switches.get(2)).isEqualTo(1200L);
        assertThat(switches.get(3)).isEqualTo(-1409L);
    }

    @Test
    void varyingPeaks_startInAdvanceByTheirSpread() {
        usualDays(5, -40, 40, 0, 20, -20);
        day(5, peak(960));
        assertThat(switches.getFirst()).isLessThan(960L);
        day(6, peak(1040));
        assertThat(switches.getFirst()).isBetween(800L, 960L);
        assertThat(switches).hasSize(2);
    }

    @Test
    void dayWithoutItsPeak_endsAfterTheGrace_andDoesNotForget() {
        usualDays(4);
        day(4, second -> QUIET);
        assertThat(switches).hasSize(2);
        assertThat(switches.getFirst()).isBetween(900L, 999L);
        assertThat(-switches.getLast()).isBetween(1010L, 1100L);
        assertThat(decision.now().reason()).isEqualTo("the usual peak did not come");
        day(5, peak(1000));
        assertThat(switches.getFirst()).isBetween(900L, 999L);
    }

    @Test
    void ramp_startsAtTwiceTheUsual_andInAdvanceOnceLearned() {
        day(0, ramp(1000));
        assertThat(switches.getFirst()).isBetween(1013L, 1025L);
        day(1, ramp(1000));
        day(2, ramp(1000));
        day(3, ramp(1000));
        assertThat(switches.getFirst()).isLessThan(1000L);
        assertThat(switches).hasSize(2);
    }

    @Test
    void order_appliesAtOnce_untilItsEnd() {
        decision.add(new SecondReading(1000, QUIET, 0, 0, 0, 0, 1));
        decision.order(new PeakDecision.Order(true, 10_000));
        assertThat(decision.add(new SecondReading(2000, QUIET, 0, 0, 0, 0, 1))).isTrue();
        assertThat(decision.now().ground()).isEqualTo(PeakDecision.Ground.ORDERED);
        assertThat(decision.add(new SecondReading(9000, QUIET, 0, 0, 0, 0, 1))).isFalse();
        assertThat(decision.add(new SecondReading(10_000, QUIET, 0, 0, 0, 0, 1)))
                .isTrue();
        assertThat(decision.now().peak()).isFalse();
        assertThat(decision.order()).isNull();
        decision.order(new PeakDecision.Order(false, 1_000_000));
        for (int i = 11; i < 100; i++) {
            decision.add(new SecondReading(i * 1000L, 100_000, 100, 900, 200, 1, 900));
        }
        assertThat(decision.now().peak()).isFalse();
    }

    @Test
    void learning_off_expectsNothing() {
        usualDays(4);
        decision.reload(new PeakSettings(
                2,
                0.6,
                Duration.ofMillis(50),
                Duration.ofMillis(20),
                Duration.ofSeconds(2),
                Duration.ofSeconds(10),
                false,
                Duration.ofSeconds(DAY)));
        day(4, second -> QUIET);
        assertThat(switches).isEmpty();
        assertThat(decision.next(5 * DAY * 1000)).isNull();
    }

    /** For any readings: a peak has a minimum duration, and so has the time between two peaks. */
    @Property(tries = 60)
    void anyReadings_neverChangeFasterThanTheHysteresisAllows(
            @ForAll long seed, @ForAll @IntRange(min = 1, max = 40) int patience) {
        Random random = new Random(seed);
        PeakDecision any = new PeakDecision(settings, new PeakHistory(DAY * 1000, at -> 0), 0);
        long since = 0;
        double arrivals = QUIET;
        for (long second = 1; second < 3 * DAY; second++) {
            if (random.nextInt(patience) == 0) {
                arrivals = QUIET * Math.pow(2, random.nextInt(6) - 1);
            }
            boolean before = any.now().peak();
            boolean switched = any.add(new SecondReading(
                    second * 1000,
                    arrivals,
                    random.nextInt(20),
                    random.nextInt(80),
                    random.nextInt(50),
                    random.nextDouble(),
                    random.nextInt(30)));
            assertThat(any.now().peak() != before).isEqualTo(switched);
            if (switched) {
                assertThat(second - since).isGreaterThanOrEqualTo(before ? 10 : 2);
                since = second;
            }
        }
    }
}
