package dev.komainu.agent.compare;

import java.util.Map;
import java.util.TreeMap;

/**
 * Which sequence numbers were seen, as ranges of unwrapped numbers: the simplest thing that is
 * right.
 */
final class SequenceSet {

    private final TreeMap<Long, Long> ranges = new TreeMap<>();
    private long reference = Long.MIN_VALUE;

    /** Adds [from, from + length); returns how many of them are new. */
    long add(int from, int length) {
        if (reference == Long.MIN_VALUE) {
            reference = Integer.toUnsignedLong(from);
        }
        long start = reference + (from - (int) reference);
        reference = Math.max(reference, start);
        long end = start + length;
        long fresh = length;
        Map.Entry<Long, Long> before = ranges.floorEntry(start);
        if (before != null && before.getValue() >= start) {
            fresh -= Math.max(0, Math.min(end, before.getValue()) - start);
            start = before.getKey();
            end = Math.max(end, before.getValue());
        }
        Map.Entry<Long, Long> next = ranges.higherEntry(start);
        while (next != null && next.getKey() <= end) {
            long original = reference(from);
            long from2 = Math.max(next.getKey(), original);
            long to2 = Math.min(next.getValue(), original + length);
            fresh -= Math.max(0, to2 - from2);
            end = Math.max(end, next.getValue());
            ranges.remove(next.getKey());
            next = ranges.higherEntry(start);
        }
        if (end > start) {
            ranges.put(start, end);
        }
        return fresh;
    }

    private long reference(int from) {
        return reference + (from - (int) reference);
    }
}
