package dev.komainu.central.indices;

import dev.komainu.telemetry.record.AccessLogWindow;

/**
 * The figures of a server's own access log, by the second. A window fills every second that it
 * covers. A log contains requests only after their end, and its windows wait for late entries: so
 * the newest window also counts for the {@value #HOLD_SECONDS} s after it. Guarded by its owner's
 * lock.
 */
final class AccessLogRing {

    /**
     * The agent waits half a minute for late entries; a window has ten seconds, and there is the
     * way here.
     */
    static final int HOLD_SECONDS = 60;

    private final SecondRing figures;
    private final DistributionRing durations;
    private final int holdSlots;

    AccessLogRing(int slots, int holdSlots) {
        this.figures = new SecondRing(LogColumn.values().length, slots);
        this.durations = new DistributionRing(slots);
        this.holdSlots = holdSlots;
    }

    /**
     * @param nth how many windows have told of this slot with this one: they are averaged, peaks
     *     kept
     */
    void put(long slot, AccessLogWindow window, int nth) {
        boolean kept = figures.put(slot, (columns, at) -> {
            for (LogColumn column : LogColumn.values()) {
                double[] values = columns[column.ordinal()];
                values[at] = blend(column, values[at], column.of(window), nth);
            }
        });
        if (kept) {
            durations.put(slot, window.duration());
        }
    }

    void forgetAfter(long slot) {
        figures.forgetAfter(slot);
        durations.forgetAfter(slot);
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
        return figures.mean(column.ordinal(), held(end), over);
    }

    double max(LogColumn column, long end, int over) {
        return figures.max(column.ordinal(), held(end), over);
    }

    double durationMillis(int percentile, long end, int over) {
        return durations.millis(percentile, held(end), over);
    }

    private long held(long end) {
        long newest = figures.newest();
        return newest != Long.MIN_VALUE && end > newest && end - newest <= holdSlots ? newest : end;
    }
}
