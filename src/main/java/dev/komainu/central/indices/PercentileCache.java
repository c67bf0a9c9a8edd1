package dev.komainu.central.indices;

import dev.komainu.telemetry.record.BucketCounts;
import dev.komainu.telemetry.record.Distribution;
import java.util.Arrays;

/**
 * The percentiles of the newest windows that were requested, as numbers of buckets. Each window has
 * one place; another window with the same place replaces it. Windows of one second have places of
 * their own, because sparklines read sixty of them. Its memory does not grow with the number of
 * windows. Guarded by its owner's lock.
 */
final class PercentileCache {

    /** The points of a sparkline. */
    private static final int SECONDS = 64;

    /** The windows of the rules: those of a few lengths that end within the last seconds. */
    private static final int WINDOWS = 64;

    /** Windows of neighbouring lengths that end in the same seconds have other places. */
    private static final int APART = 13;

    private static final int VALUES = DistributionRing.PERCENTILES.size();
    private static final int EMPTY = 0;

    private final long[] ends = new long[SECONDS + WINDOWS];

    /** Seconds of each window; {@link #EMPTY} where there is none. */
    private final short[] lengths = new short[SECONDS + WINDOWS];

    private final short[] buckets = new short[(SECONDS + WINDOWS) * VALUES];

    /** Reports whether the percentiles of a window are here. */
    boolean contains(long end, int over) {
        int place = place(end, over);
        return ends[place] == end && lengths[place] == over;
    }

    /**
     * Returns a percentile of a window that is here, in milliseconds.
     *
     * @param which index in {@link DistributionRing#PERCENTILES}
     */
    double millis(long end, int over, int which) {
        return millis(buckets[place(end, over) * VALUES + which]);
    }

    /** Returns the longest duration of a bucket in milliseconds; {@code NaN} for none. */
    static double millis(short bucket) {
        return bucket == BucketCounts.NONE
                ? Double.NaN
                : Distribution.highestMicros(bucket) / 1_000.0;
    }

    void put(long end, int over, short[] percentiles) {
        if (over <= Short.MAX_VALUE) {
            int place = place(end, over);
            ends[place] = end;
            lengths[place] = (short) over;
            System.arraycopy(percentiles, 0, buckets, place * VALUES, VALUES);
        }
    }

    void clear() {
        Arrays.fill(lengths, (short) EMPTY);
    }

    /** Windows that end in successive seconds have successive places. */
    private static int place(long end, int over) {
        return over == 1
                ? (int) (end & (SECONDS - 1))
                : SECONDS + (int) ((end + (long) APART * over) & (WINDOWS - 1));
    }
}
