package dev.komainu.proxy.connection;

import dev.komainu.intermediary.connection.ConnectionSide;
import java.util.Arrays;
import java.util.List;

/**
 * The connections that are idle for longest over all loops, at one look, and which of them must go:
 * always the oldest next.
 */
final class OldestConnections {

    /** By side; the oldest last. */
    private final long[][] agesNanos = new long[ConnectionSide.values().length][];

    private final int[] taken = new int[ConnectionSide.values().length];

    /** @param each of a loop: ages by side */
    OldestConnections(List<long[][]> each) {
        for (ConnectionSide side : ConnectionSide.values()) {
            long[] all = each.stream()
                    .flatMapToLong(loop -> Arrays.stream(loop[side.ordinal()]))
                    .toArray();
            Arrays.sort(all);
            agesNanos[side.ordinal()] = all;
        }
    }

    /** Connections whose closing would help this resource. */
    int size(LimitedResource resource) {
        int sum = 0;
        for (ConnectionSide side : ConnectionSide.values()) {
            sum += resource.isFreedBy(side) ? agesNanos[side.ordinal()].length : 0;
        }
        return sum;
    }

    /** Of those, how many must go already. */
    int taken(LimitedResource resource) {
        int sum = 0;
        for (ConnectionSide side : ConnectionSide.values()) {
            sum += resource.isFreedBy(side) ? taken[side.ordinal()] : 0;
        }
        return sum;
    }

    int taken(ConnectionSide side) {
        return taken[side.ordinal()];
    }

    /** One more must go for it. @return false when none is left */
    boolean take(LimitedResource resource) {
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
        taken[oldest.ordinal()]++;
        return true;
    }

    private long next(ConnectionSide side) {
        int at = agesNanos[side.ordinal()].length - 1 - taken[side.ordinal()];
        return at < 0 ? -1 : agesNanos[side.ordinal()][at];
    }

    /** The age of the youngest that must go. */
    long leastAgeNanos(ConnectionSide side) {
        return agesNanos[side.ordinal()][agesNanos[side.ordinal()].length - taken[side.ordinal()]];
    }
}
