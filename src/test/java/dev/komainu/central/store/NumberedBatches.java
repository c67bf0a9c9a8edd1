package dev.komainu.central.store;

import static dev.komainu.central.store.SomeRecords.SECOND;
import static dev.komainu.central.store.SomeRecords.START;
import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;

/** Batches whose records follow from their names, and what a store must show of them. */
final class NumberedBatches {

    static final int OF_A_SENDER = 16;

    static final int CONNECTIONS = 5;

    private NumberedBatches() {}

    static Batch batch(String source, long sequence) {
        SomeRecords some = new SomeRecords(source.hashCode() * 7919L + sequence);
        List<TelemetryRecord> records = new ArrayList<>();
        records.add(some.window(source, START + sequence * SECOND));
        for (int i = 0; i < CONNECTIONS; i++) {
            records.add(some.connection(START + sequence * SECOND + i));
        }
        return new Batch(new BatchId(source, 1, sequence), records);
    }

    /** Sends each batch until it is acknowledged, as a reporter does. */
    static void sendAll(RecordStore store, String source, AtomicLong acknowledged) {
        for (long sequence = 1; sequence <= OF_A_SENDER; sequence++) {
            Batch next = batch(source, sequence);
            Awaitility.await("batch " + next.id())
                    .atMost(Duration.ofMinutes(2))
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(20))
                    .ignoreException(StoreException.class)
                    .until(() -> store.append(next) != null);
            acknowledged.incrementAndGet();
        }
    }

    static void assertEachOnce(RecordStore store, long batches) {
        assertThat(store.storage().batches()).isEqualTo(batches);
        assertThat(store.connections(ConnectionQuery.of(List.of(), TimeRange.all(), 10_000))
                        .items())
                .hasSize((int) batches * CONNECTIONS);
    }

    static void assertWindows(RecordStore store, String source, long batches) {
        for (int step : new int[] {1, 10}) {
            assertThat(store
                            .serviceWindows(
                                    List.of(source), TimeRange.all(), Duration.ofSeconds(step))
                            .stream()
                            .mapToLong(WindowStep::coveredMicros)
                            .sum())
                    .as("%s, step %s s", source, step)
                    .isEqualTo(batches * SECOND);
        }
    }
}
