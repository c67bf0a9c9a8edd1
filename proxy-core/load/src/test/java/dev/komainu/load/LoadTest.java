package dev.komainu.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class LoadTest {

    @TempDir
    Path directory;

    private JsonNode load(int expectedCode, String... arguments) throws Exception {
        Path figures = directory.resolve("figures.json");
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--quiet", "--json", figures.toString()));
        assertThat(new CommandLine(new Load()).execute(all.toArray(String[]::new)))
                .isEqualTo(expectedCode);
        return JsonMapper.builder().build().readTree(Files.readString(figures));
    }

    @Test
    void call_population_viewsPagesUntilTheEnd() throws Exception {
        try (var origin = new RunningOrigin(true)) {
            JsonNode figures = load(
                    0,
                    "--target",
                    "http://127.0.0.1:" + origin.address().getPort(),
                    "--population",
                    "5",
                    "--seconds",
                    "2",
                    "--think",
                    "0.05",
                    "--http",
                    "1.0");

            assertThat(figures.get("all").get("answered").asInt()).isGreaterThan(5);
            assertThat(figures.get("all").get("unknown").asInt())
                    .isEqualTo(figures.get("all").get("answered").asInt());
        }
    }

    @Test
    void call_remoteTarget_isRefusedUnlessListed() {
        assertThat(errorOutput(
                        "--target",
                        "http://198.51.100.7",
                        "--phases",
                        "1x1",
                        "--allow",
                        directory + "/none"))
                .contains("--target: http://198.51.100.7 (expected: loopback, or a target named in "
                        + directory);
    }

    @Test
    void call_severalErrors_areReportedAtOnce() {
        assertThat(errorOutput(
                        "--target",
                        "ftp://127.0.0.1",
                        "--phases",
                        "fast",
                        "--http",
                        "3",
                        "--zipf",
                        "1.5",
                        "--sizes",
                        "small",
                        "--from",
                        "there",
                        "--hit-ratio",
                        "0.9"))
                .contains(
                        "--target: ftp://127.0.0.1 (expected: http://HOST:PORT",
                        "--phases: fast (expected:",
                        "--http: 3 (expected: 1.0, 1.1 or 2)",
                        "--zipf: 1.5 (expected: 0 to 0.95)",
                        "--sizes: small (expected:",
                        "--from: there (expected:",
                        "--hit-ratio: 0.9 (expected: 0 to 0.8)");
        assertThat(errorOutput("--target", "127.0.0.1:1"))
                .contains("--phases, --population: neither");
    }

    /** Returns the error output of invalid usage; nothing is visited. */
    private static String errorOutput(String... arguments) {
        PrintStream before = System.err;
        var captured = new ByteArrayOutputStream();
        System.setErr(new PrintStream(captured, true, StandardCharsets.UTF_8));
        try {
            assertThat(new CommandLine(new Load()).execute(arguments)).isEqualTo(2);
        } finally {
            System.setErr(before);
        }
        return captured.toString(StandardCharsets.UTF_8);
    }
}
