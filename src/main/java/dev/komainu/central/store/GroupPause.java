package dev.komainu.central.store;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The time for which batches of many sources wait for each other before a commit. A commit of one
 * batch takes as much CPU time as one of ten, and each of fifty agents reports once a second. One
 * or two sources do not wait: one of them may send what it kept during an outage, batch after
 * batch.
 *
 * <p>Not thread-safe.
 */
final class GroupPause {

    static final long MOST_MILLIS = 150;

    private static final long MILLIS_PER_SOURCE = 10;
    private static final int FREE_SOURCES = 2;
    private static final long COUNTED_NANOS = 1_000_000_000L;

    private final Set<String> sources = new HashSet<>();
    private int sourcesBefore;
    private long countedFrom;

    GroupPause(long nowNanos) {
        countedFrom = nowNanos;
    }

    /** Records that a batch of a source came. */
    void came(String source, long nowNanos) {
        long counted = nowNanos - countedFrom;
        if (counted >= COUNTED_NANOS) {
            sourcesBefore = counted < 2 * COUNTED_NANOS ? sources.size() : 0;
            sources.clear();
            countedFrom = nowNanos;
        }
        sources.add(source);
    }

    /** Returns the shortest time between the starts of two commits, in nanoseconds. */
    long nanos() {
        int many = Math.max(sources.size(), sourcesBefore) - FREE_SOURCES;
        return TimeUnit.MILLISECONDS.toNanos(Math.clamp(many * MILLIS_PER_SOURCE, 0, MOST_MILLIS));
    }
}
