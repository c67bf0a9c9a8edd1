package dev.komainu.central.store;

import static dev.komainu.central.store.SomeRecords.SECOND;
import static dev.komainu.central.store.SomeRecords.START;
import static dev.komainu.central.store.SomeRecords.batch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.central.store.RecordStore.Outcome;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.util.unit.DataSize;

class DuckStoreTest extends RecordStoreContract {

    private static final TimeRange EVER = TimeRange.all();

    @TempDir
    Path directory;

    private final SettableClock clock = new SettableClock("2026-11-21T10:00:00Z");

    @Override
    DuckStore open() {
        return new DuckStore(StoreSettings.of(directory), clock);
    }

    @Override
    void upkeep() throws Exception {
        ((DuckStore) store).runUpkeep();
    }

    private void reopen() {
        store.close();
        store = open();
    }

    @Test
    void settled_dayWithChangesInItsLog_isEmptyUntilTheFileHoldsAll() throws Exception {
        store.append(some.batch("a", 1, 50, START, SECOND));
        LocalDate day = ((DuckStore) store).days().getFirst();
        assertThat(((DuckStore) store).settled(day)).as("the newest day").isEmpty();
        clock.pass(Duration.ofHours(24));
        store.append(some.batch("a", 2, 50, START, SECOND));
        assertThat(((DuckStore) store).settled(day)).as("a day with a log").isEmpty();

        reopen();

        assertThat(((DuckStore) store).settled(day)).isPresent();
        Path copied = Files.copy(((DuckStore) store).file(day), directory.resolve("copied"));
        assertThat(DayCopies.read(copied)).isEqualTo(((DuckStore) store).rows(day));
    }

    @Test
    void copy_ofTheDayThatIsWritten_hasItsBatchesAndReadsAlone() throws Exception {
        store.append(some.batch("a", 1, 500, START, SECOND));
        LocalDate day = ((DuckStore) store).days().getFirst();
        Path copy = directory.resolve("copy");

        Map<String, Long> rows = ((DuckStore) store).copy(day, copy);
        store.append(some.batch("a", 2, 500, START, SECOND));

        assertThat(DayCopies.read(copy)).isEqualTo(rows).containsEntry("batches", 1L);
        assertThat(((DuckStore) store).rows(day)).containsEntry("batches", 2L);
        assertThat(copy.resolveSibling("copy.wal")).doesNotExist();
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {7, 11, 23, 42})
    void randomOperations_everyResultEqualsTheModels(long seed) throws Exception {
        try {
            randomOperations(seed);
        } catch (AssertionError e) {
            throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
        }
    }

    private void randomOperations(long seed) throws Exception {
        ModelStore model = new ModelStore();
        Random random = new Random(seed);
        SomeRecords some = new SomeRecords(seed);
        for (int round = 1; round <= 5; round++) {
            for (int i = 0; i < 10; i++) {
                // Some batches are late, some are repeated, some come from yesterday's file.
                Batch next = some.batch(
                        "agent" + random.nextInt(2),
                        random.nextInt(100),
                        random.nextInt(40),
                        START,
                        120 * SECOND);
                assertThat(store.append(next)).isEqualTo(model.append(next));
            }
            switch (round % 4) {
                case 3 -> clock.pass(Duration.ofHours(20));
                case 1 -> ((DuckStore) store).runUpkeep();
                case 2 -> reopen();
                default -> {}
            }
            ModelComparison.compare(store, model, random, true);
        }
    }

    @Test
    void reopened_everythingIsThereAndKnown() throws Exception {
        Batch one = some.batch("a", 1, 200, START, 60 * SECOND);
        store.append(one);
        reopen();

        assertThat(store.append(one)).isEqualTo(Outcome.DUPLICATE);
        assertThat(store.storage().batches()).isEqualTo(1);
    }

    @Test
    void manyAtOnce_eachIsCommittedBeforeItsCallerContinues() throws Exception {
        int threads = 32;
        CountDownLatch begin = new CountDownLatch(1);
        try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Outcome>> outcomes = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                // Two threads each send the same batch.
                Batch next = batch("a", i / 2, new SomeRecords(i / 2).connection(START + i / 2));
                outcomes.add(pool.submit(() -> {
                    begin.await();
                    Outcome outcome = store.append(next);
                    TelemetryRecord wanted = next.records().getFirst();
                    TimeRange range = new TimeRange(wanted.atMicros(), wanted.atMicros() + 1);
                    assertThat(store.connections(ConnectionQuery.of(List.of(), range, 10))
                                    .items())
                            .hasSize(1);
                    return outcome;
                }));
            }
            begin.countDown();
            int stored = 0;
            for (Future<Outcome> outcome : outcomes) {
                stored += outcome.get() == Outcome.STORED ? 1 : 0;
            }
            assertThat(stored).isEqualTo(threads / 2);
        }
    }

    @Test
    void retention_oldAndTooLargeFilesAreDeletedNeverToday() throws Exception {
        store.close();
        StoreSettings three = StoreSettings.of(directory).withRetention(2, DataSize.ofGigabytes(1));
        DuckStore small = new DuckStore(three, clock);
        store = small;
        for (int day = 0; day < 6; day++) {
            small.append(batch("a", day, some.connection(START + day)));
            clock.pass(Duration.ofDays(1));
        }
        small.append(batch("a", 6, some.connection(START + 6)));
        small.runUpkeep();

        assertThat(small.storage().days()).isEqualTo(3);
        assertThat(small.storage().oldest()).hasToString("2026-11-25");
        assertThat(small.connections(ConnectionQuery.of(List.of(), EVER, 10)).items())
                .hasSize(3);

        small.close();
        small = new DuckStore(three.withRetention(30, DataSize.ofBytes(1)), clock);
        store = small;
        small.runUpkeep();
        assertThat(small.storage().days()).isEqualTo(1);
        assertThat(small.connections(ConnectionQuery.of(List.of(), EVER, 10)).items())
                .hasSize(1);
    }

    @Test
    void damagedFile_isSetAsideAndTheOtherDaysStayAvailable() throws Exception {
        store.append(batch("a", 1, some.connection(START)));
        clock.pass(Duration.ofDays(1));
        store.append(batch("a", 2, some.connection(START + 1)));
        store.close();
        Files.writeString(
                directory.resolve("2026-11-21.duckdb"), "no database at all".repeat(1000));

        store = open();

        assertThat(store.storage().damagedFiles()).isEqualTo(1);
        assertThat(store.connections(ConnectionQuery.of(List.of(), EVER, 10)).items())
                .hasSize(1);
        try (var files = Files.list(directory)) {
            assertThat(files.filter(path -> path.toString().contains(".damaged-")))
                    .hasSize(1);
        }
    }

    @Test
    void secondStoreOnOneDirectory_isRefusedWithAClearLine() {
        assertThatThrownBy(this::open)
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("in use by another process");
    }

    @Test
    void closed_appendFails() {
        store.close();

        assertThatThrownBy(() -> store.append(batch("a", 1)))
                .isInstanceOf(StoreException.class)
                .hasMessage("store: closed");
        store = new ModelStore();
    }

    /** Faults drill 18: acknowledged = stored, no batch in part, roll-ups equal raw windows. */
    @Test
    void killedWhileAppending_acknowledgedBatchesAreThereAndNoneInPart() throws Exception {
        store.close();
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx128m",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        AppendsUntilKilled.class.getName(),
                        directory.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        long acknowledged = 0;
        try (BufferedReader acks = new BufferedReader(
                new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
            String line;
            while ((line = acks.readLine()) != null) {
                acknowledged = Long.parseLong(line);
                if (acknowledged == 60) {
                    // Through its handle: the pipe stays open, acknowledgements already written are
                    // read.
                    child.toHandle().destroyForcibly();
                }
            }
        }
        child.waitFor();
        assertThat(acknowledged).isGreaterThanOrEqualTo(60);

        store = new DuckStore(StoreSettings.of(directory), Clock.systemUTC());
        long stored = store.storage().batches();
        assertThat(stored).isBetween(acknowledged, acknowledged + AppendsUntilKilled.IN_FLIGHT);
        assertThat(store.append(AppendsUntilKilled.batch(acknowledged)))
                .isEqualTo(Outcome.DUPLICATE);
        assertThat(store.connections(ConnectionQuery.of(List.of(), EVER, 10_000))
                        .items())
                .as("each stored batch with all its records")
                .hasSize((int) stored * AppendsUntilKilled.CONNECTIONS);
        for (int step : new int[] {1, 10}) {
            assertThat(store.serviceWindows(List.of("web"), EVER, Duration.ofSeconds(step)).stream()
                            .mapToLong(each -> each.coveredMicros())
                            .sum())
                    .as("step %s s", step)
                    .isEqualTo(stored * SECOND);
        }
    }

    /** The process to kill: appends as fast as possible and prints each acknowledged sequence. */
    static final class AppendsUntilKilled {

        static final int CONNECTIONS = 100;
        static final int IN_FLIGHT = 1;

        static Batch batch(long sequence) {
            SomeRecords some = new SomeRecords(sequence);
            List<TelemetryRecord> records = new ArrayList<>();
            records.add(some.window("web", START + sequence * SECOND));
            for (int i = 0; i < CONNECTIONS; i++) {
                records.add(some.connection(START + sequence * SECOND + i));
            }
            return new Batch(new BatchId("victim", 1, sequence), records);
        }

        public static void main(String[] args) throws Exception {
            DuckStore store = new DuckStore(StoreSettings.of(Path.of(args[0])), Clock.systemUTC());
            for (long sequence = 1; ; sequence++) {
                store.append(batch(sequence));
                System.out.println(sequence);
                System.out.flush();
                if (sequence % 25 == 0) {
                    store.runUpkeep();
                }
            }
        }
    }
}
