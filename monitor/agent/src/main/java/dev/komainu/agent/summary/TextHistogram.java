package dev.komainu.agent.summary;

import java.util.Locale;
import org.HdrHistogram.Histogram;

/**
 * A frequency distribution drawn with characters, as the thesis draws T_r and T_c (figures 2.6 and
 * 2.7).
 */
final class TextHistogram {

    private static final int WIDTH = 50;
    private static final long[] STEPS = {1, 2, 5};
    /** Rows at either end that together contain less than this part are drawn as one. */
    private static final double TAIL = 0.001;

    private TextHistogram() {}

    /**
     * Returns the name, the percentiles, and one bar for each of the steps 1-2-5 between the
     * smallest and the largest value; at both ends a thousandth of the values may share a row.
     */
    static String draw(String name, Histogram values) {
        long total = values.getTotalCount();
        if (total == 0) {
            return "";
        }
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT,
                "%n%s%n  n %,d   p50 %s   p90 %s   p99 %s   max %s%n",
                name,
                total,
                duration(values.getValueAtPercentile(50)),
                duration(values.getValueAtPercentile(90)),
                duration(values.getValueAtPercentile(99)),
                duration(values.getMaxValue())));
        long least = values.getValueAtPercentile(TAIL * 100);
        long most = values.getValueAtPercentile(100 - TAIL * 100);
        long highest = 1;
        long first = 0;
        for (int pass = 0; pass < 2; pass++) {
            long low = 0;
            boolean over = false;
            for (long decade = 1; !over; decade *= 10) {
                for (int step = 0; step < STEPS.length && !over; step++) {
                    long high = decade * STEPS[step];
                    over = high > most;
                    if (high > least) {
                        long count = over
                                ? total - (low == 0 ? 0 : values.getCountBetweenValues(0, low - 1))
                                : values.getCountBetweenValues(first, high - 1);
                        if (pass == 0) {
                            highest = Math.max(highest, count);
                        } else {
                            row(
                                    text,
                                    over && values.getMaxValue() >= high,
                                    low,
                                    high,
                                    count,
                                    total,
                                    highest);
                        }
                        first = high;
                    }
                    low = high;
                }
            }
            first = 0;
        }
        return text.toString();
    }

    private static void row(
            StringBuilder text,
            boolean open,
            long low,
            long high,
            long count,
            long total,
            long highest) {
        text.append(String.format(
                Locale.ROOT,
                "  %s %8s %11s %5.1f %% %s%n",
                open ? "≥" : "<",
                duration(open ? low : high),
                String.format(Locale.ROOT, "%,d", count),
                100.0 * count / total,
                "#".repeat((int) Math.max(count > 0 ? 1 : 0, count * WIDTH / highest))));
    }

    static String duration(long micros) {
        if (micros < 1_000) {
            return micros + " µs";
        }
        double seconds = micros / 1e6;
        return seconds < 1 ? three(micros / 1e3) + " ms" : three(seconds) + " s";
    }

    /** Formats bytes in powers of ten, with three digits. */
    static String bytes(long bytes) {
        if (bytes < 1_000) {
            return bytes + " B";
        }
        double value = bytes;
        int unit = -1;
        while (value >= 999.5) {
            value /= 1_000;
            unit++;
        }
        return three(value) + " " + "kMGTPE".charAt(unit) + "B";
    }

    /**
     * Formats three significant digits, without a point where there are no more: 2.70, 17.9, 400,
     * 1600.
     */
    private static String three(double value) {
        int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
        String text = String.format(Locale.ROOT, "%." + decimals + "f", value);
        return text.replaceFirst("\\.0+$", "");
    }
}
