package dev.komainu.central.indices;

import dev.komainu.telemetry.record.Distribution;
import java.util.HashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The distribution of one duration in each second. Windows are merged before percentiles are
 * computed: percentiles are never averaged.
 *
 * <p>A merged window that ends with a filled second changes only when an older second is filled
 * again. So the percentiles are kept until then, because the state model requests them again.
 * Guarded by its owner's lock.
 */
final class DistributionRing {

    private static final int MAX_CACHED = 1_024;

    private final long[] seconds;
    private final @Nullable Distribution[] slots;
    private final Histogram scratch = Distribution.newRecorder();
    private final Map<Window, double[]> cached = new HashMap<>();
    private long newest = Long.MIN_VALUE;

    DistributionRing(int length) {
        seconds = new long[length];
        slots = new Distribution[length];
    }

    void put(long second, Distribution distribution) {
        int slot = slot(second);
        if (newest >= second) {
            // A second that is filled late, or again from another source.
            cached.clear();
        }
        newest = Math.max(newest, second);
        seconds[slot] = second;
        slots[slot] = distribution;
    }

    /** Empties every slot of a later second, see {@link SecondRing#clearAfter}. */
    void clearAfter(long second) {
        if (newest <= second) {
            return;
        }
        newest = Long.MIN_VALUE;
        for (int slot = 0; slot < seconds.length; slot++) {
            if (seconds[slot] > second) {
                seconds[slot] = 0;
                slots[slot] = null;
            } else if (slots[slot] != null) {
                newest = Math.max(newest, seconds[slot]);
            }
        }
        cached.clear();
    }

    /**
     * Returns the percentile of the window's durations in milliseconds; {@code NaN} when there are
     * none.
     *
     * @param percentile 50, 95 or 99
     */
    double millis(int percentile, long end, int over) {
        return percentiles(end, over)[percentile == 50 ? 0 : percentile == 95 ? 1 : 2];
    }

    /**
     * Returns all three percentiles: merging is the expensive part, and most callers need more than
     * one.
     */
    private double[] percentiles(long end, int over) {
        Window window = new Window(end, over);
        double[] known = cached.get(window);
        if (known != null) {
            return known;
        }
        scratch.reset();
        for (long second = end - over + 1; second <= end; second++) {
            Distribution distribution = distribution(second);
            if (distribution != null) {
                distribution.addTo(scratch);
            }
        }
        double[] percentiles = {
            percentileMillis(scratch, 50),
            percentileMillis(scratch, 95),
            percentileMillis(scratch, 99)
        };
        if (distribution(end) != null) {
            if (cached.size() >= MAX_CACHED) {
                cached.clear();
            }
            cached.put(window, percentiles);
        }
        return percentiles;
    }

    private static double percentileMillis(Histogram merged, int percentile) {
        return merged.getTotalCount() == 0
                ? Double.NaN
                : merged.getValueAtPercentile(percentile) / 1_000.0;
    }

    long samples(long end, int over) {
        long count = 0;
        for (long second = end - over + 1; second <= end; second++) {
            Distribution distribution = distribution(second);
            count += distribution == null ? 0 : distribution.count();
        }
        return count;
    }

    private @Nullable Distribution distribution(long second) {
        int slot = slot(second);
        return seconds[slot] == second ? slots[slot] : null;
    }

    private int slot(long second) {
        return (int) Math.floorMod(second, (long) seconds.length);
    }

    private record Window(long end, int over) {}
}
