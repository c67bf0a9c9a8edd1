package dev.komainu.central.verify;

import java.util.HashMap;
import java.util.Map;

/**
 * A sequence of measured seconds.
 *
 * @param load requests arriving per second, smoothed; {@code NaN} for a second that does not count
 *     (no data, no arrivals, or packets lost by the monitor)
 * @param values values by index, as long as {@code load}; {@code NaN} where nothing was measured
 */
public record Stretch(double[] load, Map<String, double[]> values) {

    /**
     * Number of seconds over which the load is averaged: the arrivals of one second are mostly
     * random (at 20 a second, ±22 %).
     */
    static final int SMOOTH_SECONDS = 5;

    public Stretch {
        values.forEach((index, column) -> {
            if (column.length != load.length) {
                throw new IllegalArgumentException(
                        index + ": " + column.length + " seconds (expected: " + load.length + ")");
            }
        });
    }

    /**
     * Returns a stretch with its smoothed load.
     *
     * @param arrivals arrivals for each second; a second with {@code NaN} does not count
     */
    public static Stretch of(double[] arrivals, Map<String, double[]> values) {
        double[] load = new double[arrivals.length];
        for (int i = 0; i < load.length; i++) {
            double sum = 0;
            int count = 0;
            for (int j = Math.max(0, i - SMOOTH_SECONDS + 1); j <= i; j++) {
                if (!Double.isNaN(arrivals[j])) {
                    sum += arrivals[j];
                    count++;
                }
            }
            load[i] = Double.isNaN(arrivals[i]) || sum <= 0 ? Double.NaN : sum / count;
        }
        return new Stretch(load, new HashMap<>(values));
    }

    /** Returns the number of seconds that count. */
    int seconds() {
        int count = 0;
        for (double each : load) {
            count += Double.isNaN(each) ? 0 : 1;
        }
        return count;
    }

    /**
     * Returns the mean of arrivals a second over the seconds that count; {@code NaN} when there are
     * none.
     */
    double meanLoad() {
        double sum = 0;
        int count = 0;
        for (double each : load) {
            if (!Double.isNaN(each)) {
                sum += each;
                count++;
            }
        }
        return count == 0 ? Double.NaN : sum / count;
    }
}
