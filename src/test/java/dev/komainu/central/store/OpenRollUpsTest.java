package dev.komainu.central.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.store.RecordStore.Outcome;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Agents that send what they kept during an outage: windows of a quarter of an hour at once. */
class OpenRollUpsTest {

    private static final int BATCHES = 60;
    private static final int WINDOWS = 1_000;

    @TempDir
    Path directory;

    @Test
    void windowsOfAQuarterOfAnHourAtOnce_areRolledUpBeforeTheyFillTheMemory() throws Exception {
        DayFiles files = new DayFiles(StoreSettings.of(directory));
        RollUpProgress progress = new RollUpProgress();
        StoreWriter writer =
                StoreWriters.start(StoreSettings.of(directory), Clock.systemUTC(), files, progress);
        SomeRecords some = new SomeRecords(1);
        int most = 0;
        for (int n = 0; n < BATCHES; n++) {
            List<TelemetryRecord> windows = new ArrayList<>();
            for (int i = 0; i < WINDOWS; i++) {
                windows.add(some.window("web" + n, SomeRecords.START + i * SomeRecords.SECOND));
            }
            assertThat(writer.submit(new Batch(new BatchId("agent@web", 1, n + 1), windows))
                            .get())
                    .isEqualTo(Outcome.STORED);
            most = Math.max(most, progress.size());
        }
        writer.close();
        files.close();

        assertThat(most).isBetween(WINDOWS, 21_000);
        assertThat(progress.size()).isZero();
    }
}
