package dev.komainu.central.indices;

import dev.komainu.telemetry.record.AccessLogWindow;

/**
 * The figures of a server's own access log, by the second. A window fills every second that it
 * covers. A log contains requests only after their end, and the agent delays its windows for late
 * entries. So the newest window also counts for the {@value #HOLD_SECONDS} s after it. Guarded by
 * its owner's lock.
 */
final class AccessLogRing {

    /**
     * Seconds for which the newest window also counts: the agent waits half a minute for late
     * entries, a window has ten seconds, and the transfer takes time.
     */
    static final int HOLD_SECONDS = 60;

    private final SecondRing figures;
    private final DistributionRing durations;
    private final int holdSlots;

    AccessLogRing(int slots, int holdSlots, DistributionRing durations) {
        this.figures = new SecondRing(LogColumn.values().length, slots);
        this.durations = durations;
        this.holdSlots = holdSlots;
    }

    /**
     * Fills one slot from a window.
     *
     * @param nth number of windows that have reported this slot, including this one; their values
     *     are averaged, and the highest peak is kept
     */
    void put(long slot, AccessLogWindow window, int nth) {
        boolean kept = figures.put(slot, values -> {
            for (LogColumn column : LogColumn.values()) {
                double before = values.before(column.ordinal());
                values.set(column.ordinal(), blend(column, before, column.of(window), nth));
            }
        });
        if (kept) {
            durations.put(slot, window.durations().duration());
        }
    }

    void clearAfter(long slot) {
        figures.clearAfter(slot);
        durations.clearAfter(slot);
    }

    private static double blend(LogColumn column, double before, double value, int nth) {
        if (nth == 1 || Double.isNaN(before)) {
            return value;
        }
        return column == LogColumn.CONCURRENT_MAX
                ? Math.max(before, value)
                : before + (value - before) / nth;
    }

    double mean(LogColumn column, long end, int over) {
        return figures.mean(column.ordinal(), effectiveEnd(end), over);
    }

    double max(LogColumn column, long end, int over) {
        return figures.max(column.ordinal(), effectiveEnd(end), over);
    }

    double durationMillis(int percentile, long end, int over) {
        return durations.millis(percentile, effectiveEnd(end), over);
    }

    private long effectiveEnd(long end) {
        long newest = figures.newest();
        return newest != Long.MIN_VALUE && end > newest && end - newest <= holdSlots ? newest : end;
    }
}
