package dev.komainu.central.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.indices.ScenarioRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of every file in {@code scenarios/}: given these records, expect these states. */
class ScenarioTest {

    /**
     * Offsets within the ten seconds between two samples: the earliest, the latest and two between.
     */
    private static final List<Integer> OFFSETS = List.of(0, 3, 6, 9);

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

    /**
     * Spec: saturations within 15 s, recovery within 30 s, at each offset of the onset within the
     * agent's ten seconds.
     */
    @TestFactory
    Stream<DynamicTest> everyOnset_isNamedAndLeftInTime() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        for (Path file : files()) {
            if (!Files.readString(file).contains("namedWithin")) {
                continue;
            }
            for (int offset : OFFSETS) {
                tests.add(DynamicTest.dynamicTest(
                        file.getFileName() + ", sampled from " + offset + " s", () -> {
                            ScenarioRun run = ScenarioRun.asSampled(
                                    "/scenarios/" + file.getFileName(), offset);
                            assertThat(run.failures())
                                    .as("%s%nstates: %s", run.scenario().story(), run.ribbon())
                                    .isEmpty();
                            assertThat(run.delays()).allSatisfy(delay -> {
                                assertThat(delay.named())
                                        .as("%s named after, s", delay.state())
                                        .isBetween(0, 15);
                                assertThat(delay.recovered())
                                        .as("%s left after, s", delay.state())
                                        .isLessThanOrEqualTo(30);
                            });
                        }));
            }
        }
        return tests.stream();
    }

    /** Each saturation has a scenario with its onset and its end. */
    @Test
    void everySaturation_hasItsPromptnessMeasured() throws IOException {
        Map<String, String> measured = new TreeMap<>();
        for (Path file : files()) {
            if (Files.readString(file).contains("namedWithin")) {
                ScenarioRun run = ScenarioRun.asSampled("/scenarios/" + file.getFileName(), 0);
                run.delays()
                        .forEach(delay -> measured.merge(
                                delay.state(), delay.toString(), (a, b) -> a + ", " + b));
            }
        }
        assertThat(measured)
                .containsKeys(
                        "saturated/sockets",
                        "saturated/processes",
                        "saturated/cpu",
                        "saturated/memory",
                        "saturated/disk",
                        "saturated/bandwidth",
                        "upstream-fault",
                        "failing");
    }

    /**
     * At a threshold a state is entered at most once and left at most once; the first change is
     * from unknown.
     */
    @ParameterizedTest
    @ValueSource(strings = {"noisy-saturation", "noisy-normal", "swinging-at-a-threshold"})
    void noise_doesNotFlap(String story) {
        for (int offset : OFFSETS) {
            ScenarioRun run = ScenarioRun.asSampled("/scenarios/" + story + ".yaml", offset);
            assertThat(run.changes()).as(run.ribbon()).isLessThanOrEqualTo(3);
        }
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
