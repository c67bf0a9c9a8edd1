package dev.komainu.central.store;

import dev.komainu.telemetry.record.BucketCounts;
import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The sum of windows of one kind. Pure: the same parts give the same total.
 *
 * @param <W> the kind of window
 */
public interface Summation<W extends TelemetryRecord> {

    /**
     * A window with the time it covers, which is less than its length when it is a sum with gaps.
     */
    record Part<W>(W window, long coveredMicros) {}

    String service(W window);

    long fromMicros(W window);

    long lengthMicros(W window);

    /**
     * Sums windows to one.
     *
     * @param parts windows of one service from one source, in order of time, at least one
     * @param fromMicros start of the sum
     * @param lengthMicros length of the sum
     */
    W sum(List<Part<W>> parts, long fromMicros, long lengthMicros);

    /**
     * Adds two windows that one source reported for the same time under two names of one service (a
     * server's two addresses, observed from elsewhere). Their times are not added.
     */
    W beside(W one, W other);

    /** Reports whether the source itself lost more than a thousandth of the packets. */
    boolean isLossy(W window);

    /** Returns the record as a window of this kind; null when it is another kind. */
    @Nullable
    W windowOf(TelemetryRecord record);

    static <W> long covered(List<Part<W>> parts) {
        return parts.stream().mapToLong(Part::coveredMicros).sum();
    }

    static <W> long total(List<Part<W>> parts, ToLongFunction<W> field) {
        long total = 0;
        for (Part<W> part : parts) {
            total += field.applyAsLong(part.window());
        }
        return total;
    }

    static <W> long highest(List<Part<W>> parts, ToLongFunction<W> field) {
        long highest = Long.MIN_VALUE;
        for (Part<W> part : parts) {
            highest = Math.max(highest, field.applyAsLong(part.window()));
        }
        return highest;
    }

    /** Returns the mean weighted by the time that each part covers. */
    static <W> double mean(List<Part<W>> parts, ToDoubleFunction<W> field) {
        double weighted = 0;
        long covered = 0;
        for (Part<W> part : parts) {
            weighted += field.applyAsDouble(part.window()) * part.coveredMicros();
            covered += part.coveredMicros();
        }
        return covered == 0 ? 0 : weighted / covered;
    }

    static <W> Distribution merged(List<Part<W>> parts, Function<W, Distribution> field) {
        Distribution only = Distribution.empty();
        BucketCounts total = null;
        for (Part<W> part : parts) {
            Distribution next = field.apply(part.window());
            if (next.count() == 0) {
                continue;
            }
            if (total != null) {
                total.add(next);
            } else if (only.count() == 0) {
                only = next;
            } else {
                total = BucketCounts.take();
                total.add(only);
                total.add(next);
            }
        }
        if (total == null) {
            return only;
        }
        Distribution merged = Distribution.of(total);
        total.release();
        return merged;
    }
}
