package dev.komainu.proxy.disk;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** What the tier counts since its start. Safe for all threads. */
final class DiskCounts {

    /**
     * Why something that could have been read was not: reads balance as {@code asked = found + all
     * of these}.
     */
    enum Unread {
        /** At the peak: no disk on behalf of a request. */
        PEAK,
        /** The readers' queue was full. */
        QUEUE_FULL,
        /** Dropped or replaced between the look into the index and the read. */
        GONE,
        /** Purged, also while it was being read. */
        PURGED,
        /** Neither fresh nor to be confirmed by its origin. */
        STALE,
        /** Not what its checksums say. */
        DAMAGED,
        /** No room in memory. */
        NO_ROOM,
        /** The system refused. */
        FAILED;

        String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** Why something that left memory was not written. */
    enum Unwritten {
        PEAK,
        /** Too much waits already; when half of it does, for what was never asked for. */
        QUEUE_FULL,
        /** Neither fresh for a while nor to be confirmed by its origin. */
        WORTHLESS,
        /** Longer than a segment. */
        TOO_LARGE,
        /** Purged or replaced while it waited. */
        OUTDATED,
        /** A variant whose rule memory does not know any more. */
        NO_RULE,
        FAILED;

        String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    private final LongAdder[] unread = adders(Unread.values().length);
    private final LongAdder[] unwritten = adders(Unwritten.values().length);
    final LongAdder asked = new LongAdder();
    final LongAdder found = new LongAdder();
    final LongAdder foundBytes = new LongAdder();
    final LongAdder written = new LongAdder();
    final LongAdder writtenBytes = new LongAdder();
    /** Left memory while the same lay on the disk already. */
    final LongAdder kept = new LongAdder();
    /** Written again because it was asked for, when its segment went. */
    final LongAdder renewed = new LongAdder();
    /** Gone with their segments. */
    final LongAdder aged = new LongAdder();
    /** Time that readers worked, queueing left out. */
    final LongAdder busyNanos = new LongAdder();

    private static LongAdder[] adders(int count) {
        LongAdder[] all = new LongAdder[count];
        Arrays.setAll(all, i -> new LongAdder());
        return all;
    }

    void not(Unread why) {
        unread[why.ordinal()].increment();
    }

    void not(Unwritten why) {
        unwritten[why.ordinal()].increment();
    }

    long of(Unread why) {
        return unread[why.ordinal()].sum();
    }

    Map<String, Long> unread() {
        Map<String, Long> all = new LinkedHashMap<>();
        for (Unread why : Unread.values()) {
            all.put(why.text(), unread[why.ordinal()].sum());
        }
        return all;
    }

    Map<String, Long> unwritten() {
        Map<String, Long> all = new LinkedHashMap<>();
        for (Unwritten why : Unwritten.values()) {
            all.put(why.text(), unwritten[why.ordinal()].sum());
        }
        return all;
    }
}
