package dev.komainu.central.group;

import org.HdrHistogram.Histogram;

/**
 * The times of the requests of one mirror in one block: their median, and the shares of them that
 * took longer than fixed times. Immutable.
 */
final class BlockTimes {

    /** Fixed times in milliseconds; each is twice the one before it. */
    private static final double[] STEPS = {10, 20, 40, 80, 160, 320, 640, 1_280, 2_560};

    static final int STEP_COUNT = STEPS.length;

    private final long count;
    private final double medianMillis;
    private final double[] longer = new double[STEPS.length];

    /** Reads a histogram of microseconds. */
    BlockTimes(Histogram times) {
        count = times.getTotalCount();
        medianMillis = count == 0 ? Double.NaN : times.getValueAtPercentile(50) / 1_000.0;
        for (int step = 0; step < STEPS.length; step++) {
            long limit = (long) (STEPS[step] * 1_000);
            long most = times.getMaxValue();
            longer[step] = count == 0
                    ? Double.NaN
                    : most <= limit
                            ? 0
                            : times.getCountBetweenValues(limit + 1, most) / (double) count;
        }
    }

    static double stepMillis(int step) {
        return STEPS[step];
    }

    long count() {
        return count;
    }

    /** Returns the median; {@code NaN} without times. */
    double medianMillis() {
        return medianMillis;
    }

    /** Returns the share of the times that are longer than a step; {@code NaN} without times. */
    double longerThan(int step) {
        return longer[step];
    }
}
