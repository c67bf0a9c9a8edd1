package dev.komainu.central.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.duckdb.DuckDBConnection;
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
    private RollUpFiles rollUps;
    private Retention retention;

    @BeforeEach
    void fiveDays() throws SQLException {
        settings = StoreSettings.of(directory).withRetention(30, DataSize.ofGigabytes(1));
        files = new DayFiles(settings);
        rollUps = new RollUpFiles(directory, files);
        begin();
        for (int day = 0; day < 5; day++) {
            store();
            pass(Duration.ofDays(1));
        }
        store();
    }

    /** Starts the process. */
    private void begin() {
        retention = new Retention(
                settings, clock, () -> nanos, new DuckDays(files, rollUps, settings.kept()));
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

    /** Rolls today's batches up: writes files without roll-ups for every length. */
    private void rollUp(DayFile file) throws SQLException, IOException {
        for (RollUpLevel level : RollUpLevel.values()) {
            Path written = directory.resolve("written");
            try (DuckDBConnection connection = files.connect();
                    Statement statement = connection.createStatement()) {
                statement.execute(
                        "COPY (SELECT 1::BIGINT AS instant) TO '" + written + "' (FORMAT parquet)");
            }
            rollUps.publish(written, RollUpFile.of(directory, level, file));
        }
    }

    private DayFile storeBatch() throws SQLException {
        DayFile file = files.of(today());
        file.addBatches(1, clock.millis() * 1_000);
        return file;
    }

    private List<LocalDate> days(RollUpLevel level) {
        return rollUps.all().stream()
                .filter(file -> file.level() == level)
                .map(RollUpFile::day)
                .sorted()
                .toList();
    }

    @Test
    void dayWithoutItsRollUps_staysWhateverItsAgeAndSize() throws Exception {
        settings = settings.withRetention(1, DataSize.ofBytes(1));
        begin();
        DayFile file = storeBatch();
        for (int day = 0; day < 4; day++) {
            pass(Duration.ofDays(1));
            store();
            retention.sweep(null);
            assertThat(days()).contains(file.day());
        }
        rollUp(file);
        file.addBatches(1, 0);
        retention.sweep(null);
        assertThat(days()).as("a batch came after the roll-up").contains(file.day());

        rollUp(file);
        retention.sweep(null);

        assertThat(days()).containsExactly(today());
        assertThat(days(RollUpLevel.MINUTE)).contains(file.day());
    }

    /** A day with data every ten days, for three and a half years. */
    @Test
    void threeYears_eachFormIsKeptForItsTime() throws Exception {
        settings = settings.withRetention(3, DataSize.ofGigabytes(1));
        begin();
        pass(Duration.ofDays(10));
        retention.sweep(null); // Finds that nothing was stored on the days before.
        pass(Duration.ofDays(1));
        retention.sweep(null);
        assertThat(days()).isEmpty();
        List<LocalDate> all = new ArrayList<>();
        for (int round = 0; round < 128; round++) {
            rollUp(storeBatch());
            all.add(today());
            for (int days : new int[] {2, 8}) {
                pass(Duration.ofDays(days));
                retention.sweep(null);
                assertKept(all, days(), 3);
                assertKept(all, days(RollUpLevel.MINUTE), 30);
                assertKept(all, days(RollUpLevel.HOUR), 1_095);
            }
        }
        assertThat(days(RollUpLevel.MINUTE)).hasSize(3);
        assertThat(days(RollUpLevel.HOUR)).hasSize(109);
        try (Stream<Path> hours = Files.list(directory.resolve("hours"))) {
            assertThat(hours).hasSize(109);
        }
    }

    private void assertKept(List<LocalDate> all, List<LocalDate> kept, int age) {
        LocalDate oldest = today().minusDays(age);
        assertThat(kept)
                .containsExactlyElementsOf(
                        all.stream().filter(day -> !day.isBefore(oldest)).toList());
    }

    @Test
    void clockAYearAhead_deletesNoRollUps() throws Exception {
        DayFile file = storeBatch();
        rollUp(file);
        files.delete(file);
        clock.pass(WRONG.multipliedBy(4));
        begin();
        retention.sweep(null);
        assertThat(days(RollUpLevel.MINUTE)).containsExactly(file.day());
        assertThat(days(RollUpLevel.HOUR)).containsExactly(file.day());
    }
}
