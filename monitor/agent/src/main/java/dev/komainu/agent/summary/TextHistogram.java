package dev.komainu.agent.summary;

import java.util.Locale;
import org.HdrHistogram.Histogram;

/** A frequency distribution drawn with characters, as the thesis draws T_r and T_c (figures 2.6 and 2.7). */
final class TextHistogram {

    private static final int WIDTH = 50;
    private static final long[] STEPS = {1, 2, 5};

    private TextHistogram() {}

    /** Name, percentiles, and one bar for each of the steps 1-2-5 between the smallest and the largest value. */
    static String draw(String name, Histogram values) {
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT,
                "%s  n=%d  p50 %s  p90 %s  p99 %s  max %s%n",
                name,
                values.getTotalCount(),
                duration(values.getValueAtPercentile(50)),
                duration(values.getValueAtPercentile(90)),
                duration(values.getValueAtPercentile(99)),
                duration(values.getMaxValue())));
        if (values.getTotalCount() == 0) {
            return text.toString();
        }
        long most = 1;
        for (int pass = 0; pass < 2; pass++) {
            long low = 0;
            for (long decade = 1; low <= values.getMaxValue(); decade *= 10) {
                for (long step : STEPS) {
                    long high = decade * step;
                    long count = values.getCountBetweenValues(low, high - 1);
                    if (pass == 0) {
                        most = Math.max(most, count);
                    } else if (high > values.getMinValue() && low <= values.getMaxValue()) {
                        text.append(
                                String.format(Locale.ROOT, "  < %8s %10d %s%n", duration(high), count, "#".repeat((int)
                                                (count * WIDTH / most))));
                    }
                    low = high;
                }
            }
        }
        return text.toString();
    }

    static String duration(long micros) {
        if (micros < 1_000) {
            return micros + " µs";
        }
        return micros < 1_000_000
                ? String.format(Locale.ROOT, "%.4g ms", micros / 1e3)
                : String.format(Locale.ROOT, "%.4g s", micros / 1e6);
    }
}
