package dev.komainu.agent.summary;

import dev.komainu.telemetry.record.ConnectionParts;
import java.util.Arrays;

/**
 * Sample of connections: those with the lowest keys, without sign. Keys are hashes, so two monitors
 * that see the same connections have the same ones in their samples, and a share of the samples in
 * common is an estimate of the share of the connections in common (Broder 1997). The highest key of
 * a full sample is an estimate of the number of connections.
 */
final class KeySample {

    private static final double ALL_KEYS = 0x1p64;

    private final long[] lowest = new long[ConnectionParts.SAMPLE];
    private int count;

    void add(long key) {
        if (count == lowest.length && Long.compareUnsigned(key, lowest[count - 1]) >= 0) {
            return;
        }
        int place = placeOf(key);
        if (place < count && lowest[place] == key) {
            return;
        }
        if (count < lowest.length) {
            count++;
        }
        System.arraycopy(lowest, place, lowest, place + 1, count - 1 - place);
        lowest[place] = key;
    }

    private int placeOf(long key) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (Long.compareUnsigned(lowest[middle], key) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Returns the estimated number of distinct keys; exact while the sample is not full. */
    long estimate() {
        if (count < lowest.length) {
            return count;
        }
        double highest = (lowest[count - 1] >>> 1) * 2.0;
        return Math.max(count + 1L, Math.round((count - 1) * (ALL_KEYS / Math.max(1, highest))));
    }

    ConnectionParts parts() {
        ConnectionParts.Builder parts = new ConnectionParts.Builder();
        Arrays.stream(lowest, 0, count).forEach(parts::key);
        return parts.build();
    }

    void clear() {
        count = 0;
    }
}
