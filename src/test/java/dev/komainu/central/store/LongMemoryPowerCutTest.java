package dev.komainu.central.store;

import static dev.komainu.central.store.SomeRecords.SECOND;
import static dev.komainu.central.store.SomeRecords.START;
import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.kit.DiskHistory;
import dev.komainu.telemetry.kit.PowerCuts;
import dev.komainu.telemetry.kit.RecordedDisk;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.util.unit.DataSize;

/**
 * Loss of power while days are rolled up and deleted: each second that was acknowledged is in its
 * day or in the day's roll-ups, once.
 */
class LongMemoryPowerCutTest {

    private static final int DAYS = 4;
    private static final int OF_DAY = 5;
    private static final TimeRange ALL = new TimeRange(START, START + 3_600 * SECOND);

    @TempDir
    Path work;

    private final SettableClock clock = new SettableClock("2026-11-21T10:00:00Z");

    @Test
    void powerLoss_atAnyInstant_keepsEachAcknowledgedSecondOnce() throws Exception {
        PowerCuts cuts = new PowerCuts(record(), work);
        cuts.check(this::check);
        cuts.checkFindsForgetfulDisk(this::check);
    }

    private DuckStore open(Path root) {
        return new DuckStore(
                StoreSettings.of(root.resolve("store")).withRetention(30, DataSize.ofBytes(1)),
                clock);
    }

    private DiskHistory record() throws Exception {
        try (RecordedDisk disk = RecordedDisk.mount(work)) {
            try (DuckStore store = open(disk.root())) {
                fill(store, disk);
            }
            return disk.history();
        }
    }

    private void fill(DuckStore store, RecordedDisk disk) throws Exception {
        SomeRecords some = new SomeRecords(1);
        int second = 0;
        for (int day = 0; day < DAYS; day++) {
            for (int i = 0; i < OF_DAY; i++) {
                second++;
                store.append(SomeRecords.batch(
                        "agent", second, some.window("web:0", START + second * SECOND)));
                disk.acknowledge("stored " + second);
            }
            clock.pass(Duration.ofDays(1));
            store.runUpkeep();
            assertThat(store.days()).isEmpty();
            disk.acknowledge("deleted");
        }
    }

    private void check(Path disk, List<String> acknowledged) throws InterruptedException {
        int stored = (int)
                acknowledged.stream().filter(each -> each.startsWith("stored")).count();
        try (DuckStore store = open(disk)) {
            assertSeconds(store, stored);
            store.runUpkeep();
            assertSeconds(store, stored);
        }
    }

    private static void assertSeconds(DuckStore store, int stored) {
        long seconds = store.serviceWindows(List.of("web:0"), ALL, Duration.ofMinutes(1)).stream()
                        .mapToLong(WindowStep::coveredMicros)
                        .sum()
                / SECOND;
        assertThat(seconds).as("seconds").isBetween((long) stored, stored + 1L);
    }
}
