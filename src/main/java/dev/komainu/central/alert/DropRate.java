package dev.komainu.central.alert;

import dev.komainu.telemetry.record.SourceStatus;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;

/**
 * The records that one source lost in the last minute, from the counters that it reports since its
 * start. A restarted source counts from zero; what it lost before its first report is not counted.
 * One thread.
 */
final class DropRate {

    private static final long MINUTE_MICROS = 60_000_000;

    /** What {@code DropCounts} of the reporters counts: records that will never arrive. */
    private static final Set<String> RECORDS = Set.of(
            "queue-full",
            "unwritable",
            "memory-full",
            "spool-failed",
            "spool-full",
            "spool-corrupt",
            "rejected",
            "closed");

    private final Deque<Told> told = new ArrayDeque<>();
    private long startedMicros;

    private record Told(long atMicros, long packets, long records) {}

    void hear(SourceStatus status) {
        if (!told.isEmpty() && status.startedMicros() != startedMicros) {
            told.clear();
            told.add(new Told(status.startedMicros(), 0, 0));
        }
        startedMicros = status.startedMicros();
        if (!told.isEmpty() && told.getLast().atMicros() >= status.atMicros()) {
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
        told.add(new Told(status.atMicros(), packets, records));
        // One word older than a minute stays: the minute is measured from it.
        while (told.size() > 2 && secondOldest().atMicros() <= status.atMicros() - MINUTE_MICROS) {
            told.removeFirst();
        }
    }

    /** Packets the kernel dropped in the last minute told of, or little more. */
    long packets() {
        return told.isEmpty()
                ? 0
                : Math.max(0, told.getLast().packets() - told.getFirst().packets());
    }

    /** Records left out in the last minute told of, or little more. */
    long records() {
        return told.isEmpty()
                ? 0
                : Math.max(0, told.getLast().records() - told.getFirst().records());
    }

    private Told secondOldest() {
        var each = told.iterator();
        each.next();
        return each.next();
    }
}
