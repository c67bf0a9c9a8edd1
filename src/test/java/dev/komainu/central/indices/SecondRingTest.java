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

    /** A sample fills ten seconds with the same values; single ones are replaced later. */
    @Property(tries = 300)
    void repeatedSeconds_readLikeAMap(@ForAll long seed) {
        Random random = new Random(seed);
        SecondRing ring = new SecondRing(2, LENGTH);
        Map<Long, double[]> model = new TreeMap<>();
        long newest = 500;
        for (int i = 0; i < 80; i++) {
            int seconds = 1 + random.nextInt(6);
            long last = newest + random.nextInt(5) - 1;
            double[] row = {random.nextInt(3), random.nextInt(2)};
            for (long second = last - seconds + 1; second <= last; second++) {
                boolean kept = ring.put(second, slot -> {
                    slot.set(0, row[0]);
                    slot.set(1, row[1]);
                });
                assertThat(kept).isEqualTo(i == 0 || second > newest - LENGTH);
                if (kept) {
                    long written = second;
                    model.keySet().removeIf(other -> (other - written) % LENGTH == 0);
                    model.put(second, row);
                    newest = i == 0 && second == last - seconds + 1
                            ? second
                            : Math.max(newest, second);
                }
            }
            if (random.nextInt(10) == 0) {
                newest -= random.nextInt(4);
                ring.clearAfter(newest);
                long cleared = newest;
                model.keySet().removeIf(second -> second > cleared);
                newest = ring.newest() == Long.MIN_VALUE ? newest : ring.newest();
            }
            for (long second = newest - LENGTH + 1; second <= newest; second++) {
                double expected = model.containsKey(second) ? model.get(second)[1] : Double.NaN;
                assertThat(Double.valueOf(ring.at(1, second))).isEqualTo(Double.valueOf(expected));
                assertThat(ring.holds(second)).isEqualTo(model.containsKey(second));
            }
        }
    }
}
