package dev.komainu.central.group;

import dev.komainu.central.indices.WindowTotals;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The figures of a group or of one member over one window. Rates are counts of the window divided
 * by its length; percentiles come from added histograms, never from other percentiles.
 *
 * @param arrivalPerSecond requests that arrived
 * @param processedPerSecond responses that began
 * @param concurrent mean number of open connections
 * @param trafficBytesPerSecond bytes on the wire, both directions
 * @param failureShare failures of requests; absent without requests
 * @param samples response times
 * @param responseP10Millis absent without response times, as the other percentiles
 */
public record GroupFigures(
        double arrivalPerSecond,
        double connectionsPerSecond,
        double processedPerSecond,
        double concurrent,
        double trafficBytesPerSecond,
        @Nullable Double failureShare,
        long samples,
        @Nullable Double responseP10Millis,
        @Nullable Double responseP50Millis,
        @Nullable Double responseP95Millis,
        @Nullable Double responseP99Millis) {

    private static final int STEPS_PER_DECADE = 8;
    private static final double FIRST_MICROS = 10;

    /** Returns the figures of totals over a window of this length. */
    public static GroupFigures of(WindowTotals totals, int seconds) {
        return new GroupFigures(
                totals.requests() / seconds,
                totals.connections() / seconds,
                totals.responses() / seconds,
                totals.concurrentSeconds() / seconds,
                totals.bytes() / seconds,
                totals.requests() <= 0 ? null : Math.min(1, totals.failures() / totals.requests()),
                totals.response().getTotalCount(),
                millis(totals.response(), 10),
                millis(totals.response(), 50),
                millis(totals.response(), 95),
                millis(totals.response(), 99));
    }

    static @Nullable Double millis(Histogram histogram, double percentile) {
        return histogram.getTotalCount() == 0
                ? null
                : histogram.getValueAtPercentile(percentile) / 1_000.0;
    }

    /**
     * One column of a drawn distribution.
     *
     * @param toMillis shorter than this, except in the last column
     */
    public record Bin(double fromMillis, double toMillis, long count) {}

    /**
     * Returns the response times in columns of an eighth of a decade, from the first to the last
     * that contains any.
     */
    public static List<Bin> bins(Histogram histogram) {
        List<Bin> bins = new ArrayList<>();
        if (histogram.getTotalCount() == 0) {
            return bins;
        }
        double from = 0;
        double to = FIRST_MICROS;
        long left = histogram.getTotalCount();
        for (int step = 1; left > 0; step++) {
            long count = count(histogram, from, to);
            if (count > 0 || !bins.isEmpty()) {
                bins.add(new Bin(from / 1_000, to / 1_000, count));
            }
            left -= count;
            from = to;
            to = FIRST_MICROS * Math.pow(10, (double) step / STEPS_PER_DECADE);
        }
        return bins;
    }

    /** Returns the durations whose bucket begins in a range; each bucket begins in one range. */
    private static long count(Histogram histogram, double from, double to) {
        long count = 0;
        for (var bucket : histogram.recordedValues()) {
            long lowest = histogram.lowestEquivalentValue(bucket.getValueIteratedTo());
            if (lowest >= from && lowest < to) {
                count += bucket.getCountAtValueIteratedTo();
            }
        }
        return count;
    }
}
