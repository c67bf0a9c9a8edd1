package dev.komainu.central.store;

import dev.komainu.telemetry.record.BatchId;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The names of all stored batches, as ranges of sequences. Sequences run 1, 2, 3 …, so each run of
 * a source is one range, and a look-up is cheap however many days are kept.
 *
 * <p>A source that invents runs or leaves gaps would fill the memory. So the runs used longest ago
 * and the lowest ranges of a run are forgotten above a limit; a batch among them that is sent again
 * is stored twice. Writer thread only.
 */
final class KnownBatches {

    private static final int MOST_RUNS = 10_000;
    private static final int MOST_RANGES_OF_A_RUN = 256;

    private final int mostRuns;
    private final int mostRangesOfARun;

    private record Run(String source, long epoch) {}

    /** Last sequence of each range by its first; ranges neither touch nor overlap. */
    @SuppressWarnings("NonApiType") // removeEldestEntry is given the map's own type
    private final Map<Run, TreeMap<Long, Long>> ranges = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Run, TreeMap<Long, Long>> eldest) {
            return size() > mostRuns;
        }
    };

    KnownBatches() {
        this(MOST_RUNS, MOST_RANGES_OF_A_RUN);
    }

    KnownBatches(int mostRuns, int mostRangesOfARun) {
        this.mostRuns = mostRuns;
        this.mostRangesOfARun = mostRangesOfARun;
    }

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
        if (of.size() > mostRangesOfARun) {
            of.pollFirstEntry();
        }
    }

    /** Returns the number of ranges, which determines the memory use. */
    int ranges() {
        return ranges.values().stream().mapToInt(TreeMap::size).sum();
    }
}
