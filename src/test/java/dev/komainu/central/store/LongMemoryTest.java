package dev.komainu.central.store;

import static dev.komainu.central.store.SomeRecords.SECOND;
import static dev.komainu.central.store.SomeRecords.START;
import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.util.unit.DataSize;

/**
 * What is left of a day when its raw records are deleted: every sum equals that of the raw windows,
 * whatever interrupted the roll-up.
 */
class LongMemoryTest {

    private static final LocalDate FIRST = LocalDate.parse("2026-11-21");
    private static final long HOUR = 3_600 * SECOND;

    /** Covers all instants of the records; one that is not bounded would read the longest form. */
    private static final TimeRange TWO_DAYS = new TimeRange(START, START + 48 * HOUR);

    /** So long that the longest roll-ups are read. */
    private static final TimeRange YEAR = new TimeRange(START - 300 * 24 * HOUR, START + 48 * HOUR);

    @TempDir
    private Path directory;

    private final SettableClock clock = new SettableClock("2026-11-21T10:00:00Z");
    private final ModelStore model = new ModelStore();
    private DuckStore store;
    private long sequence;

    @BeforeEach
    void open() {
        store = new DuckStore(StoreSettings.of(directory), clock);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private void reopen() {
        store.close();
        open();
    }

    /** Stores windows of an agent in both stores. */
    private void append(String source, List<TelemetryRecord> records) throws Exception {
        Batch batch = new Batch(new BatchId(source, 1, ++sequence), records);
        store.append(batch);
        model.append(batch);
    }

    /** A minute of windows of two services and a proxy, by one agent. */
    private void minute(SomeRecords some, long from) throws Exception {
        List<TelemetryRecord> records = new ArrayList<>();
        for (int second = 0; second < 60; second += 7) {
            records.add(some.window("web:0", from + second * SECOND));
            records.add(some.window("web:1", from + second * SECOND));
            records.add(some.proxyWindow("proxy:1", from + second * SECOND));
        }
        append("agent", records);
    }

    private void dayPasses() throws Exception {
        clock.pass(Duration.ofDays(1));
        store.runUpkeep();
    }

    /** Deletes every raw day but today's. */
    private void deleteRaw() throws Exception {
        store.close();
        store = new DuckStore(
                StoreSettings.of(directory).withRetention(30, DataSize.ofBytes(1)), clock);
        store.runUpkeep();
    }

    private List<LocalDate> rawDays() {
        return store.days();
    }

    private List<String> rollUps() throws IOException {
        try (Stream<Path> minutes = Files.list(directory.resolve("minutes"));
                Stream<Path> hours = Files.list(directory.resolve("hours"))) {
            return Stream.concat(minutes, hours)
                    .map(path -> directory.relativize(path).toString())
                    .sorted()
                    .toList();
        }
    }

    private void assertEqualsModel(TimeRange range, int... steps) {
        for (int seconds : steps) {
            Duration step = Duration.ofSeconds(seconds);
            assertNearlyEqual(
                    store.serviceWindows(List.of("web:0"), range, step),
                    model.serviceWindows(List.of("web:0"), range, step));
            assertNearlyEqual(
                    store.serviceWindows(List.of("web:1", "web:0"), range, step),
                    model.serviceWindows(List.of("web:1", "web:0"), range, step),
                    // Highest values of two names are added, although they may be of different
                    // seconds.
                    "total.concurrency.concurrentMax",
                    "total.packets.capturedPackets");
            assertNearlyEqual(
                    store.proxyWindows(List.of("proxy:1"), range, step),
                    model.proxyWindows(List.of("proxy:1"), range, step),
                    // Of an instant the last value counts, and a piece has only one.
                    ".*total\\.cache\\.cache.*",
                    ".*total\\.cache\\.(pools|tier)\\.(.*[bB]ytes|records)",
                    ".*total\\.connections\\.buffers\\.(.*[bB]ytes|waiting)");
        }
    }

    private static <T> void assertNearlyEqual(
            List<T> actual, List<T> expected, String... ignoredFields) {
        assertThat(actual).isNotEmpty();
        ModelComparison.assertNearlyEqual(actual, expected, ignoredFields);
    }

    /** Late and early windows, so that hours have pieces in several days' files. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {3, 17, 29})
    void randomWindows_minutesAndHoursEqualTheSumsOfRawWindows(long seed) throws Exception {
        Random random = new Random(seed);
        SomeRecords some = new SomeRecords(seed);
        for (int day = 0; day < 2; day++) {
            for (int i = 0; i < 30; i++) {
                long minute = START + day * 24 * HOUR + random.nextInt(180) * 60 * SECOND;
                minute(some, random.nextInt(5) == 0 ? minute - 2 * HOUR : minute);
                if (random.nextInt(10) == 0) {
                    store.runUpkeep();
                }
            }
            dayPasses();
        }
        assertThat(rawDays()).hasSize(2);
        assertEqualsModel(TWO_DAYS, 60, 3_600);

        deleteRaw();

        assertThat(rawDays()).isEmpty();
        assertEqualsModel(TWO_DAYS, 60, 7_200);
        assertEqualsModel(YEAR, 3_600, 7_200); // reads hours
        long from = START + random.nextInt(150) * 60 * SECOND;
        assertEqualsModel(new TimeRange(from, from + 26 * HOUR), 60, 120);
        assertThat(store.serviceWindows(List.of("web:0"), TWO_DAYS, Duration.ofSeconds(10)))
                .as("minutes cannot be divided")
                .isEmpty();
    }

    @Test
    void minutesDeletedAndHoursKept_fittingStepIsAnHour() throws Exception {
        minute(new SomeRecords(1), START);
        dayPasses();
        assertThat(store.fittingStep(TWO_DAYS, Duration.ofSeconds(20)))
                .isEqualTo(Duration.ofSeconds(20));
        deleteRaw();
        assertThat(store.fittingStep(TWO_DAYS, Duration.ofSeconds(20)))
                .isEqualTo(Duration.ofMinutes(1));
        assertThat(store.fittingStep(TWO_DAYS, Duration.ofSeconds(130)))
                .isEqualTo(Duration.ofMinutes(3));
        store.close();
        try (Stream<Path> minutes = Files.list(directory.resolve("minutes"))) {
            for (Path file : minutes.toList()) {
                Files.delete(file);
            }
        }
        open();

        Duration step = store.fittingStep(TWO_DAYS, Duration.ofSeconds(20));

        assertThat(step).isEqualTo(Duration.ofHours(1));
        assertEqualsModel(TWO_DAYS, 3_600);
        assertThat(store.fittingStep(
                        new TimeRange(START + 30 * HOUR, START + 31 * HOUR), Duration.ofSeconds(1)))
                .as("nothing is kept there")
                .isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void rawDay_staysUntilItsRollUpsAreThere() throws Exception {
        minute(new SomeRecords(1), START);
        clock.pass(Duration.ofDays(1));
        Path hours = directory.resolve("hours");
        Files.delete(hours);
        Files.createFile(hours); // Nothing can be written below a file.
        store.runUpkeep();
        store.close();
        Files.delete(hours);
        Files.createDirectory(hours);
        StoreSettings small = StoreSettings.of(directory).withRetention(30, DataSize.ofBytes(1));

        store = new DuckStore(small, clock); // Deletes at its start what it may.

        assertThat(rawDays()).containsExactly(FIRST);
        assertThat(rollUps()).hasSize(1).first().asString().startsWith("minutes/");
        store.runUpkeep();
        assertThat(rawDays()).isEmpty();
        assertEqualsModel(TWO_DAYS, 60);
        assertEqualsModel(YEAR, 3_600);
    }

    @Test
    void crashAfterTheRollUp_theDayIsDeletedWithoutAnotherRollUp() throws Exception {
        minute(new SomeRecords(1), START);
        dayPasses();
        List<String> made = rollUps();
        assertThat(made).hasSize(2);

        deleteRaw();

        assertThat(rawDays()).isEmpty();
        assertThat(rollUps()).isEqualTo(made);
        assertEqualsModel(TWO_DAYS, 60);
        assertEqualsModel(YEAR, 3_600);
    }

    @Test
    void crashWhileRollingUp_beginsAgainAndCountsNothingTwice() throws Exception {
        SomeRecords some = new SomeRecords(1);
        minute(some, START);
        minute(some, START + 60 * SECOND);
        dayPasses();
        String minutes = rollUps().get(1);
        store.close();
        // As after a crash between the two files of a day, when an earlier roll-up was replaced.
        Files.delete(directory.resolve(rollUps().getFirst()));
        Files.copy(
                directory.resolve(minutes),
                directory.resolve(minutes.replace(".2.parquet", ".1.parquet")));
        Files.createDirectories(directory.resolve("rolling-up"));
        Files.writeString(directory.resolve("rolling-up/staged.duckdb"), "in part");

        open();

        assertThat(rollUps()).as("without the one that was replaced").containsExactly(minutes);
        store.runUpkeep();
        assertThat(rollUps()).hasSize(2);
        assertThat(directory.resolve("rolling-up")).doesNotExist();
        deleteRaw();
        assertEqualsModel(TWO_DAYS, 60);
        assertEqualsModel(YEAR, 3_600);
    }

    @Test
    void clockSetBack_laterBatchesOfADayAreRolledUpToo() throws Exception {
        SomeRecords some = new SomeRecords(1);
        minute(some, START);
        dayPasses();
        clock.pass(Duration.ofDays(-1));
        minute(some, START + 60 * SECOND);
        assertEqualsModel(TWO_DAYS, 60, 3_600);
        store.runUpkeep(); // the second minute is in the day file now, not in memory only
        assertEqualsModel(YEAR, 60, 3_600); // would read the roll-ups that lack the second minute
        dayPasses();
        assertThat(rollUps()).as("the first ones were replaced").hasSize(2);

        deleteRaw();
        assertEqualsModel(TWO_DAYS, 60, 3_600);

        // The day's file was deleted; its successor has roll-ups of its own.
        clock.pass(Duration.ofDays(-1).plusSeconds(1));
        minute(some, START + 120 * SECOND);
        assertEqualsModel(TWO_DAYS, 60, 3_600);
        dayPasses();
        assertThat(rawDays()).isEmpty();
        assertThat(rollUps()).hasSize(4);
        assertEqualsModel(TWO_DAYS, 60);
        assertEqualsModel(YEAR, 3_600);
    }

    @Test
    void damagedRollUp_isSetAsideAndMadeAgainWhileTheDayIsThere() throws Exception {
        minute(new SomeRecords(1), START);
        dayPasses();
        store.close();
        Path hours = directory.resolve(rollUps().getFirst());
        Files.writeString(hours, "no Parquet at all".repeat(100));

        open();

        assertThat(store.storage().damagedFiles()).isEqualTo(1);
        assertThat(hours).doesNotExist();
        store.runUpkeep();
        assertThat(hours).exists();
        deleteRaw();
        assertEqualsModel(TWO_DAYS, 60);
        assertEqualsModel(YEAR, 3_600);
    }

    @Test
    void damagedDay_isShownFromItsRollUps() throws Exception {
        minute(new SomeRecords(1), START);
        dayPasses();
        store.close();
        Files.writeString(directory.resolve(FIRST + ".duckdb"), "no database".repeat(1_000));

        open();

        assertEqualsModel(TWO_DAYS, 60);
        assertEqualsModel(YEAR, 3_600);
    }

    /** Seconds are not kept: the source that covers most of the minute counts as a whole. */
    @Test
    void twoSources_theOneThatCoversMostCountsAndNeverBoth() throws Exception {
        SomeRecords some = new SomeRecords(1);
        List<TelemetryRecord> whole = new ArrayList<>();
        List<TelemetryRecord> part = new ArrayList<>();
        List<TelemetryRecord> union = new ArrayList<>();
        for (int second = 0; second < 7_200; second++) {
            TelemetryRecord window = some.window("web:0", START + second * SECOND);
            whole.add(window);
            if (second % 2 == 0) {
                part.add(some.window("web:0", START + second * SECOND));
            }
            if (second >= 5_400) {
                union.add(window);
            }
        }
        append("b-whole", whole);
        append("a-part", part);
        append(SourceSelection.UNION, union);
        dayPasses();
        deleteRaw();
        ModelStore expected = new ModelStore();
        expected.append(new Batch(new BatchId("b-whole", 1, 1), whole));

        for (int seconds : new int[] {60, 3_600}) {
            Duration step = Duration.ofSeconds(seconds);
            assertNearlyEqual(
                    store.serviceWindows(List.of("web:0"), YEAR, step),
                    expected.serviceWindows(List.of("web:0"), YEAR, step));
        }
    }

    @Test
    void longRange_readsLongerRollUpsOfClosedDaysAndTheRestOfToday() throws Exception {
        SomeRecords some = new SomeRecords(1);
        minute(some, START);
        dayPasses();
        minute(some, START + 24 * HOUR);
        assertThat(StepSources.fittingStep(List.of(), List.of(), YEAR, Duration.ofSeconds(100_000)))
                .isEqualTo(Duration.ofHours(28));
        assertEqualsModel(YEAR, 60, 3_600, 86_400);
        reopen();
        assertEqualsModel(YEAR, 60, 3_600, 86_400);
    }

    @Test
    void longRange_isReadInPartsWithoutLosingOrDoublingAnHour() throws Exception {
        SomeRecords some = new SomeRecords(1);
        for (int hour = 0; hour < 24; hour++) {
            minute(some, START + hour * HOUR);
        }
        dayPasses();
        deleteRaw();
        for (long before : new long[] {0, 60, 1_000, 1_023, 1_024, 9_000}) {
            assertEqualsModel(
                    new TimeRange(START - before * HOUR, START + 24 * HOUR), 60, 3_600, 36_000);
        }
    }
}
