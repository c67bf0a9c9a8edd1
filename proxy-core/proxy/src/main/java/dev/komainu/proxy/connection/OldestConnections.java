package dev.komainu.proxy.connection;

import dev.komainu.intermediary.connection.ConnectionSide;
import java.util.Arrays;
import java.util.List;

/**
 * The longest idle connections over all loops, at one reading, and the number of those to close:
 * always the oldest next.
 */
final class OldestConnections {

    /** The ages by side; the oldest last. */
    private final long[][] agesNanos = new long[ConnectionSide.values().length][];

    private final int[] selected = new int[ConnectionSide.values().length];

    /**
     * Merges the ages of all loops.
     *
     * @param loops the ages by side of each loop
     */
    OldestConnections(List<long[][]> loops) {
        for (ConnectionSide side : ConnectionSide.values()) {
            long[] all = loops.stream()
                    .flatMapToLong(loop -> Arrays.stream(loop[side.ordinal()]))
                    .toArray();
            Arrays.sort(all);
            agesNanos[side.ordinal()] = all;
        }
    }

    /** Returns the number of connections whose closing would free this resource. */
    int size(LimitedResource resource) {
        int sum = 0;
        for (ConnectionSide side : ConnectionSide.values()) {
            sum += resource.isFreedBy(side) ? agesNanos[side.ordinal()].length : 0;
        }
        return sum;
    }

    /** Returns the number of them that are selected already. */
    int selected(LimitedResource resource) {
        int sum = 0;
        for (ConnectionSide side : ConnectionSide.values()) {
            sum += resource.isFreedBy(side) ? selected[side.ordinal()] : 0;
        }
        return sum;
    }

    int selected(ConnectionSide side) {
        return selected[side.ordinal()];
    }

    /**
     * Selects one more connection for a resource.
     *
     * @return false when none is left
     */
    boolean select(LimitedResource resource) {
        ConnectionSide oldest = null;
        for (ConnectionSide side : ConnectionSide.values()) {
            if (resource.isFreedBy(side)
                    && next(side) >= 0
                    && (oldest == null || next(side) > next(oldest))) {
                oldest = side;
            }
        }
        if (oldest == null) {
            return false;
        }
        selected[oldest.ordinal()]++;
        return true;
    }

    private long next(ConnectionSide side) {
        int index = agesNanos[side.ordinal()].length - 1 - selected[side.ordinal()];
        return index < 0 ? -1 : agesNanos[side.ordinal()][index];
    }

    /** Returns the age of the youngest selected connection. */
    long youngestAgeNanos(ConnectionSide side) {
        return agesNanos[side.ordinal()][
                agesNanos[side.ordinal()].length - selected[side.ordinal()]];
    }
}
