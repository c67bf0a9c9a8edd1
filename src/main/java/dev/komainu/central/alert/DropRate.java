package dev.komainu.central.alert;

import dev.komainu.telemetry.record.SourceStatus;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Set;

/**
 * The packets and records that one source lost in the last minute, computed from the cumulative
 * counters in its reports. A restarted source counts from zero. Losses before its first report are
 * not counted. Not thread-safe.
 */
final class DropRate {

    private static final long MINUTE_MICROS = 60_000_000;

    /** The reasons of the reporters' {@code DropCounts} for which records are lost. */
    private static final Set<String> RECORDS = Set.of(
            "queue-full",
            "unwritable",
            "memory-full",
            "spool-failed",
            "spool-full",
            "spool-corrupt",
            "rejected",
            "closed");

    private final Deque<Report> reports = new ArrayDeque<>();
    private long startedMicros;

    private record Report(long atMicros, long packets, long records) {}

    void add(SourceStatus status) {
        if (!reports.isEmpty() && status.startedMicros() != startedMicros) {
            reports.clear();
            reports.add(new Report(status.startedMicros(), 0, 0));
        }
        startedMicros = status.startedMicros();
        if (!reports.isEmpty() && reports.getLast().atMicros() >= status.atMicros()) {
            return;
        }
        long packets = 0;
        long records = 0;
        for (SourceStatus.Drops drops : status.drops()) {
            if (drops.reason().equals("kernel-drop")) {
                packets += drops.count();
            } else if (RECORDS.contains(drops.reason())) {
                records += drops.count();
            }
        }
        reports.add(new Report(status.atMicros(), packets, records));
        // One report older than a minute stays: it is the base of the difference.
        while (reports.size() > 2
                && secondOldest().atMicros() <= status.atMicros() - MINUTE_MICROS) {
            reports.removeFirst();
        }
    }

    /**
     * Returns the packets that the kernel dropped in the last reported minute, or slightly longer.
     */
    long packets() {
        return reports.isEmpty()
                ? 0
                : Math.max(0, reports.getLast().packets() - reports.getFirst().packets());
    }

    /** Returns the records dropped in the last reported minute, or slightly longer. */
    long records() {
        return reports.isEmpty()
                ? 0
                : Math.max(0, reports.getLast().records() - reports.getFirst().records());
    }

    private Report secondOldest() {
        Iterator<Report> iterator = reports.iterator();
        iterator.next();
        return iterator.next();
    }
}
