package dev.komainu.telemetry.report;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * The counters of dropped records since the start, by reason. Accepted records = sent + waiting +
 * dropped. Any thread.
 *
 * <pre>
 * queue-full      arrived faster than batches could be written
 * unwritable      could not be put into a batch
 * memory-full     the batches in memory exceeded their limit and no spool is configured
 * spool-failed    the batches in memory exceeded their limit and the disk refused them (full, read-only)
 * spool-full      the oldest on disk were removed for newer ones
 * spool-corrupt   on disk, but damaged; records of a torn entry are unknown and count as one
 * rejected        poisoned: the central service will never accept them; stored in the quarantine
 * closed          arrived after close, or could be neither sent nor spooled at close
 * </pre>
 */
final class DropCounts {

    static final String QUEUE_FULL = "queue-full";
    static final String UNWRITABLE = "unwritable";
    static final String MEMORY_FULL = "memory-full";
    static final String SPOOL_FAILED = "spool-failed";
    static final String SPOOL_FULL = "spool-full";
    static final String SPOOL_CORRUPT = "spool-corrupt";
    static final String REJECTED = "rejected";
    static final String CLOSED = "closed";

    private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();

    void add(String reason, long records) {
        if (records > 0) {
            counts.computeIfAbsent(reason, key -> new LongAdder()).add(records);
        }
    }

    Map<String, Long> snapshot() {
        Map<String, Long> all = new TreeMap<>();
        counts.forEach((reason, count) -> all.put(reason, count.sum()));
        return all;
    }
}
