package dev.komainu.agent.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AgentSettingsReaderTest {

    @Test
    void read_layers_commandLineOverEnvironmentOverFile(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("agent.yaml"), """
                node: from-file
                print: true
                ports: [80, 443]
                capture:
                  snaplen: 512
                  buffer: 8MB
                host:
                  interval: 1m
                """);
        AgentSettings settings = AgentSettingsReader.read(
                Map.of("node", "from-option"),
                Map.of("KOMAINU_AGENT_NODE", "from-environment", "KOMAINU_AGENT_HOST_INTERVAL", "2s", "PATH", "/bin"),
                file,
                "here");
        assertThat(settings.node()).isEqualTo("from-option");
        assertThat(settings.hostInterval()).isEqualTo(Duration.ofSeconds(2));
        assertThat(settings.ports()).containsExactlyInAnyOrder(80, 443);
        assertThat(settings.snaplen()).isEqualTo(512);
        assertThat(settings.bufferBytes()).isEqualTo(8 << 20);
    }

    @Test
    void read_nothingButPrint_givesDefaults() throws Exception {
        AgentSettings settings = AgentSettingsReader.read(Map.of("print", "true"), Map.of(), null, "here");
        assertThat(settings.node()).isEqualTo("here");
        assertThat(settings.mode()).isEqualTo(AgentSettings.Mode.BOTH);
        assertThat(settings.snaplen()).isEqualTo(1024);
        assertThat(settings.bufferBytes()).isEqualTo(64 << 20);
        assertThat(settings.centralUrl()).isNull();
    }

    @Test
    void read_manyMistakes_areToldTogetherWithTheirPlaces(@TempDir Path directory) throws Exception {
        Path file =
                Files.writeString(directory.resolve("agent.yaml"), "print: maybe\ncapture:\n  snaplen: 7\nspeed: 9\n");
        SettingsException thrown = problems(
                Map.of("ports", "80,99999", "mode", "sideways", "central.url", "ftp://somewhere"),
                Map.of("KOMAINU_AGENT_HOST_INTERVAL", "0s", "KOMAINU_AGENT_NOPE", "1"),
                file);
        assertThat(thrown.problems())
                .anyMatch(p -> p.equals("print: maybe in " + file + ":1 (expected: true or false)"))
                .anyMatch(p -> p.equals("capture.snaplen: 7 in " + file + ":3 (expected: 96 to 65535 bytes)"))
                .anyMatch(p -> p.startsWith("speed in " + file + ":4: no such setting"))
                .anyMatch(p -> p.equals("ports: 99999 in --port (expected: 1 to 65535)"))
                .anyMatch(p -> p.equals("mode: sideways in --mode (expected: both, host-only or capture-only)"))
                .anyMatch(p -> p.startsWith("central.url: ftp://somewhere in --central (expected: http"))
                .anyMatch(p -> p.equals("host.interval: 0s in $KOMAINU_AGENT_HOST_INTERVAL (expected: 1s to 5m)"))
                .anyMatch(p -> p.startsWith("$KOMAINU_AGENT_NOPE: no such setting"));
    }

    @Test
    void read_fileWithTags_makesNoObjects(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(
                directory.resolve("agent.yaml"), "print: true\nnode: !!java.net.URL [\"http://x\"]\n");
        assertThat(problems(Map.of("print", "true"), Map.of(), file).problems())
                .singleElement()
                .asString()
                .startsWith("--config: " + file + ":2");
    }

    @Test
    void read_brokenFile_namesTheLine(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("agent.yaml"), "print: true\nnode: [\n");
        assertThat(problems(Map.of("print", "true"), Map.of(), file).problems())
                .singleElement()
                .asString()
                .startsWith("--config: " + file + ":");
    }

    @Test
    void read_nowhereToReport_isSaid() {
        assertThat(problems(Map.of(), Map.of(), null).problems())
                .containsExactly(
                        "central.url: missing (expected: where to report, or --print to see the records here)");
    }

    private static SettingsException problems(
            Map<String, String> options, Map<String, String> environment, @Nullable Path file) {
        return catchThrowableOfType(
                SettingsException.class, () -> AgentSettingsReader.read(options, environment, file, "here"));
    }
}
