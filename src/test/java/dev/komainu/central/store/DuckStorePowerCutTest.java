package dev.komainu.central.store;

import static dev.komainu.central.store.SomeRecords.SECOND;
import static dev.komainu.central.store.SomeRecords.START;
import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.store.RecordStore.Outcome;
import dev.komainu.telemetry.kit.DiskHistory;
import dev.komainu.telemetry.kit.PowerCuts;
import dev.komainu.telemetry.kit.RecordedDisk;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Loss of power while batches are stored: each acknowledged batch is in its day as a whole and is
 * known by its name, and no other batch than the one under way. A day file may be set aside when
 * its creation was under way. Roll-ups have every window once.
 */
class DuckStorePowerCutTest {

    private static final int SESSIONS = 3;
    private static final int OF_SESSION = 20;

    @TempDir
    Path work;

    private final SettableClock clock = new SettableClock("2026-11-21T10:00:00Z");

    @Test
    void powerLoss_atAnyInstant_keepsEachAcknowledgedBatch() throws Exception {
        PowerCuts cuts = new PowerCuts(record(), work);
        cuts.check(this::check);
        cuts.checkFindsForgetfulDisk(this::check);
    }

    private DiskHistory record() throws Exception {
        try (RecordedDisk disk = RecordedDisk.mount(work)) {
            int sequence = 0;
            for (int session = 0; session < SESSIONS; session++) {
                try (DuckStore store = open(disk.root())) {
                    for (int i = 0; i < OF_SESSION; i++) {
                        sequence++;
                        assertThat(store.append(batch(sequence))).isEqualTo(Outcome.STORED);
                        disk.acknowledge("stored " + sequence);
                        if (i == OF_SESSION / 2) {
                            store.runUpkeep();
                            // The second half of each session goes to the file of another day.
                            clock.pass(Duration.ofDays(1));
                        }
                    }
                }
            }
            return disk.history();
        }
    }

    private DuckStore open(Path root) {
        return new DuckStore(StoreSettings.of(root.resolve("store")), clock);
    }

    /** A batch of 1 to 40 connections and a window. */
    private static Batch batch(int sequence) {
        SomeRecords some = new SomeRecords(sequence);
        long instant = START + sequence * SECOND;
        List<TelemetryRecord> records = new ArrayList<>();
        for (int i = 0; i <= sequence * 7 % 40; i++) {
            records.add(some.connection(instant + i));
        }
        records.add(some.window("web:0", instant));
        return new Batch(new BatchId("agent", 1, sequence), records);
    }

    private static List<ConnectionRecord> newestFirst(int batches) {
        List<ConnectionRecord> all = new ArrayList<>();
        for (int sequence = batches; sequence >= 1; sequence--) {
            List<TelemetryRecord> records = batch(sequence).records();
            for (int i = records.size() - 1; i >= 0; i--) {
                if (records.get(i) instanceof ConnectionRecord connection) {
                    all.add(connection);
                }
            }
        }
        return all;
    }

    private void check(Path disk, List<String> acknowledged) throws InterruptedException {
        int stored = acknowledged.size();
        try (DuckStore store = open(disk)) {
            int found = (int) store.storage().batches();
            assertThat(found).as("batches").isBetween(stored, stored + 1);
            assertThat(store.days().stream().map(store::rows))
                    .as("windows of the batches, one for each")
                    .allMatch(day -> day.get("windows").equals(day.get("batches")));
            List<ConnectionRecord> connections = store
                    .connections(ConnectionQuery.of(List.of(), TimeRange.all(), 10_000))
                    .items()
                    .stream()
                    .map(StoredRecord::record)
                    .toList();
            assertThat(connections.equals(newestFirst(found)))
                    .as("%d connections of %d batches", connections.size(), found)
                    .isTrue();
            for (int sequence = 1; sequence <= stored; sequence++) {
                assertThat(store.append(batch(sequence))).isEqualTo(Outcome.DUPLICATE);
            }
            store.runUpkeep();
            // Seconds are read from the days, and minutes from the roll-ups of all but the newest.
            for (Duration step : List.of(Duration.ofSeconds(1), Duration.ofMinutes(1))) {
                assertThat(store.serviceWindows(List.of("web:0"), TimeRange.all(), step).stream()
                                .mapToLong(WindowStep::coveredMicros)
                                .sum())
                        .as("seconds of windows in steps of %s", step)
                        .isEqualTo(found * SECOND);
            }
            assertThat(store.append(batch(found + 1))).isEqualTo(Outcome.STORED);
        }
    }
}
