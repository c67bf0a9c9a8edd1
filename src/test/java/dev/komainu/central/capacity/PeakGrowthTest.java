package dev.komainu.central.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests with days of hours with a rhythm, a trend, gaps and an unusual day. */
class PeakGrowthTest {

    /** The epoch was a Thursday. */
    private static final long MONDAY = 2_943 * 7 + 4;

    private static final double[] WEEKDAYS = {1, 1, 1, 1, 1.1, 0.6, 0.5};

    private static List<HourlyLoad> hours(int days, double perDay, long seed) {
        Random random = new Random(seed);
        List<HourlyLoad> hours = new ArrayList<>();
        for (int day = 0; day < days; day++) {
            double level = (100 + perDay * day) * WEEKDAYS[day % 7];
            for (int hour = 0; hour < 24; hour++) {
                double rhythm = 0.55 - 0.45 * Math.cos((hour - 3) * Math.PI / 12);
                double peak = level * rhythm * (1 + 0.03 * random.nextGaussian());
                hours.add(new HourlyLoad((MONDAY + day) * 24 + hour, peak * 0.9, peak, 60));
            }
        }
        return hours;
    }

    private static long dayAfter(List<HourlyLoad> hours) {
        return hours.getLast().epochDay() + 1;
    }

    private static Knee knee(double low, double rate, Double high) {
        return new Knee(rate, low, high, "cpu", false, Map.of());
    }

    @Test
    void growth_weeksWithARhythm_isFoundWithinItsInterval() {
        for (int seed = 0; seed < 20; seed++) {
            List<HourlyLoad> hours = hours(35, 1, seed);

            PeakGrowth growth = PeakGrowth.of(hours, dayAfter(hours));

            assertThat(growth.perDay()).as("seed %d", seed).isCloseTo(1, within(0.25));
            assertThat(growth.low()).isLessThan(growth.perDay());
            assertThat(growth.high()).isGreaterThan(growth.perDay());
            // The busiest day of the week is the Friday.
            assertThat(growth.level()).isCloseTo(135 * 1.1, within(12.0));
        }
    }

    @Test
    void growth_oneUnusualDayAndGaps_haveNoEffect() {
        List<HourlyLoad> hours = new ArrayList<>(hours(35, 1, 7));
        PeakGrowth calm = PeakGrowth.of(hours, dayAfter(hours));
        long today = dayAfter(hours);
        hours.replaceAll(hour -> hour.epochDay() == today - 10
                ? new HourlyLoad(hour.epochHour(), hour.mean() * 20, hour.peak() * 20, 60)
                : hour);
        hours.removeIf(hour -> hour.epochDay() == today - 17 && hour.epochHour() % 24 > 8);

        PeakGrowth wild = PeakGrowth.of(hours, today);

        assertThat(wild.days()).isEqualTo(34);
        assertThat(wild.perDay()).isCloseTo(calm.perDay(), within(0.4));
    }

    @Test
    void growth_sixDays_isUnknown() {
        List<HourlyLoad> hours = hours(6, 1, 1);

        assertThat(PeakGrowth.of(hours, dayAfter(hours))).isNull();
        assertThat(PeakGrowth.dailyPeaks(hours, dayAfter(hours))).hasSize(6);
    }

    @Test
    void growth_theDayThatIsNotOver_doesNotCount() {
        List<HourlyLoad> hours = hours(8, 1, 1);

        assertThat(PeakGrowth.of(hours, hours.getLast().epochDay()).days()).isEqualTo(7);
    }

    @Test
    void reach_growingPeak_isADateWithItsInterval() {
        PeakGrowth growth = new PeakGrowth(30, 2, 1, 4, 100, 0);

        TimeToKnee reach = TimeToKnee.of(growth, knee(180, 200, 220.0));

        assertThat(reach).isEqualTo(new TimeToKnee(50L, 20L, 120L));
    }

    @Test
    void reach_shrinkingOrFarPeak_isNotWithinTwoYears() {
        assertThat(TimeToKnee.of(100, -1, -2, 0.01, knee(180, 200, 220.0)))
                .isEqualTo(new TimeToKnee(null, null, null));
        assertThat(TimeToKnee.of(100, 0.1, 0.05, 0.2, knee(180, 200, 220.0)))
                .isEqualTo(new TimeToKnee(null, 400L, null));
        assertThat(TimeToKnee.of(210, 1, 1, 1, knee(180, 200, 220.0)))
                .isEqualTo(new TimeToKnee(0L, 0L, 10L));
    }

    @Test
    void reach_kneeWithOnlyALowerBound_hasNoLatestDay() {
        Knee beyond = new Knee(200, 190, null, "beyond", true, Map.of());

        assertThat(TimeToKnee.of(100, 1, 0.5, 2, beyond))
                .isEqualTo(new TimeToKnee(null, 45L, null));
    }

    @Test
    void rhythm_weeks_isTheMedianOfEachHour() {
        List<HourlyLoad> hours = hours(21, 0, 3);

        double[] rhythm = WeeklyPattern.peaks(hours);

        assertThat(rhythm).hasSize(168);
        int monday = hours.getFirst().ofWeek();
        assertThat(monday).isZero();
        assertThat(rhythm[15]).isCloseTo(100, within(5.0));
        assertThat(rhythm[3]).isCloseTo(10, within(1.0));
        assertThat(rhythm[5 * 24 + 15]).isCloseTo(60, within(4.0));
        assertThat(WeeklyPattern.peaks(hours.subList(0, 24))[30]).isNaN();
    }
}
