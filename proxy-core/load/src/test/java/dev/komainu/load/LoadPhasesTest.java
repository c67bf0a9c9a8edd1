package dev.komainu.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LoadPhasesTest {

    @Test
    void rateAt_stepsAndARamp_followsThem() {
        LoadPhases phases = LoadPhases.parse("100x60,20-80x30,5x10");

        assertThat(phases.seconds()).isEqualTo(100);
        assertThat(phases.rateAt(0)).isEqualTo(100);
        assertThat(phases.rateAt(59.9)).isEqualTo(100);
        assertThat(phases.rateAt(75)).isEqualTo(50);
        assertThat(phases.rateAt(95)).isEqualTo(5);
        assertThat(phases.rateAt(100)).isZero();
    }

    @Test
    void parse_stepWithoutLength_reportsItAndTheExpectedForm() {
        assertThatThrownBy(() -> LoadPhases.parse("100x60,200"))
                .hasMessage("--phases: 200 (expected: RATExSECONDS or FROM-TOxSECONDS)");
        assertThatThrownBy(() -> LoadPhases.parse("100x0"))
                .hasMessageContaining("more than 0 seconds");
    }

    @Test
    void next_evenIntervals_changeWithTheStep() {
        List<Double> instants =
                all(new Arrivals(LoadPhases.parse("10x1,0x1,20x1"), true, new Random(1)));

        assertThat(instants).hasSizeBetween(28, 31);
        assertThat(instants.get(1) - instants.get(0)).isCloseTo(0.1, within(1e-9));
        assertThat(instants.getLast() - instants.get(instants.size() - 2))
                .isCloseTo(0.05, within(1e-9));
        assertThat(instants).noneMatch(t -> t > 1.11 && t < 1.99);
    }

    @Test
    void next_poisson_keepsRateOfEachStepAndOrder() {
        List<Double> instants =
                all(new Arrivals(LoadPhases.parse("100x100,300x100"), false, new Random(1)));

        assertThat(instants).isSorted();
        assertThat(instants.stream().filter(t -> t < 100).count()).isBetween(9_600L, 10_400L);
        assertThat(instants.stream().filter(t -> t >= 100).count()).isBetween(29_300L, 30_700L);
    }

    private static List<Double> all(Arrivals arrivals) {
        List<Double> instants = new ArrayList<>();
        for (double next = arrivals.next(); next >= 0; next = arrivals.next()) {
            instants.add(next);
        }
        return instants;
    }
}
