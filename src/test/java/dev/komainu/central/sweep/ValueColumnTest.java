package dev.komainu.central.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests of a column against a table of every value at every tick. */
class ValueColumnTest {

    @Test
    void column_givesWhatEachTickSaw() {
        for (int seed = 0; seed < 50; seed++) {
            Random random = new Random(seed);
            double[] some = seed % 3 == 0 ? new double[] {0} : new double[] {0, 1, Double.NaN};
            ValueColumn column = new ValueColumn();
            List<Map<Integer, Double>> ticks = new ArrayList<>();
            Map<Integer, Double> now = new HashMap<>();
            for (int tick = 0; tick < 60; tick++) {
                for (int second = Math.max(0, tick - 8); second <= tick; second++) {
                    boolean changes = !now.containsKey(second) || random.nextInt(6) == 0;
                    double value = changes ? some[random.nextInt(some.length)] : now.get(second);
                    column.note(second, tick, value);
                    now.put(second, value);
                }
                ticks.add(new HashMap<>(now));
            }
            for (int tick = 0; tick < ticks.size(); tick++) {
                for (int second = 0; second <= tick; second++) {
                    assertThat(column.at(second, tick))
                            .as("seed %d, second %d at tick %d", seed, second, tick)
                            .isEqualTo(ticks.get(tick).get(second));
                }
            }
            for (int second = 0; second < ticks.size(); second++) {
                int of = second;
                boolean one = ticks.stream().anyMatch(tick -> tick.getOrDefault(of, 0.0) == 1);
                assertThat(column.ever(second, value -> value == 1)).isEqualTo(one);
            }
            assertThat(column.at(60, 59)).isNaN();
        }
    }
}
