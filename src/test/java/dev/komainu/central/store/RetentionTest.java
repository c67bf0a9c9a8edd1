package dev.komainu.central.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.util.unit.DataSize;

/**
 * Tests of the deletion when the clock is set: by an hour, and by 400 days, which can happen on a
 * machine without a battery for its clock.
 */
class RetentionTest {

    private static final Duration WRONG = Duration.ofDays(400);

    @TempDir
    private Path directory;

    private final SettableClock clock = new SettableClock("2026-11-21T10:00:00Z");
    private long nanos = Long.MAX_VALUE - 5;
    private StoreSettings settings;
    private DayFiles files;
    private Retention retention;

    @BeforeEach
    void fiveDays() throws SQLException {
        settings = StoreSettings.of(directory).withRetention(30, DataSize.ofGigabytes(1));
        files = new DayFiles(settings);
        begin();
        for (int day = 0; day < 5; day++) {
            store();
            pass(Duration.ofDays(1));
        }
        store();
    }

    /** Starts the process. */
    private void begin() {
        retention = new Retention(settings, clock, () -> nanos, files);
    }

    @AfterEach
    void close() {
        files.close();
    }

    private void pass(Duration time) {
        clock.pass(time);
        nanos += time.toNanos();
    }

    /** Stores a batch. */
    private void store() throws SQLException {
        files.of(today());
    }

    private LocalDate today() {
        return LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
    }

    private List<LocalDate> days() {
        return files.all().stream().map(DayFile::day).sorted().toList();
    }

    @Test
    void clockSetByAnHour_deletesNothing() {
        for (int hours : new int[] {-1, 2, -1}) {
            clock.pass(Duration.ofHours(hours));
            retention.sweep(null);
        }
        assertThat(days()).hasSize(6);
    }

    @Test
    void clockAYearAheadAtAStart_andPutRight_deletesNothing() throws Exception {
        clock.pass(WRONG);
        begin();
        retention.sweep(null);
        store();
        pass(Duration.ofHours(20));
        store();
        retention.sweep(null);
        assertThat(days()).contains(LocalDate.parse("2026-11-21")).hasSizeGreaterThan(6);

        clock.pass(WRONG.negated());
        store();
        retention.sweep(null);

        assertThat(days()).contains(LocalDate.parse("2026-11-21"), LocalDate.parse("2026-11-26"));
    }

    @Test
    void clockAYearAheadWhileItRuns_deletesNothing() throws Exception {
        retention.sweep(null);
        clock.pass(WRONG);
        store();
        retention.sweep(null);
        pass(Duration.ofMinutes(10));
        retention.sweep(null);
        assertThat(days()).hasSize(7);
    }

    @Test
    void clockAYearBehind_andPutRight_keepsWhatIsYoung() throws Exception {
        clock.pass(WRONG.negated());
        begin();
        store();
        retention.sweep(null);
        assertThat(days()).hasSize(7);

        clock.pass(WRONG);
        retention.sweep(null);

        assertThat(days()).hasSize(6).first().isEqualTo(LocalDate.parse("2026-11-21"));
    }

    @Test
    void clockFarBehind_theBoundOnBytesHolds() throws Exception {
        settings = settings.withRetention(30, DataSize.ofBytes(1));
        clock.pass(WRONG.negated());
        begin();
        store();
        retention.sweep(null);
        assertThat(days()).containsExactly(today());
    }

    @Test
    void switchedOffForLong_deletesByAgeOnceTheClockHasAdvanced() throws Exception {
        pass(Duration.ofDays(60));
        begin();
        for (int day = 0; day < 2; day++) {
            store();
            retention.sweep(null);
            assertThat(days()).contains(LocalDate.parse("2026-11-21"));
            // The process is restarted each day.
            pass(Duration.ofDays(1));
            begin();
        }
        store();
        retention.sweep(null);
        assertThat(days()).hasSize(3);
    }

    @Test
    void nothingArrivesAnyMore_deletesByAgeAllTheSame() {
        pass(Duration.ofDays(60));
        retention.sweep(null);
        assertThat(days()).hasSize(6);
        pass(Duration.ofNanos(TimeUnit.DAYS.toNanos(1)));
        retention.sweep(null);
        assertThat(days()).isEmpty();
    }
}
