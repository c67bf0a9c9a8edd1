package dev.komainu.central.indices;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class NumberColumnTest {

    private static final double[] VALUES = {
        0,
        1,
        -1,
        127,
        -127,
        -128,
        128,
        32_767,
        -32_767,
        -32_768,
        1e6,
        0.5,
        -0.0,
        0.1,
        1e300,
        Double.NaN,
        Double.POSITIVE_INFINITY,
        Double.MIN_VALUE
    };

    /** Values that need more and more bytes; a row is set before it is read, as in a ring. */
    @Property(tries = 500)
    void values_areReadAsTheyWereSet(@ForAll long seed) {
        Random random = new Random(seed);
        NumberColumn column = new NumberColumn();
        double[] model = new double[40];
        int rows = 0;
        for (int step = 0; step < 100; step++) {
            int row = random.nextInt(Math.min(rows + 1, model.length));
            double value = VALUES[random.nextInt(1 + step * VALUES.length / 100)];
            rows = Math.max(rows, row + 1);
            column.set(row, value, Math.min(model.length, Integer.highestOneBit(rows) * 2));
            model[row] = value;
            for (int read = 0; read < rows; read++) {
                assertThat(Double.valueOf(column.get(read))).isEqualTo(Double.valueOf(model[read]));
            }
        }
    }
}
