package dev.komainu.central.verify;

import java.util.HashMap;
import java.util.Map;

/**
 * Consecutive seconds as they were measured.
 *
 * @param load requests arriving per second, smoothed; {@code NaN} for a second that does not count
 *     (not heard of, nothing arrived, or packets were lost by the monitor)
 * @param values by index, as long as {@code load}; {@code NaN} where nothing was seen
 */
public record Stretch(double[] load, Map<String, double[]> values) {

    /**
     * One second's arrivals are mostly chance (at 20 a second, ±22 %): its load is the mean of so
     * many up to it.
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

    /** @param arrivals per second; what is {@code NaN} does not count */
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

    /** Seconds that count. */
    int seconds() {
        int count = 0;
        for (double each : load) {
            count += Double.isNaN(each) ? 0 : 1;
        }
        return count;
    }

    /** Mean arrivals a second over the seconds that count; {@code NaN} when there are none. */
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
