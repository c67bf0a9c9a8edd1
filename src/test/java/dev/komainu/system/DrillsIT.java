package dev.komainu.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.kit.Capability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/**
 * Six of {@code ./komainu bench drills}: real servers, one fault each, on one platform. The faults
 * are those that do not ask for a quiet machine; what is expected is the state, not how soon it is
 * named.
 */
class DrillsIT {

    private static final List<String> SIX = List.of(
            "prefork-workers",
            "nginx-files",
            "nginx-connections",
            "komainu-origin-down",
            "prefork-killed",
            "nginx-restart");

    @TestFactory
    Stream<DynamicTest> fault_atARealServer_isNamedFirstAndPasses() throws Exception {
        Capability.need("network namespaces", Capability.SYS_ADMIN, Capability.NET_ADMIN);
        Capability.need("captures", Capability.NET_RAW);
        Capability.need("workers of Apache", Capability.SETUID);
        // Below target, with all records: a failure on a busy machine may not come again.
        Path kept = Files.createDirectories(Platform.ROOT.resolve("target"));
        Path out = Files.createTempDirectory(kept, "drills-");
        JsonNode drills = drill(out).path("drills");
        assertThat(drills).hasSize(SIX.size());
        return SIX.stream()
                .map(name -> DynamicTest.dynamicTest(name, () -> {
                    JsonNode drill = named(drills, name);
                    assertThat(drill.path("run").asBoolean())
                            .as("run: %s", drill)
                            .isTrue();
                    assertThat(drill.path("states").toString())
                            .as("named: %s", drill)
                            .contains(drill.path("expected").asString());
                    // On a busy machine a start takes longer than a restart may: then it was a
                    // crash first, and rightly so.
                    if (!drill.path("expected").asString().equals("stopped/restarting")) {
                        assertThat(drill.path("named").asString())
                                .as("first named: %s", drill)
                                .isEqualTo(drill.path("expected").asString());
                    }
                    assertThat(drill.path("evidence")).as("evidence: %s", drill).isNotEmpty();
                    assertThat(drill.path("recovered").asBoolean())
                            .as("normal again: %s", drill)
                            .isTrue();
                }));
    }

    private static JsonNode named(JsonNode drills, String name) {
        for (JsonNode drill : drills) {
            if (drill.path("name").asString().equals(name)) {
                return drill;
            }
        }
        throw new AssertionError(name + ": not among " + drills);
    }

    /** Runs them through the launcher and reads what they wrote. */
    private static JsonNode drill(Path out) throws IOException, InterruptedException {
        Path said = out.resolve("said.txt");
        ProcessBuilder builder = new ProcessBuilder(
                        Platform.ROOT.resolve("komainu").toString(),
                        "bench",
                        "drills",
                        "--only",
                        String.join(",", SIX),
                        "--record",
                        "--out",
                        out.toString())
                .redirectErrorStream(true)
                .redirectOutput(said.toFile());
        builder.environment().put("KOMAINU_BUILT", "yes");
        Process process = builder.start();
        if (!process.waitFor(9, TimeUnit.MINUTES)) {
            process.destroy();
            process.waitFor(60, TimeUnit.SECONDS);
            throw new AssertionError(
                    "the drills did not end within 9 min: " + Files.readString(said));
        }
        Path results = out.resolve("results.json");
        assertThat(results).as(() -> words(said)).exists();
        return new ObjectMapper().readTree(results.toFile());
    }

    private static String words(Path said) {
        try {
            return Files.readString(said);
        } catch (IOException e) {
            return "nothing readable: " + e;
        }
    }
}
