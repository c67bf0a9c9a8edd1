package dev.komainu.proxy.peak;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PeakHistoryTest {

    private static final long DAY = 86_400_000;
    private static final long HOUR = 3_600_000;

    @TempDir
    Path directory;

    private final PeakHistory rhythm = new PeakHistory(DAY, at -> 9 * HOUR);

    /**
     * Adds a day.
     *
     * @param hour by clocks nine hours ahead of UTC
     */
    private static long at(long day, double hour) {
        return day * DAY + (long) (hour * HOUR) - 9 * HOUR;
    }

    private void day(long day, double... hours) {
        for (int hour = 0; hour < 24; hour++) {
            rhythm.arrivals(at(day, hour + 0.01), 100 + hour);
        }
        for (double hour : hours) {
            rhythm.pressed(at(day, hour), at(day, hour + 1));
        }
    }

    @Test
    void twoUsualPeaks_areExpectedInTheirOrder() {
        for (int day = 0; day < 5; day++) {
            day(day, 12 + day % 2 * 0.1, 17.5);
        }
        List<PeakHistory.Expected> next = rhythm.expected(at(5, 6));
        assertThat(next)
                .extracting(PeakHistory.Expected::atMillis)
                .startsWith(at(5, 12.0), at(5, 17.5));
        assertThat(next.getFirst().spreadMillis()).isEqualTo(HOUR / 10);
        assertThat(next.getFirst().heldFromMillis())
                .isEqualTo(at(5, 12.0) - 12 * 60_000 - 15 * 60_000);
        assertThat(next.getFirst().usualLengthMillis()).isEqualTo(HOUR);
    }

    /**
     * A peak at an hour of local time occurs an hour earlier or later by UTC from the day of the
     * change on.
     */
    @ParameterizedTest
    @CsvSource({
        // summer time starts at 01:00Z
        "2026-03-29, 12:00, 2026-03-29T00:30:00+01:00, 2026-03-29T12:00:00+02:00",
        "2026-03-29, 03:30, 2026-03-29T01:30:00+01:00, 2026-03-29T03:30:00+02:00",
        "2026-03-29, 12:00, 2026-03-28T22:00:00+01:00, 2026-03-29T12:00:00+02:00",
        // and ends at 01:00Z
        "2026-10-25, 12:00, 2026-10-25T00:30:00+02:00, 2026-10-25T12:00:00+01:00",
        // a day that not every year has
        "2028-02-29, 12:00, 2028-02-29T06:00:00+01:00, 2028-02-29T12:00:00+01:00"
    })
    void usualPeak_onTheDayOfAChange_isExpectedByLocalTime(
            LocalDate day, LocalTime shown, OffsetDateTime now, OffsetDateTime expected) {
        ZoneId berlin = ZoneId.of("Europe/Berlin");
        PeakHistory here = new PeakHistory(
                DAY,
                at -> berlin.getRules().getOffset(Instant.ofEpochMilli(at)).getTotalSeconds()
                        * 1_000L);
        for (int back = 7; back > 0; back--) {
            ZonedDateTime peak = day.minusDays(back).atTime(shown).atZone(berlin);
            for (int hour = 0; hour < 24; hour++) {
                here.arrivals(peak.withHour(hour).toInstant().toEpochMilli(), 100);
            }
            long from = peak.toInstant().toEpochMilli();
            here.pressed(from, from + HOUR);
        }

        assertThat(here.expected(now.toInstant().toEpochMilli()))
                .extracting(next -> Instant.ofEpochMilli(next.atMillis()))
                .contains(expected.toInstant());
    }

    @Test
    void peakOfOneDay_orOfFewOfThem_isNotUsual() {
        day(0, 12);
        assertThat(rhythm.expected(at(1, 6))).isEmpty();
        for (int day = 1; day < 6; day++) {
            day(day);
        }
        day(6, 12);
        assertThat(rhythm.expected(at(7, 6))).isEmpty();
    }

    @Test
    void threeSameWeekdays_countAlone() {
        for (int day = 0; day < 22; day++) {
            if (day % 7 == 0) {
                day(day, 20);
            } else {
                day(day, 12);
            }
        }
        // Day 28 is one of those with the late peak.
        for (int day = 22; day < 28; day++) {
            day(day, 12);
        }
        assertThat(rhythm.expected(at(28, 6)).getFirst().atMillis()).isEqualTo(at(28, 20));
    }

    @Test
    void daysWithoutMeasurements_doNotCountAgainst() {
        day(0, 12);
        day(1, 12);
        assertThat(rhythm.expected(at(5, 6)).getFirst().atMillis()).isEqualTo(at(5, 12));
    }

    @Test
    void usualArrivals_areTheMedianOfThatTimeOfDay() {
        day(0);
        day(1);
        rhythm.arrivals(at(2, 7.01), 10_000);
        assertThat(rhythm.usual(at(3, 7.02))).isEqualTo(new PeakHistory.Usual(107, 0, 3));
        assertThat(rhythm.usual(at(3, 7.5)).days()).isZero();
    }

    @Test
    void written_canBeRead_exceptForInvalidLines() throws Exception {
        for (int day = 0; day < 4; day++) {
            day(day, 12, 18);
        }
        Path file = directory.resolve("rhythm");
        PeakHistoryFile.write(file, rhythm);
        Files.writeString(file, "5 nonsense\n7\n", StandardOpenOption.APPEND);
        PeakHistory again = new PeakHistory(DAY, at -> 9 * HOUR);
        assertThat(PeakHistoryFile.read(file, again)).isEqualTo(2);
        assertThat(again.expected(at(4, 6))).isEqualTo(rhythm.expected(at(4, 6)));
        assertThat(again.usual(at(4, 7.01))).isEqualTo(rhythm.usual(at(4, 7.01)));
        assertThat(PeakHistoryFile.read(file, new PeakHistory(1000, at -> 0))).isEqualTo(1);
        assertThat(PeakHistoryFile.read(directory.resolve("none"), again)).isZero();
    }
}
