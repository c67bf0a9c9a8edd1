package dev.komainu.central.verify;

import dev.komainu.central.indices.SeriesReader.Columns;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The columns of a series, second by second, as the two stretches of a plan. Pure. */
final class MeasuredStretches {

    /** Indices to read: the load and all compared indices. */
    static final List<String> INDICES = indices();

    private static final String LOAD = "arrivalPerSecond";

    private final Columns columns;

    /**
     * Creates the stretches.
     *
     * @param columns columns with a step of one second
     */
    MeasuredStretches(Columns columns) {
        this.columns = columns;
    }

    private static List<String> indices() {
        List<String> names = new ArrayList<>();
        names.add(LOAD);
        ComparedIndex.ALL.forEach(index -> names.add(index.index()));
        return List.copyOf(names);
    }

    /**
     * Returns the seconds from {@code from} inclusive to {@code to} exclusive; seconds without data
     * are {@code NaN}.
     */
    Stretch stretch(long from, long to) {
        int length = (int) (to - from);
        double[] arrivals = column(LOAD, from, length);
        for (int i = 0; i < columns.times().size(); i++) {
            long second = columns.times().get(i);
            if (second >= from && second < to && columns.underLoss().get(i)) {
                // The monitor lost packets, so that the values of this second are too low.
                arrivals[(int) (second - from)] = Double.NaN;
            }
        }
        Map<String, double[]> values = new HashMap<>();
        for (ComparedIndex index : ComparedIndex.ALL) {
            values.put(index.index(), column(index.index(), from, length));
        }
        return Stretch.of(arrivals, values);
    }

    private double[] column(String index, long from, int length) {
        double[] values = new double[length];
        Arrays.fill(values, Double.NaN);
        List<@Nullable Double> column = columns.columns().get(index);
        for (int i = 0; column != null && i < column.size(); i++) {
            long position = columns.times().get(i) - from;
            Double value = column.get(i);
            if (position >= 0 && position < length && value != null) {
                values[(int) position] = value;
            }
        }
        return values;
    }
}
