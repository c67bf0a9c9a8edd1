package dev.komainu.central.indices;

import java.util.Arrays;

/**
 * The percentiles of the newest windows that were requested. Each window has one place; another
 * window with the same place replaces it. Its memory does not grow with the number of windows.
 * Guarded by its owner's lock.
 */
final class PercentileCache {

    /** The points of a sparkline, and the windows of the rules for the newest second. */
    private static final int PLACES = 128;

    private static final int VALUES = DistributionRing.PERCENTILES.size();
    private static final long EMPTY = Long.MIN_VALUE;

    private final long[] ends = new long[PLACES];
    private final int[] lengths = new int[PLACES];
    private final double[] values = new double[PLACES * VALUES];

    PercentileCache() {
        clear();
    }

    /** Reports whether the percentiles of a window are here. */
    boolean contains(long end, int over) {
        int place = place(end, over);
        return ends[place] == end && lengths[place] == over;
    }

    /**
     * Returns a percentile of a window that is here.
     *
     * @param which index in {@link DistributionRing#PERCENTILES}
     */
    double get(long end, int over, int which) {
        return values[place(end, over) * VALUES + which];
    }

    void put(long end, int over, double[] percentiles) {
        int place = place(end, over);
        ends[place] = end;
        lengths[place] = over;
        System.arraycopy(percentiles, 0, values, place * VALUES, VALUES);
    }

    void clear() {
        Arrays.fill(ends, EMPTY);
    }

    /** Windows that end in successive seconds have successive places. */
    private static int place(long end, int over) {
        return (int) Math.floorMod(end + 31L * over, (long) PLACES);
    }
}
