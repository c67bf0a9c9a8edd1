package dev.komainu.agent.summary;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class GaugeStepsTest {

    /** Compares the sum of separate counters with one common counter. */
    @Property(tries = 500)
    void highest_anySteps_isThatOfTheSum(
            @ForAll @Size(max = 200) List<@IntRange(max = 3) Integer> owners,
            @ForAll @IntRange(max = 5) int begin) {
        List<GaugeSteps> parts = new ArrayList<>();
        long[] values = new long[4];
        for (int i = 0; i < 4; i++) {
            values[i] = begin;
            parts.add(new GaugeSteps());
            parts.getLast().begin(begin, 1_000);
        }
        long together = 4L * begin;
        long highest = together;
        for (int at = 0; at < owners.size(); at++) {
            int owner = owners.get(at);
            boolean up = values[owner] == 0 || (at * 7 + owner) % 3 != 0;
            values[owner] += up ? 1 : -1;
            together += up ? 1 : -1;
            highest = Math.max(highest, together);
            parts.get(owner).step(up, values[owner], 1_000 + at);
        }
        assertThat(GaugeSteps.highest(parts.stream().map(GaugeSteps::take).toList()))
                .isEqualTo(highest);
    }

    @Test
    void highest_partsHighAtDifferentTimes_isLessThanTheSumOfTheirHighest() {
        GaugeSteps first = new GaugeSteps();
        GaugeSteps other = new GaugeSteps();
        first.begin(0, 0);
        other.begin(0, 0);
        first.step(true, 1, 10);
        first.step(false, 0, 20);
        other.step(true, 1, 30);
        assertThat(GaugeSteps.highest(List.of(first.take(), other.take()))).isEqualTo(1);
    }

    @Test
    void highest_moreStepsThanAreKept_isNeverTooLow() {
        GaugeSteps first = new GaugeSteps();
        GaugeSteps other = new GaugeSteps();
        first.begin(0, 0);
        other.begin(3, 0);
        for (int i = 0; i < GaugeSteps.MOST + 10; i++) {
            first.step(true, i + 1, i);
        }
        assertThat(GaugeSteps.highest(List.of(first.take(), other.take())))
                .isEqualTo(GaugeSteps.MOST + 13);
    }
}
