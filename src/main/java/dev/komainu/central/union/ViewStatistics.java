package dev.komainu.central.union;

import java.util.HashMap;
import java.util.Map;
import java.util.function.IntPredicate;

/**
 * Numbers of connections by the set of sources that saw them, over the last one to two times
 * {@value #GENERATION_SECONDS} s. One thread at a time.
 */
final class ViewStatistics {

    static final int GENERATION_SECONDS = 15;

    private Map<Integer, Long> current = new HashMap<>();
    private Map<Integer, Long> previous = new HashMap<>();
    private long begun = Long.MIN_VALUE;

    /** Adds a connection that was seen for the last time. */
    void add(int sources, long second) {
        advance(second);
        current.merge(sources, 1L, Long::sum);
    }

    /** Begins a new generation when it is time. */
    void advance(long second) {
        if (begun == Long.MIN_VALUE || second < begun) {
            begun = second;
        } else if (second - begun >= 2 * GENERATION_SECONDS) {
            previous = new HashMap<>();
            current = new HashMap<>();
            begun = second;
        } else if (second - begun >= GENERATION_SECONDS) {
            previous = current;
            current = new HashMap<>();
            begun = second;
        }
    }

    /** Returns the number of connections that were seen by such a set of sources. */
    long count(IntPredicate sources) {
        return count(current, sources) + count(previous, sources);
    }

    private static long count(Map<Integer, Long> counts, IntPredicate sources) {
        long sum = 0;
        for (Map.Entry<Integer, Long> entry : counts.entrySet()) {
            if (sources.test(entry.getKey())) {
                sum += entry.getValue();
            }
        }
        return sum;
    }

    void clear() {
        current.clear();
        previous.clear();
        begun = Long.MIN_VALUE;
    }
}
