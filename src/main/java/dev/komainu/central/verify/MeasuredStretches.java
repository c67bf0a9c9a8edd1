package dev.komainu.central.verify;

import dev.komainu.central.indices.SeriesReader.Columns;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Columns of a series, second by second, as the two stretches a plan names. Pure. */
final class MeasuredStretches {

    /** Indices that must be read: the load and everything judged. */
    static final List<String> INDICES = indices();

    private static final String LOAD = "arrivalPerSecond";

    private final Columns columns;

    /** @param columns with a step of one second */
    MeasuredStretches(Columns columns) {
        this.columns = columns;
    }

    private static List<String> indices() {
        List<String> names = new ArrayList<>();
        names.add(LOAD);
        ComparedIndex.ALL.forEach(judged -> names.add(judged.index()));
        return List.copyOf(names);
    }

    /**
     * The seconds from {@code from} up to but without {@code to}; those not read count as not seen.
     */
    Stretch stretch(long from, long to) {
        int length = (int) (to - from);
        double[] arrivals = column(LOAD, from, length);
        for (int i = 0; i < columns.times().size(); i++) {
            long second = columns.times().get(i);
            if (second >= from && second < to && columns.underLoss().get(i)) {
                // The monitor lost packets: what it says of this second is too low.
                arrivals[(int) (second - from)] = Double.NaN;
            }
        }
        Map<String, double[]> values = new HashMap<>();
        for (ComparedIndex judged : ComparedIndex.ALL) {
            values.put(judged.index(), column(judged.index(), from, length));
        }
        return Stretch.of(arrivals, values);
    }

    private double[] column(String index, long from, int length) {
        double[] values = new double[length];
        Arrays.fill(values, Double.NaN);
        List<@Nullable Double> column = columns.columns().get(index);
        for (int i = 0; column != null && i < column.size(); i++) {
            long at = columns.times().get(i) - from;
            Double value = column.get(i);
            if (at >= 0 && at < length && value != null) {
                values[(int) at] = value;
            }
        }
        return values;
    }
}
