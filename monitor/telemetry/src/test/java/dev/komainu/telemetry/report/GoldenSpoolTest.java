package dev.komainu.telemetry.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.kit.GoldenFiles;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.wire.RecordJson;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Spools of earlier releases, left when no central service was available: all batches are sent, in
 * order, under their names.
 */
class GoldenSpoolTest {

    @TempDir
    Path directory;

    static List<Path> releases() {
        return GoldenFiles.releasesWith("spool-agent.zip");
    }

    @ParameterizedTest
    @MethodSource("releases")
    void start_onAnEarlierReleasesSpool_sendsItAll(Path release) throws Exception {
        for (String part : List.of("agent", "proxy", "organizer")) {
            GoldenFiles.check(release, "spool-" + part + ".zip", "spool", () -> {
                open(release, part);
                send(release, part);
            });
        }
    }

    /**
     * Compares the name and number of records stored before each batch; {@link #send} checks only
     * the batch itself.
     */
    private void open(Path release, String part) throws Exception {
        List<String> expected = new ArrayList<>();
        for (String line :
                Files.readAllLines(release.resolve("expected/spool-" + part + ".ndjson"))) {
            if (line.startsWith("{")) {
                String[] last = expected.removeLast().split(" ");
                expected.add(last[0] + " " + (Integer.parseInt(last[1]) + 1));
            } else {
                expected.add(line + " 0");
            }
        }
        Path copy =
                GoldenFiles.unpack(release, "spool-" + part, directory.resolve(part + "-opened"));
        List<String> found = new ArrayList<>();
        DropCounts drops = new DropCounts();
        try (Spool spool = new Spool(copy, 1 << 30, drops, Spool::create)) {
            for (OutgoingBatch batch = spool.peek(); batch != null; batch = spool.peek()) {
                found.add(batch.id() + " " + batch.records());
                spool.remove(batch);
            }
        }
        assertThat(found).as("batches in the spool, and their records").isEqualTo(expected);
    }

    private void send(Path release, String part) throws Exception {
        List<String> expected =
                Files.readAllLines(release.resolve("expected/spool-" + part + ".ndjson"));
        List<String> names =
                expected.stream().filter(line -> !line.startsWith("{")).toList();
        List<String> records =
                expected.stream().filter(line -> line.startsWith("{")).toList();
        assertThat(names).isNotEmpty();
        Path home = directory.resolve(part);
        GoldenFiles.unpack(release, "spool-" + part, home.resolve("spool"));
        try (StubCentralService central = new StubCentralService();
                Reporter reporter =
                        new Reporter(ReporterSettings.of(central.uri(), null, "later", home)
                                .withTimeouts(
                                        Duration.ofSeconds(30),
                                        Duration.ofMillis(20),
                                        Duration.ofMillis(100),
                                        Duration.ofSeconds(5)))) {
            Awaitility.await()
                    .atMost(Duration.ofSeconds(180))
                    .until(() -> reporter.status().waitingRecords() == 0);

            assertThat(central.order())
                    .as("batches sent")
                    .extracting(BatchId::toString)
                    .containsExactlyElementsOf(names);
            List<TelemetryRecord> sent = central.records();
            assertThat(sent).as("records sent").hasSameSizeAs(records);
            for (int i = 0; i < sent.size(); i++) {
                GoldenFiles.assertKept(
                        "record " + (i + 1), records.get(i), RecordJson.write(sent.get(i)));
            }
            assertThat(reporter.drops()).as("dropped").isEmpty();
        }
    }
}
