package dev.komainu.central.indices;

import dev.komainu.telemetry.record.Distribution;
import java.util.HashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Each second's distribution of one duration; windows are merged, then asked: percentiles are never
 * averaged.
 *
 * <p>A merged window that ends with a filled second changes only when an older second is filled
 * again, so the answers are kept until then, for as long as the judge may ask for them again.
 * Guarded by its owner's lock.
 */
final class DistributionRing {

    private static final int REMEMBERED = 1_024;

    private final long[] seconds;
    private final @Nullable Distribution[] slots;
    private final Histogram scratch = Distribution.newRecorder();
    private final Map<Asked, double[]> answers = new HashMap<>();
    private long newest = Long.MIN_VALUE;

    DistributionRing(int length) {
        seconds = new long[length];
        slots = new Distribution[length];
    }

    void put(long second, Distribution distribution) {
        int slot = slot(second);
        if (newest >= second) {
            // A second filled late, or told anew by another source.
            answers.clear();
        }
        newest = Math.max(newest, second);
        seconds[slot] = second;
        slots[slot] = distribution;
    }

    /** Empties every slot of a later second, see {@link SecondRing#forgetAfter}. */
    void forgetAfter(long second) {
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
        answers.clear();
    }

    /**
     * Milliseconds below which {@code percentile} of the window's durations lie; {@code NaN} when
     * there are none.
     *
     * @param percentile 50, 95 or 99
     */
    double millis(int percentile, long end, int over) {
        return asked(end, over)[percentile == 50 ? 0 : percentile == 95 ? 1 : 2];
    }

    /**
     * All three at once: merging is what costs, and who asks for one mostly asks for the others
     * too.
     */
    private double[] asked(long end, int over) {
        Asked asked = new Asked(end, over);
        double[] known = answers.get(asked);
        if (known != null) {
            return known;
        }
        scratch.reset();
        for (long second = end - over + 1; second <= end; second++) {
            Distribution distribution = at(second);
            if (distribution != null) {
                distribution.addTo(scratch);
            }
        }
        double[] answer = {at(scratch, 50), at(scratch, 95), at(scratch, 99)};
        if (at(end) != null) {
            if (answers.size() >= REMEMBERED) {
                answers.clear();
            }
            answers.put(asked, answer);
        }
        return answer;
    }

    private static double at(Histogram merged, int percentile) {
        return merged.getTotalCount() == 0
                ? Double.NaN
                : merged.getValueAtPercentile(percentile) / 1_000.0;
    }

    long samples(long end, int over) {
        long count = 0;
        for (long second = end - over + 1; second <= end; second++) {
            Distribution distribution = at(second);
            count += distribution == null ? 0 : distribution.count();
        }
        return count;
    }

    private @Nullable Distribution at(long second) {
        int slot = slot(second);
        return seconds[slot] == second ? slots[slot] : null;
    }

    private int slot(long second) {
        return (int) Math.floorMod(second, (long) seconds.length);
    }

    private record Asked(long end, int over) {}
}
