package dev.komainu.central.indices;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class SecondRingTest {

    private static final int LENGTH = 20;
    private static final double[] VALUES = {0, 0, 0, 0, Double.NaN, -0.0, 1.5};

    /** Columns that stay constant, change once, or change always read like a map. */
    @Property(tries = 300)
    void columns_readLikeAMap(@ForAll long seed) {
        Random random = new Random(seed);
        SecondRing ring = new SecondRing(3, LENGTH);
        Map<Long, double[]> model = new TreeMap<>();
        long newest = 500;
        for (int i = 0; i < 60; i++) {
            long second = Math.max(500, newest + 2 - random.nextInt(5));
            double[] row = {
                7, VALUES[random.nextInt(i < 30 ? 4 : VALUES.length)], random.nextDouble()
            };
            boolean kept = ring.put(second, slot -> {
                for (int column = 0; column < row.length; column++) {
                    double before = slot.before(column);
                    double expected =
                            model.containsKey(second) ? model.get(second)[column] : Double.NaN;
                    assertThat(Double.valueOf(before)).isEqualTo(Double.valueOf(expected));
                    slot.set(column, row[column]);
                }
            });
            assertThat(kept).isTrue();
            model.put(second, row);
            newest = Math.max(newest, second);
        }
        for (long second = newest - LENGTH + 1; second <= newest; second++) {
            for (int column = 0; column < 3; column++) {
                double expected =
                        model.containsKey(second) ? model.get(second)[column] : Double.NaN;
                assertThat(Double.valueOf(ring.at(column, second)))
                        .isEqualTo(Double.valueOf(expected));
            }
        }
    }
}
