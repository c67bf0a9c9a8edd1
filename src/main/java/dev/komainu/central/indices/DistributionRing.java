package dev.komainu.central.indices;

import dev.komainu.telemetry.record.Distribution;
import java.util.HashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Each second's distribution of one duration; windows are merged, then asked: percentiles are never averaged.
 *
 * <p>A merged window that ends with a filled second never changes again (windows of a source come in order), so the
 * answers are kept for as long as the judge may ask for them again. Guarded by its owner's lock.
 */
final class DistributionRing {

    private static final int REMEMBERED = 1_024;

    private final long[] seconds;
    private final @Nullable Distribution[] slots;
    private final Histogram scratch = Distribution.newRecorder();
    private final Map<Asked, Double> answers = new HashMap<>();

    DistributionRing(int length) {
        seconds = new long[length];
        slots = new Distribution[length];
    }

    void put(long second, Distribution distribution) {
        int slot = slot(second);
        seconds[slot] = second;
        slots[slot] = distribution;
    }

    /** Milliseconds below which {@code percentile} of the window's durations lie; {@code NaN} when there are none. */
    double millis(double percentile, long end, int over) {
        Asked asked = new Asked(percentile, end, over);
        Double known = answers.get(asked);
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
        double answer = scratch.getTotalCount() == 0 ? Double.NaN : scratch.getValueAtPercentile(percentile) / 1_000.0;
        if (at(end) != null) {
            if (answers.size() >= REMEMBERED) {
                answers.clear();
            }
            answers.put(asked, answer);
        }
        return answer;
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

    private record Asked(double percentile, long end, int over) {}
}
