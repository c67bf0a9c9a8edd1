package dev.komainu.central.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.indices.ScenarioTraffic;
import dev.komainu.central.recording.RecordedEvent;
import dev.komainu.telemetry.wire.Compression;
import dev.komainu.telemetry.wire.RecordJson;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests of the command {@code replay}. */
class ReplayCommandTest {

    @TempDir
    Path temporary;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private Path recording;

    @BeforeEach
    void record() {
        recording = temporary.resolve("recording");
        List<RecordedEvent> events = ScenarioTraffic.of(
                0, List.of("/scenarios/cpu-shortage.yaml", "/scenarios/crash.yaml"));
        try (LiveCentre live = new LiveCentre(recording, events.getFirst().atMicros())) {
            live.play(events);
        }
    }

    private int run(Object... arguments) {
        PrintStream to = new PrintStream(out, true, StandardCharsets.UTF_8);
        PrintStream errors = new PrintStream(err, true, StandardCharsets.UTF_8);
        return new ReplayCommand(to, errors)
                .run(Arrays.stream(arguments).map(Object::toString).toArray(String[]::new));
    }

    private String printed() {
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void recording_printsEachChangeWithRuleAndEvidence() {
        assertThat(run(recording)).isZero();
        assertThat(printed())
                .contains("web-01:80  normal -> saturated/cpu  cpu/busy")
                .containsPattern("    - CPU idle: 3 % \\(threshold < 10 %\\)")
                .contains("-> stopped/crashed");
    }

    @Test
    void service_printsItsChangesOnly() {
        assertThat(run(recording, "--service", "web-02:80")).isZero();
        assertThat(printed()).contains("web-02:80").doesNotContain("web-01:80");
    }

    @Test
    void values_arePrintedForEachSecond() {
        assertThat(run(recording, "--service", "web-01:80", "--values", "hostCpuIdleShare"))
                .isZero();
        assertThat(printed()).containsPattern("\\.000  hostCpuIdleShare 0\\.0[0-9]+");

        assertThat(run(recording, "--service", "web-01:80", "--values", "idle")).isEqualTo(2);
        assertThat(run(recording, "--values", "hostCpuIdleShare")).isEqualTo(2);
    }

    @Test
    void thresholds_ofOneService_changeItsStatesOnly() throws IOException {
        Path file = Files.writeString(temporary.resolve("tried.yaml"), """
                thresholds:
                  - { service: "web-01:80", rule: cpu/busy, measure: hostCpuIdleShare, than: 0.01 }
                  - { service: "web-01:80", rule: cpu/busy-from-the-start, measure: hostCpuIdleShare, than: 0.01 }
                """);

        assertThat(run(recording, "--thresholds", file)).isZero();
        assertThat(printed()).doesNotContain("saturated/cpu").contains("-> stopped/crashed");
    }

    @Test
    void thresholds_unknownOnes_areNamed() throws IOException {
        Path file = Files.writeString(temporary.resolve("tried.yaml"), """
                thresholds:
                  - { rule: cpu/busy, measure: acceptQueue, than: 3 }
                  - { rule: cpu/busy, measure: hostCpuIdleShare, than: 10 }
                """);

        assertThat(run(recording, "--thresholds", file)).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("cpu/busy acceptQueue", "cpu/busy hostCpuIdleShare: 10.0");
    }

    @Test
    void recording_cutOff_isJudgedAndSaid() throws IOException {
        Path file = recording.resolve("0000000000000001.rec");
        byte[] whole = Files.readAllBytes(file);
        byte[] more = Arrays.copyOf(whole, whole.length + 40);
        more[whole.length + 2] = 1;
        Files.write(file, more);

        assertThat(run(recording)).isEqualTo(1);
        assertThat(printed()).contains("-> stopped/crashed");
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("1 blocks");
    }

    @Test
    void extract_hasTheServicesRecordsOfThePartOnly() throws Exception {
        Path file = temporary.resolve("crash.zst");
        long from = ScenarioTraffic.START + 30;
        assertThat(run(
                        recording,
                        "--service",
                        "web-02:80",
                        "--extract-to",
                        file,
                        "--from",
                        from,
                        "--until",
                        from + 40))
                .isZero();

        List<String> lines = new String(
                        Compression.expand(Files.readAllBytes(file), 1 << 24),
                        StandardCharsets.UTF_8)
                .lines()
                .toList();
        assertThat(lines).allSatisfy(line -> assertThat(line).doesNotContain("web-01"));
        // The server was reported before the part begins.
        assertThat(lines.getFirst())
                .startsWith("{\"arrivedMicros\":" + from + "000000,\"source\":\"")
                .contains("serviceSighting");
        JsonMapper json = new JsonMapper();
        List<JsonNode> read = lines.stream().map(json::readTree).toList();
        assertThat(read)
                .extracting(line -> line.get("arrivedMicros").asLong())
                .isSorted()
                .allMatch(at -> at >= from * 1_000_000 && at <= (from + 40) * 1_000_000);
        assertThat(read.stream()
                        .map(line -> line.get("record").get("type").asString())
                        .filter("serviceWindow"::equals))
                .hasSizeBetween(38, 41);
        for (JsonNode line : read) {
            assertThat(RecordJson.read(line.get("record").toString(), 1)).isNotNull();
        }
    }

    @Test
    void extract_ofAnUnknownService_isRefused() {
        Path file = temporary.resolve("absent.zst");
        assertThat(run(recording, "--service", "web-09:80", "--extract-to", file))
                .isEqualTo(3);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("no record of web-09:80");
        assertThat(run(recording, "--extract-to", file)).isEqualTo(2);
        assertThat(run(recording, "--from", "yesterday")).isEqualTo(2);
    }

    @Test
    void misuse_isNamed() {
        assertThat(run("--threshold", "x")).isEqualTo(2);
        assertThat(run("--service", "web-01:80")).isEqualTo(2);
        assertThat(run(recording, "another")).isEqualTo(2);
        assertThat(run(temporary.resolve("absent"))).isEqualTo(3);
        assertThat(run("--help")).isZero();
        assertThat(printed()).isEqualTo(ReplayOptions.HELP);
    }
}
