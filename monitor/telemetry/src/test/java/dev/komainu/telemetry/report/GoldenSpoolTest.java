package dev.komainu.telemetry.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.kit.GoldenFiles;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.wire.RecordJson;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Spools that parts of earlier releases left when no central service took their reports: sent whole, in their order, under their names. */
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
            send(release, part);
        }
    }

    private void send(Path release, String part) throws Exception {
        List<String> expected = Files.readAllLines(release.resolve("expected/spool-" + part + ".ndjson"));
        List<String> names =
                expected.stream().filter(line -> !line.startsWith("{")).toList();
        List<String> records =
                expected.stream().filter(line -> line.startsWith("{")).toList();
        assertThat(names).isNotEmpty();
        Path home = directory.resolve(part);
        GoldenFiles.unpack(release, "spool-" + part, home.resolve("spool"));
        try (SmallCentre centre = new SmallCentre();
                Reporter reporter = new Reporter(ReporterSettings.of(centre.uri(), null, "later", home)
                        .withPatience(
                                Duration.ofSeconds(30),
                                Duration.ofMillis(20),
                                Duration.ofMillis(100),
                                Duration.ofSeconds(5)))) {
            Awaitility.await()
                    .atMost(Duration.ofSeconds(180))
                    .until(() -> reporter.status().waitingRecords() == 0);

            assertThat(centre.order()).extracting(BatchId::toString).containsExactlyElementsOf(names);
            List<TelemetryRecord> sent = centre.records();
            assertThat(sent).hasSameSizeAs(records);
            for (int i = 0; i < sent.size(); i++) {
                GoldenFiles.assertKept(part + " " + (i + 1), records.get(i), RecordJson.write(sent.get(i)));
            }
            assertThat(reporter.drops()).isEmpty();
        }
    }
}
