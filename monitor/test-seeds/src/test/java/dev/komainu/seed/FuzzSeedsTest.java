package dev.komainu.seed;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FuzzSeedsTest {

    private enum Target {
        HTTP,
        HTTP2
    }

    private final PrintStream out = System.out;
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    /** Without this, the launcher would interpret the output as that of a failure. */
    @BeforeEach
    void setUp() {
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void tearDown() {
        System.setOut(out);
        System.clearProperty("fuzz.seed");
    }

    @Test
    void seedOfTheProperty_isEachRunsSeed() {
        System.setProperty("fuzz.seed", "-17");

        assertThat(FuzzSeeds.fromProperty().next()).isEqualTo(-17);
        assertThat(FuzzSeeds.fromProperty().next()).isEqualTo(-17);
    }

    @Test
    void noSeedSet_runsDiffer() {
        assertThat(FuzzSeeds.fromProperty().next())
                .isNotEqualTo(FuzzSeeds.fromProperty().next());
    }

    @Test
    void seedAmongArguments_isRemovedAndTheTargetsStay() {
        List<String> arguments = new ArrayList<>(List.of("HTTP", "-seed=5", "LOG"));

        assertThat(FuzzSeeds.fromArguments(arguments).next()).isEqualTo(5);
        assertThat(arguments).containsExactly("HTTP", "LOG");
    }

    @Test
    void inputsThatFailedOnce_areThoseOfTheTarget() throws Exception {
        assertThat(FuzzSeeds.failedOnce(FuzzSeedsTest.class, Target.HTTP)).containsExactly(3L, -4L);
        assertThat(FuzzSeeds.failedOnce(FuzzSeedsTest.class, Target.HTTP2)).containsExactly(9L);
    }

    @Test
    void failure_namesTheCommandThatRepeatsTheInput() {
        assertThat(FuzzSeeds.failed("monitor/agent", Target.HTTP, 3, 8))
                .isEqualTo(
                        "HTTP, input 3 of run 8 (./komainu test -pl monitor/agent -am -Dtest=FuzzTest -Dfuzz.seed=3)");
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .isEqualTo(
                        "\nAgain: ./komainu test -pl monitor/agent -am -Dtest=FuzzTest -Dfuzz.seed=3\n");
    }
}
