package dev.komainu.central.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.komainu.central.CentralTest;
import dev.komainu.central.store.ConnectionQuery;
import dev.komainu.central.store.RecordStore;
import dev.komainu.central.store.SomeRecords;
import dev.komainu.central.store.TimeRange;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.report.Reporter;
import dev.komainu.telemetry.report.ReporterSettings;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Tests with a real reporter, the real guard and the real store. */
class ReporterToStoreTest extends CentralTest {

    /** A year that no other test uses. */
    private static final long FROM = SomeRecords.START - 5L * 365 * 86_400 * SomeRecords.SECOND;

    @TempDir
    Path directory;

    @LocalServerPort
    private int port;

    @Autowired
    private RecordStore store;

    private ReporterSettings settings(Path token) {
        return ReporterSettings.of(
                        URI.create("http://127.0.0.1:" + port), token, "agent@test", directory)
                .withTimeouts(
                        Duration.ofSeconds(10),
                        Duration.ofMillis(50),
                        Duration.ofMillis(200),
                        Duration.ofSeconds(5));
    }

    @Test
    void report_withTheRightToken_restsInTheStoreAsItWas() throws Exception {
        Path token = data().resolveSibling("tokens").resolve("ingest.token");
        SomeRecords some = new SomeRecords(11);
        List<ConnectionRecord> sent = new ArrayList<>();
        try (Reporter reporter = new Reporter(settings(token))) {
            for (int i = 0; i < 500; i++) {
                ConnectionRecord record = some.connection(FROM + i);
                sent.add(record);
                reporter.accept(record);
            }
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> reporter.status().sentRecords() == 500);
            assertThat(reporter.drops()).isEmpty();
        }

        assertThat(store.connections(ConnectionQuery.of(
                                List.of(), new TimeRange(FROM, FROM + 1000), 1000))
                        .items())
                .extracting(stored -> stored.record())
                .containsExactlyElementsOf(sent.reversed());
    }

    @Test
    void report_withAWrongToken_isRefusedKeptAndNothingIsStored() throws Exception {
        Path token = Files.writeString(directory.resolve("wrong.token"), "kmn_wrong");
        long before = FROM - 1_000_000;
        try (Reporter reporter = new Reporter(settings(token))) {
            reporter.accept(new SomeRecords(1).connection(before));
            await().atMost(Duration.ofSeconds(60)).until(() -> reporter.status().refusals() >= 2);

            assertThat(reporter.drops()).isEmpty();
            assertThat(reporter.status().waitingRecords()).isEqualTo(1);
        }
        assertThat(store.connections(ConnectionQuery.of(
                                List.of(), new TimeRange(before, before + 1), 10))
                        .items())
                .isEmpty();
    }
}
