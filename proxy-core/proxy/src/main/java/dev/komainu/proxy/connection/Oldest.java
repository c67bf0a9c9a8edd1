package dev.komainu.proxy.connection;

import dev.komainu.intermediary.connection.Side;
import java.util.Arrays;
import java.util.List;

/** The connections that are idle for longest over all loops, at one look, and which of them must go: always the oldest next. */
final class Oldest {

    /** By side; the oldest last. */
    private final long[][] agesNanos = new long[Side.values().length][];

    private final int[] taken = new int[Side.values().length];

    /** @param each of a loop: ages by side */
    Oldest(List<long[][]> each) {
        for (Side side : Side.values()) {
            long[] all = each.stream()
                    .flatMapToLong(loop -> Arrays.stream(loop[side.ordinal()]))
                    .toArray();
            Arrays.sort(all);
            agesNanos[side.ordinal()] = all;
        }
    }

    /** Connections whose closing would help this resource. */
    int size(Resource resource) {
        int sum = 0;
        for (Side side : Side.values()) {
            sum += resource.isFreedBy(side) ? agesNanos[side.ordinal()].length : 0;
        }
        return sum;
    }

    /** Of those, how many must go already. */
    int taken(Resource resource) {
        int sum = 0;
        for (Side side : Side.values()) {
            sum += resource.isFreedBy(side) ? taken[side.ordinal()] : 0;
        }
        return sum;
    }

    int taken(Side side) {
        return taken[side.ordinal()];
    }

    /** One more must go for it. @return false when none is left */
    boolean take(Resource resource) {
        Side oldest = null;
        for (Side side : Side.values()) {
            if (resource.isFreedBy(side) && next(side) >= 0 && (oldest == null || next(side) > next(oldest))) {
                oldest = side;
            }
        }
        if (oldest == null) {
            return false;
        }
        taken[oldest.ordinal()]++;
        return true;
    }

    private long next(Side side) {
        int at = agesNanos[side.ordinal()].length - 1 - taken[side.ordinal()];
        return at < 0 ? -1 : agesNanos[side.ordinal()][at];
    }

    /** The age of the youngest that must go. */
    long leastAgeNanos(Side side) {
        return agesNanos[side.ordinal()][agesNanos[side.ordinal()].length - taken[side.ordinal()]];
    }
}
