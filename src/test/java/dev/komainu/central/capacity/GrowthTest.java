package dev.komainu.central.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Days of hours with a rhythm, a trend, gaps and a wild day. */
class GrowthTest {

    /** The epoch was a Thursday. */
    private static final long MONDAY = 2_943 * 7 + 4;

    private static final double[] WEEKDAYS = {1, 1, 1, 1, 1.1, 0.6, 0.5};

    private static List<Hour> hours(int days, double perDay, long seed) {
        Random random = new Random(seed);
        List<Hour> hours = new ArrayList<>();
        for (int day = 0; day < days; day++) {
            double level = (100 + perDay * day) * WEEKDAYS[day % 7];
            for (int hour = 0; hour < 24; hour++) {
                double rhythm = 0.55 - 0.45 * Math.cos((hour - 3) * Math.PI / 12);
                double peak = level * rhythm * (1 + 0.03 * random.nextGaussian());
                hours.add(new Hour((MONDAY + day) * 24 + hour, peak * 0.9, peak, 60));
            }
        }
        return hours;
    }

    private static long dayAfter(List<Hour> hours) {
        return hours.getLast().epochDay() + 1;
    }

    private static Knee knee(double low, double rate, Double high) {
        return new Knee(rate, low, high, "cpu", false, Map.of());
    }

    @Test
    void growth_weeksWithARhythm_isFoundWithinItsInterval() {
        for (int seed = 0; seed < 20; seed++) {
            List<Hour> hours = hours(35, 1, seed);

            Growth growth = Growth.of(hours, dayAfter(hours));

            assertThat(growth.perDay()).as("seed %d", seed).isCloseTo(1, within(0.25));
            assertThat(growth.low()).isLessThan(growth.perDay());
            assertThat(growth.high()).isGreaterThan(growth.perDay());
            // The busiest day of the week is the Friday.
            assertThat(growth.level()).isCloseTo(135 * 1.1, within(12.0));
        }
    }

    @Test
    void growth_oneWildDayAndGaps_moveNothing() {
        List<Hour> hours = new ArrayList<>(hours(35, 1, 7));
        Growth calm = Growth.of(hours, dayAfter(hours));
        long today = dayAfter(hours);
        hours.replaceAll(hour -> hour.epochDay() == today - 10
                ? new Hour(hour.epochHour(), hour.mean() * 20, hour.peak() * 20, 60)
                : hour);
        hours.removeIf(hour -> hour.epochDay() == today - 17 && hour.epochHour() % 24 > 8);

        Growth wild = Growth.of(hours, today);

        assertThat(wild.days()).isEqualTo(34);
        assertThat(wild.perDay()).isCloseTo(calm.perDay(), within(0.4));
    }

    @Test
    void growth_sixDays_isNotToldYet() {
        List<Hour> hours = hours(6, 1, 1);

        assertThat(Growth.of(hours, dayAfter(hours))).isNull();
        assertThat(Growth.dailyPeaks(hours, dayAfter(hours))).hasSize(6);
    }

    @Test
    void growth_theDayThatIsNotOver_doesNotCount() {
        List<Hour> hours = hours(8, 1, 1);

        assertThat(Growth.of(hours, hours.getLast().epochDay()).days()).isEqualTo(7);
    }

    @Test
    void reach_growingPeak_isADateWithItsInterval() {
        Growth growth = new Growth(30, 2, 1, 4, 100, 0);

        Reach reach = Reach.of(growth, knee(180, 200, 220.0));

        assertThat(reach).isEqualTo(new Reach(50L, 20L, 120L));
    }

    @Test
    void reach_shrinkingOrFarPeak_isNotWithinTwoYears() {
        assertThat(Reach.of(100, -1, -2, 0.01, knee(180, 200, 220.0))).isEqualTo(new Reach(null, null, null));
        assertThat(Reach.of(100, 0.1, 0.05, 0.2, knee(180, 200, 220.0))).isEqualTo(new Reach(null, 400L, null));
        assertThat(Reach.of(210, 1, 1, 1, knee(180, 200, 220.0))).isEqualTo(new Reach(0L, 0L, 10L));
    }

    @Test
    void reach_kneeOfWhichOnlyTheLeastIsKnown_hasNoLatestDay() {
        Knee beyond = new Knee(200, 190, null, "beyond", true, Map.of());

        assertThat(Reach.of(100, 1, 0.5, 2, beyond)).isEqualTo(new Reach(null, 45L, null));
    }

    @Test
    void rhythm_weeks_isTheMedianOfEachHour() {
        List<Hour> hours = hours(21, 0, 3);

        double[] rhythm = Rhythm.peaks(hours);

        assertThat(rhythm).hasSize(168);
        int monday = hours.getFirst().ofWeek();
        assertThat(monday).isZero();
        assertThat(rhythm[15]).isCloseTo(100, within(5.0));
        assertThat(rhythm[3]).isCloseTo(10, within(1.0));
        assertThat(rhythm[5 * 24 + 15]).isCloseTo(60, within(4.0));
        assertThat(Rhythm.peaks(hours.subList(0, 24))[30]).isNaN();
    }
}
