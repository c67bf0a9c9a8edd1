package dev.komainu.central.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.komainu.central.store.RecordStore.Outcome;
import dev.komainu.telemetry.kit.Nightly;
import dev.komainu.telemetry.kit.SmallDisk;
import dev.komainu.telemetry.record.Batch;
import java.nio.file.Path;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.awaitility.Awaitility;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A store whose disk is full, without the watch that would refuse batches before: each batch is
 * stored as a whole and once, or refused, and refused ones are stored when there is room again.
 */
class DuckStoreFullDiskTest {

    private static final int MEGABYTES = 96;
    private static final int RECORDS = 400;
    private static final int CHECKPOINTED = 30;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int ROUNDS = Nightly.isOn() ? 40 : 6;
    private static final long SEED = Long.getLong("test.seed", 20_261_129);

    @TempDir
    Path directory;

    private final SettableClock clock = new SettableClock("2026-11-21T10:00:00Z");
    private final SomeRecords records = new SomeRecords(SEED);
    private final Random random = new Random(SEED);

    @Test
    void fullDisk_refusesBatchesAsAWhole_andStoresEachOnceWhenThereIsRoom() throws Exception {
        List<Batch> refused = new ArrayList<>();
        int sequence = 0;
        try (SmallDisk disk = SmallDisk.mount(directory.resolve("disk"), MEGABYTES)) {
            StoreSettings settings = StoreSettings.of(disk.root().resolve("telemetry"));
            try (DuckStore store = new DuckStore(settings, clock)) {
                int stored = 0;
                for (int round = 0; round < ROUNDS; round++) {
                    int before = 1 + random.nextInt(20);
                    for (int n = 0; n < before; n++) {
                        assertThat(store.append(batch(++sequence))).isEqualTo(Outcome.STORED);
                        stored++;
                    }
                    disk.fill(random.nextInt(4) * (256L << 10));
                    int attempts = 0;
                    while (refused.size() < 3 && ++attempts < 2_000) {
                        Batch batch = batch(++sequence);
                        try {
                            assertThat(store.append(batch)).isEqualTo(Outcome.STORED);
                            stored++;
                        } catch (StoreException e) {
                            refused.add(batch);
                        }
                        // What DuckDB gave free is used by others, too.
                        disk.fill();
                    }
                    assertThat(refused).as("refused in round %d", round).hasSize(3);
                    if (random.nextBoolean()) {
                        upkeep(store);
                    }
                    disk.empty();
                    for (Batch batch : refused) {
                        // A commit that was reported as failed may be in the log.
                        assertThat(store.append(batch)).isIn(Outcome.STORED, Outcome.DUPLICATE);
                        stored++;
                    }
                    refused.clear();
                    checkWhole(store, stored);
                }
            }
            try (DuckStore store = new DuckStore(settings, clock)) {
                checkWhole(store, sequence);
                for (int n = 1; n <= sequence; n++) {
                    assertThat(store.append(SomeRecords.batch("agent", n)))
                            .isEqualTo(Outcome.DUPLICATE);
                }
            }
        }
    }

    @Test
    void checkpointWithoutRoom_theFileIsOpenedAgainWhenThereIsRoom() throws Exception {
        try (SmallDisk disk = SmallDisk.mount(directory.resolve("disk"), MEGABYTES)) {
            StoreSettings settings = StoreSettings.of(disk.root().resolve("telemetry"));
            DayFiles files = new DayFiles(settings);
            StoreWriter writer = StoreWriters.start(settings, clock, files, new RollUpProgress());
            try (DuckDBConnection other = files.connect()) {
                for (int n = 1; n <= CHECKPOINTED; n++) {
                    assertThat(writer.submit(batch(n)).get()).isEqualTo(Outcome.STORED);
                }
                disk.fill();
                String name = files.all().getFirst().name();
                assertThatExceptionOfType(SQLException.class)
                        .isThrownBy(() -> execute(other, "CHECKPOINT " + name));
                Batch refused = batch(CHECKPOINTED + 1);
                for (int attempt = 0; attempt < 3; attempt++) {
                    assertThat(writer.submit(refused)).failsWithin(PATIENCE);
                }
                disk.empty();
                assertThat(writer.submit(refused).get()).isEqualTo(Outcome.STORED);
                for (int n = 1; n <= CHECKPOINTED; n++) {
                    assertThat(writer.submit(batch(n)).get()).isEqualTo(Outcome.DUPLICATE);
                }
                assertThat(files.rows(files.all().getFirst()).get("batches"))
                        .isEqualTo(CHECKPOINTED + 1);
            } finally {
                writer.close();
                files.close();
            }
        }
    }

    private static void execute(DuckDBConnection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void nearlyFullDisk_deletesTheOldestDaysOnly() throws Exception {
        try (DuckStore store = new DuckStore(StoreSettings.of(directory), clock)) {
            for (int day = 0; day < 4; day++) {
                store.append(batch(day + 1));
                store.runUpkeep();
                clock.pass(Duration.ofDays(1));
            }
            store.append(batch(9));
            assertThat(days(store)).containsExactly("21", "22", "23", "24", "25");

            store.makeRoom(1);
            Awaitility.await().until(() -> store.days().size() == 4);
            assertThat(days(store)).containsExactly("22", "23", "24", "25");

            store.makeRoom(Long.MAX_VALUE);
            Awaitility.await().until(() -> store.days().size() == 1);
            assertThat(days(store)).containsExactly("25");
        }
    }

    private static List<String> days(DuckStore store) {
        return store.days().stream()
                .map(LocalDate::getDayOfMonth)
                .map(String::valueOf)
                .toList();
    }

    /** Writes roll-ups, for which there may be no room; then they stay in memory. */
    private static void upkeep(DuckStore store) throws InterruptedException {
        try {
            store.runUpkeep();
        } catch (StoreException e) {
            assertThat(e).hasMessage("store: no upkeep");
        }
    }

    private Batch batch(int sequence) {
        return records.batch(
                "agent", sequence, RECORDS, SomeRecords.START, 600 * SomeRecords.SECOND);
    }

    /** Checks that as many batches are stored, and all records of each. */
    private void checkWhole(DuckStore store, int batches) {
        assertThat(store.storage().batches()).isEqualTo(batches);
        long rows = 0;
        for (LocalDate day : store.days()) {
            for (var table : store.rows(day).entrySet()) {
                boolean isRecords = List.of("connections", "exchanges", "windows", "facts")
                        .contains(table.getKey());
                rows += isRecords ? table.getValue() : 0;
            }
            assertThat(store.rows(day)).containsKey("batches");
        }
        assertThat(rows).as("records of %d batches", batches).isEqualTo((long) batches * RECORDS);
    }
}
