package dev.komainu.central.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.indices.ScenarioRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every file in {@code scenarios/}: given these records, expect these states. */
class ScenarioTest {

    private static final Path SCENARIOS = Path.of("test/resources/scenarios");

    @TestFactory
    Stream<DynamicTest> everyScenario() throws IOException {
        return files().stream()
                .map(file -> DynamicTest.dynamicTest(file.getFileName().toString(), () -> {
                    ScenarioRun run = ScenarioRun.of("/scenarios/" + file.getFileName());
                    assertThat(run.failures())
                            .as("%s%nstates: %s", run.scenario().story(), run.ribbon())
                            .isEmpty();
                }));
    }

    @Test
    void scenarios_coverTheThesisAndWhatItLeftOpen() throws IOException {
        assertThat(files()).hasSizeGreaterThanOrEqualTo(12);
    }

    private static List<Path> files() throws IOException {
        try (Stream<Path> all = Files.list(SCENARIOS)) {
            return all.filter(file -> file.toString().endsWith(".yaml"))
                    .sorted()
                    .toList();
        }
    }
}
