package dev.komainu.central.union;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The connections that sources reported in the last seconds: which sources saw each, and which
 * source counts for it. One thread at a time.
 */
final class SeenConnections {

    /**
     * Seconds after which a connection that no source reports is forgotten. An open connection is
     * reported every second, also without packets.
     */
    static final int REMEMBERED_SECONDS = 5;

    /**
     * Seconds by which the reports of two sources about one connection may differ, because their
     * clocks do.
     */
    static final int CLOCK_SECONDS = 2;

    private final Map<Long, Seen> connections = new HashMap<>();
    private final ViewStatistics gone = new ViewStatistics();
    private long swept = Long.MIN_VALUE;

    /** One connection. */
    static final class Seen {
        final long firstSecond;
        long lastSecond;
        /** Bits of the sources that saw it. */
        int sources;
        /** True: another source may have seen this connection without reporting it. */
        boolean doubtful;
        /** The source whose report of the connection counts; null: none yet. */
        @Nullable
        ReportingSource owner;
        /** The last second in which the owner reported it. */
        long lastOfOwner;

        /** True: the beginning, respectively the end, of this connection is counted already. */
        private boolean isArrivalCounted;

        private boolean isEndCounted;

        Seen(long second) {
            firstSecond = second;
        }

        /**
         * Returns how many beginnings of the connection count.
         *
         * @param isNewOwner whether an earlier owner may have counted the same one, by another
         *     clock
         */
        long arrivals(long reported, boolean isNewOwner) {
            long counted = isNewOwner && isArrivalCounted ? reported - 1 : reported;
            isArrivalCounted = true;
            isEndCounted &= counted == 0;
            return counted;
        }

        /** Returns how many ends of the connection count. */
        long ends(long reported, boolean isNewOwner) {
            long counted = isNewOwner && isEndCounted ? reported - 1 : reported;
            isEndCounted = true;
            return counted;
        }

        void own(ReportingSource source, long second) {
            owner = source;
            lastOfOwner = second;
        }
    }

    /** Notes that a source saw a connection. */
    Seen note(long key, ReportingSource source, long second) {
        Seen seen = connections.computeIfAbsent(key, added -> new Seen(second));
        note(seen, source, second);
        return seen;
    }

    /** Notes that a source saw a connection that is known already; else does nothing. */
    void noteKnown(long key, ReportingSource source, long second) {
        Seen seen = connections.get(key);
        if (seen != null) {
            note(seen, source, second);
        }
    }

    private static void note(Seen seen, ReportingSource source, long second) {
        seen.sources |= source.bit();
        seen.lastSecond = Math.max(seen.lastSecond, second);
        if (seen.owner == source) {
            seen.lastOfOwner = second;
        }
    }

    /**
     * Excludes connections from the counts that are new, and above the limit up to which all are
     * reported now: another source would have reported them now.
     */
    void doubt(long limit, long second) {
        connections.forEach((key, seen) -> {
            if (Long.compareUnsigned(key, limit) > 0
                    && seen.firstSecond >= second - CLOCK_SECONDS) {
                seen.doubtful = true;
            }
        });
    }

    /** Returns a connection that was noted. */
    Seen get(long key) {
        Seen seen = connections.get(key);
        if (seen == null) {
            throw new IllegalStateException("connection " + Long.toHexString(key) + " not noted");
        }
        return seen;
    }

    /** Returns the bits of the sources that saw a connection; 0 when it was not noted. */
    int sourcesOf(long key) {
        Seen seen = connections.get(key);
        return seen == null ? 0 : seen.sources;
    }

    /** Forgets connections that were not reported for some seconds. */
    void sweep(long second) {
        gone.advance(second);
        if (swept != Long.MIN_VALUE && Math.abs(second - swept) < REMEMBERED_SECONDS) {
            return;
        }
        swept = second;
        Iterator<Seen> all = connections.values().iterator();
        while (all.hasNext()) {
            Seen seen = all.next();
            if (seen.lastSecond < second - REMEMBERED_SECONDS) {
                if (!seen.doubtful) {
                    gone.add(seen.sources, second);
                }
                all.remove();
            }
        }
    }

    /**
     * Returns the number of connections seen by such a set of sources, without those that are so
     * new that another source may report them later.
     *
     * @param second the newest second
     */
    long count(long second, IntPredicate sources) {
        long count = gone.count(sources);
        for (Seen seen : connections.values()) {
            if (!seen.doubtful
                    && seen.firstSecond < second - CLOCK_SECONDS
                    && sources.test(seen.sources)) {
                count++;
            }
        }
        return count;
    }

    void clear() {
        connections.clear();
        gone.clear();
        swept = Long.MIN_VALUE;
    }
}
