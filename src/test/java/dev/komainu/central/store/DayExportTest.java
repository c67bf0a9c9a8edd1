package dev.komainu.central.store;

import static dev.komainu.central.store.SomeRecords.SECOND;
import static dev.komainu.central.store.SomeRecords.START;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.central.store.DayExports.RefusedException;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.util.unit.DataSize;

class DayExportTest {

    private static final LocalDate DAY = LocalDate.parse("2026-11-21");

    @TempDir
    private Path directory;

    @TempDir
    private Path elsewhere;

    private final SettableClock clock = new SettableClock("2026-11-21T10:00:00Z");
    private final List<TelemetryRecord> stored = new ArrayList<>();
    private DuckStore store;

    @BeforeEach
    void open() {
        store = new DuckStore(StoreSettings.of(directory), clock);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private void store(int batches, int records) throws Exception {
        SomeRecords some = new SomeRecords(7);
        for (int i = 1; i <= batches; i++) {
            Batch batch = some.batch("agent", i, records, START, 3_600 * SECOND);
            store.append(batch);
            stored.addAll(batch.records());
        }
    }

    private Path export(ExportKind kind) throws Exception {
        Path file = elsewhere.resolve(kind.text() + ".parquet");
        try (OutputStream out = Files.newOutputStream(file)) {
            store.export(DAY, kind, () -> out);
        }
        return file;
    }

    private static List<Long> longs(Path file, String columns) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT " + columns + " FROM read_parquet('" + file + "')")) {
            row.next();
            List<Long> values = new ArrayList<>();
            for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                values.add(row.getLong(i));
            }
            return values;
        }
    }

    private <T extends TelemetryRecord> List<T> of(Class<T> type) {
        return stored.stream().filter(type::isInstance).map(type::cast).toList();
    }

    @Test
    void closedDay_hasEachRecordWithItsFigures() throws Exception {
        store(30, 400);
        clock.pass(Duration.ofDays(1));
        store.runUpkeep();

        List<ConnectionRecord> connections = of(ConnectionRecord.class);
        assertThat(longs(
                        export(ExportKind.CONNECTIONS),
                        "count(*), sum(duration_us), sum((record->>'durationMicros')::BIGINT),"
                                + " epoch_us(min(instant)), count(DISTINCT client)"))
                .containsExactly(
                        (long) connections.size(),
                        connections.stream()
                                .mapToLong(each -> each.times().durationMicros())
                                .sum(),
                        connections.stream()
                                .mapToLong(each -> each.times().durationMicros())
                                .sum(),
                        connections.stream()
                                .mapToLong(ConnectionRecord::atMicros)
                                .min()
                                .orElseThrow(),
                        5L);
        assertThat(longs(
                        export(ExportKind.WINDOWS),
                        "count(*), sum((record->>'arrivals')::BIGINT) FILTER"
                                + " (record->>'type' = 'serviceWindow')"))
                .containsExactly(
                        stored.stream()
                                .filter(record -> record instanceof ServiceWindow
                                        || record.getClass().getSimpleName().equals("ProxyWindow"))
                                .count(),
                        of(ServiceWindow.class).stream()
                                .mapToLong(each -> each.connections().arrivals())
                                .sum());
        for (ExportKind kind : List.of(ExportKind.EXCHANGES, ExportKind.SAMPLES)) {
            String type = kind == ExportKind.EXCHANGES ? "ProxyExchange" : "HostSample";
            assertThat(longs(export(kind), "count(*), count(record)"))
                    .as(type)
                    .containsOnly(stored.stream()
                            .filter(record -> record.getClass().getSimpleName().equals(type))
                            .count());
        }
        assertThat(directory.resolve("exporting")).doesNotExist();
    }

    @Test
    void dayThatIsNotOverOrNotStored_isRefusedAndSaysWhy() throws Exception {
        store(1, 10);

        assertThatThrownBy(() -> export(ExportKind.WINDOWS))
                .isInstanceOf(RefusedException.class)
                .hasMessage("2026-11-21 is still being written (expected: a day that is over, UTC)")
                .extracting("reason")
                .isEqualTo(RefusedException.Reason.OPEN);
        clock.pass(Duration.ofDays(1));
        assertThatThrownBy(() -> store.export(DAY.plusDays(1), ExportKind.WINDOWS, () -> {
                    throw new AssertionError("begun");
                }))
                .extracting("reason")
                .isEqualTo(RefusedException.Reason.UNKNOWN);
    }

    @Test
    void receiverThatHasGone_endsTheExportAndLeavesNothing() throws Exception {
        store(10, 3_000);
        clock.pass(Duration.ofDays(1));
        store.runUpkeep();
        IOException gone = new IOException("gone");

        assertThatThrownBy(() ->
                        store.export(DAY, ExportKind.CONNECTIONS, () -> new OutputStream() {
                            @Override
                            public void write(int b) throws IOException {
                                throw gone;
                            }
                        }))
                .isSameAs(gone);

        assertThat(directory.resolve("exporting")).doesNotExist();
        assertThat(longs(export(ExportKind.CONNECTIONS), "count(*)"))
                .containsExactly((long) of(ConnectionRecord.class).size());
    }

    @Test
    void whileOneRuns_anotherIsRefusedAndTheDayIsNotDeleted() throws Exception {
        store.close();
        store = new DuckStore(
                StoreSettings.of(directory).withRetention(30, DataSize.ofBytes(1)), clock);
        store(2, 100);
        clock.pass(Duration.ofDays(1));
        store.append(new Batch(new BatchId("agent", 2, 1), List.of()));
        Path file = elsewhere.resolve("connections");
        try (OutputStream out = Files.newOutputStream(file)) {
            store.export(DAY, ExportKind.CONNECTIONS, () -> {
                assertThatThrownBy(() -> store.export(DAY, ExportKind.WINDOWS, () -> out))
                        .hasMessage("another export runs (expected: one at a time)");
                upkeep();
                assertThat(store.days()).contains(DAY);
                return out;
            });
        }
        store.runUpkeep();

        assertThat(store.days()).containsExactly(DAY.plusDays(1));
        assertThat(longs(file, "count(*)"))
                .containsExactly((long) of(ConnectionRecord.class).size());
    }

    private void upkeep() throws IOException {
        try {
            store.runUpkeep();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }
}
