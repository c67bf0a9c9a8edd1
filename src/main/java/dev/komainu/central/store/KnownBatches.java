package dev.komainu.central.store;

import dev.komainu.telemetry.record.BatchId;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The names of all stored batches, as ranges of sequences. Sequences run 1, 2, 3 …, so each run of
 * a source is one range, and a look-up is cheap however many days are kept. Writer thread only.
 */
final class KnownBatches {

    private record Run(String source, long epoch) {}

    /** Last sequence of each range by its first; ranges neither touch nor overlap. */
    private final Map<Run, TreeMap<Long, Long>> ranges = new HashMap<>();

    boolean contains(BatchId id) {
        TreeMap<Long, Long> of = ranges.get(new Run(id.source(), id.epoch()));
        Map.Entry<Long, Long> below = of == null ? null : of.floorEntry(id.sequence());
        return below != null && below.getValue() >= id.sequence();
    }

    void add(BatchId id) {
        add(id.source(), id.epoch(), id.sequence(), id.sequence());
    }

    /** Adds a range of sequences, both ends included. */
    void add(String source, long epoch, long first, long last) {
        TreeMap<Long, Long> of =
                ranges.computeIfAbsent(new Run(source, epoch), key -> new TreeMap<>());
        long from = first;
        long to = last;
        // Merge every range that overlaps or touches; the checks prevent an overflow at the
        // extremes.
        Map.Entry<Long, Long> below = of.floorEntry(to == Long.MAX_VALUE ? to : to + 1);
        while (below != null && (below.getValue() >= from || below.getValue() + 1 == from)) {
            from = Math.min(from, below.getKey());
            to = Math.max(to, below.getValue());
            of.remove(below.getKey());
            below = of.floorEntry(to == Long.MAX_VALUE ? to : to + 1);
        }
        of.put(from, to);
    }

    /** Returns the number of ranges, which determines the memory use. */
    int ranges() {
        return ranges.values().stream().mapToInt(TreeMap::size).sum();
    }
}
