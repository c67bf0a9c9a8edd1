package dev.komainu.central.store;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The time for which batches of many sources wait for each other before a commit. A commit of one
 * batch takes as much CPU time as one of ten, and each of fifty agents reports once a second. One
 * or two sources do not wait, and none does while sources send what they kept during an outage,
 * batch after batch: each of these waits for the commit of the one before.
 *
 * <p>Not thread-safe.
 */
final class GroupPause {

    static final long MOST_MILLIS = 150;

    private static final long MILLIS_PER_SOURCE = 10;
    private static final int FREE_SOURCES = 2;

    /** Batches of a source in a second; with more of them sources send what they kept. */
    private static final int BATCHES_PER_SOURCE = 2;

    private static final long COUNTED_NANOS = 1_000_000_000L;

    private final Set<String> sources = new HashSet<>();
    private int batches;
    private int sourcesBefore;
    private int batchesBefore;
    private long countedFrom;

    GroupPause(long nowNanos) {
        countedFrom = nowNanos;
    }

    /** Records that a batch of a source came. */
    void came(String source, long nowNanos) {
        long counted = nowNanos - countedFrom;
        if (counted >= COUNTED_NANOS) {
            boolean isNext = counted < 2 * COUNTED_NANOS;
            sourcesBefore = isNext ? sources.size() : 0;
            batchesBefore = isNext ? batches : 0;
            sources.clear();
            batches = 0;
            countedFrom = nowNanos;
        }
        sources.add(source);
        batches++;
    }

    /** Returns the shortest time between the starts of two commits, in nanoseconds. */
    long nanos() {
        int all = Math.max(sources.size(), sourcesBefore);
        if (Math.max(batches, batchesBefore) > BATCHES_PER_SOURCE * all) {
            return 0;
        }
        int many = all - FREE_SOURCES;
        return TimeUnit.MILLISECONDS.toNanos(Math.clamp(many * MILLIS_PER_SOURCE, 0, MOST_MILLIS));
    }
}
