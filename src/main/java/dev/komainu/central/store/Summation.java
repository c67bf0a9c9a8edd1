package dev.komainu.central.store;

import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The sum of windows of one kind. Pure: the same parts give the same total.
 *
 * @param <W> the kind of window
 */
public interface Summation<W extends TelemetryRecord> {

    /**
     * A window with the time it really tells of, which is less than its length when it is a sum
     * with gaps.
     */
    record Part<W>(W window, long coveredMicros) {}

    String service(W window);

    long fromMicros(W window);

    long lengthMicros(W window);

    /** @param parts of one service from one source, in order of time, at least one */
    W sum(List<Part<W>> parts, long fromMicros, long lengthMicros);

    /**
     * Adds up what one source told of the same time under two names of one service (a server's two
     * addresses, seen from elsewhere): side by side, not one after the other.
     */
    W beside(W one, W other);

    /** Whether the source itself lost more than a thousandth of what it should have seen. */
    boolean isLossy(W window);

    /** The window, when this record is of the kind. */
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

    /** Mean weighted by the time each part tells of. */
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
        Histogram total = null;
        for (Part<W> part : parts) {
            Distribution next = field.apply(part.window());
            if (next.count() == 0) {
                continue;
            }
            if (total != null) {
                next.addTo(total);
            } else if (only.count() == 0) {
                only = next;
            } else {
                total = Distribution.newRecorder();
                only.addTo(total);
                next.addTo(total);
            }
        }
        return total == null ? only : Distribution.of(total);
    }
}
