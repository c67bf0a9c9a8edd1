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

    /** Else the launcher would take what is printed here for a failure's. */
    @BeforeEach
    void listen() {
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void asBefore() {
        System.setOut(out);
        System.clearProperty("fuzz.seed");
    }

    @Test
    void seedToldByProperty_isEachRunsSeed() {
        System.setProperty("fuzz.seed", "-17");

        assertThat(FuzzSeeds.told().next()).isEqualTo(-17);
        assertThat(FuzzSeeds.told().next()).isEqualTo(-17);
    }

    @Test
    void noSeedTold_runsDiffer() {
        assertThat(FuzzSeeds.told().next()).isNotEqualTo(FuzzSeeds.told().next());
    }

    @Test
    void seedAmongArguments_isTakenOutAndTheTargetsStay() {
        List<String> arguments = new ArrayList<>(List.of("HTTP", "-seed=5", "LOG"));

        assertThat(FuzzSeeds.takenFrom(arguments).next()).isEqualTo(5);
        assertThat(arguments).containsExactly("HTTP", "LOG");
    }

    @Test
    void inputsThatFailedOnce_areThoseOfTheTarget() throws Exception {
        assertThat(FuzzSeeds.failedOnce(FuzzSeedsTest.class, Target.HTTP)).containsExactly(3L, -4L);
        assertThat(FuzzSeeds.failedOnce(FuzzSeedsTest.class, Target.HTTP2)).containsExactly(9L);
    }

    @Test
    void failure_tellsTheCommandThatMakesTheInputAgain() {
        assertThat(FuzzSeeds.failed("monitor/agent", Target.HTTP, 3, 8))
                .isEqualTo(
                        "HTTP, input 3 of run 8 (./komainu test -pl monitor/agent -am -Dtest=FuzzTest -Dfuzz.seed=3)");
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .isEqualTo(
                        "\nAgain: ./komainu test -pl monitor/agent -am -Dtest=FuzzTest -Dfuzz.seed=3\n");
    }
}
