package dev.komainu.central.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.indices.ScenarioTraffic;
import dev.komainu.central.recording.RecordedEvent;
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
    void misuse_isNamed() {
        assertThat(run("--threshold", "x")).isEqualTo(2);
        assertThat(run("--service", "web-01:80")).isEqualTo(2);
        assertThat(run(recording, "another")).isEqualTo(2);
        assertThat(run(temporary.resolve("absent"))).isEqualTo(3);
        assertThat(run("--help")).isZero();
        assertThat(printed()).isEqualTo(ReplayOptions.HELP);
    }
}
