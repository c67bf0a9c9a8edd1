package dev.komainu.proxy.disk;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counters of the tier since its start. Thread-safe. */
final class DiskCounts {

    /**
     * The reasons why an indexed record was not read. The counters balance: {@code asked} is
     * {@code found} plus all of these.
     */
    enum Unread {
        /** The tier is closed at the peak. */
        PEAK,
        /** The readers' queue was full. */
        QUEUE_FULL,
        /** Dropped or replaced between the index lookup and the read. */
        GONE,
        /** Purged, before or during the read. */
        PURGED,
        /** Stale and without a validator. */
        STALE,
        /** A checksum did not match. */
        DAMAGED,
        /** No room in memory. */
        NO_ROOM,
        /** An input error of the system. */
        FAILED;

        String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** The reasons why a response that left memory was not written. */
    enum Unwritten {
        PEAK,
        /** Too many bytes wait. For responses never requested, half the limit applies. */
        QUEUE_FULL,
        /** Soon stale and without a validator. */
        WORTHLESS,
        /** Longer than half a segment. */
        TOO_LARGE,
        /** Purged or replaced while it waited. */
        OUTDATED,
        /** A variant whose rule is no longer in memory. */
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
    /** Responses that left memory while the same was already on the disk. */
    final LongAdder kept = new LongAdder();
    /** Records rewritten before their segment was dropped, because they had been requested. */
    final LongAdder renewed = new LongAdder();
    /** Records dropped with their segments. */
    final LongAdder aged = new LongAdder();
    /** Time that readers worked, without queueing. */
    final LongAdder busyNanos = new LongAdder();

    private static LongAdder[] adders(int count) {
        LongAdder[] values = new LongAdder[count];
        Arrays.setAll(values, i -> new LongAdder());
        return values;
    }

    void count(Unread reason) {
        unread[reason.ordinal()].increment();
    }

    void count(Unwritten reason) {
        unwritten[reason.ordinal()].increment();
    }

    long of(Unread reason) {
        return unread[reason.ordinal()].sum();
    }

    Map<String, Long> unread() {
        Map<String, Long> values = new LinkedHashMap<>();
        for (Unread reason : Unread.values()) {
            values.put(reason.text(), unread[reason.ordinal()].sum());
        }
        return values;
    }

    Map<String, Long> unwritten() {
        Map<String, Long> values = new LinkedHashMap<>();
        for (Unwritten reason : Unwritten.values()) {
            values.put(reason.text(), unwritten[reason.ordinal()].sum());
        }
        return values;
    }
}
