package dev.komainu.central.union;

import java.util.List;
import java.util.Map;

/**
 * Views of several sources on one service: which connections of the last quarter to half of a
 * minute each of them saw. When a source sees too many connections to report each, the counts are
 * those of a sample.
 *
 * @param connections connections that any source saw
 * @param byAll of them, those that every source saw
 * @param bySeveral of them, those that more than one source saw
 * @param sampled whether the connections are a sample
 * @param views one for each source
 * @param missing sources that are waited for no longer
 * @param leftOut windows that are not part of the union, since the service was first reported
 */
public record SeenViews(
        long connections,
        long byAll,
        long bySeveral,
        boolean sampled,
        List<View> views,
        List<Missing> missing,
        Map<LeftOutReason, Long> leftOut) {

    /** Connections in which no share is told: by chance it could be any. */
    public static final int LEAST = 20;

    /**
     * Share of the connections up to which a difference may be one of clocks and of losses, not of
     * views.
     */
    private static final double TOLERANCE = 0.02;

    /** The relation between the views of all sources. */
    public enum Relation {
        /** Too few connections to compare. */
        UNKNOWN,
        /** Each source sees all connections. */
        EQUAL,
        /** No connection is seen by two sources. */
        DISJOINT,
        /** Some connections are seen by several sources, others not. */
        OVERLAPPING
    }

    /**
     * One source's view.
     *
     * @param seen connections that it saw
     * @param alone of them, those that no other source saw
     */
    public record View(String source, long seen, long alone) {}

    /**
     * A source that stopped reporting. Connections that it alone saw are missing from the seconds
     * after its last one.
     *
     * @param lastSecond the second that it reported last
     * @param seconds seconds that were added up without it
     */
    public record Missing(String source, long lastSecond, long seconds) {}

    public SeenViews {
        views = List.copyOf(views);
        missing = List.copyOf(missing);
        leftOut = Map.copyOf(leftOut);
    }

    /** Returns the number of windows left out for a reason. */
    public long leftOut(LeftOutReason reason) {
        return leftOut.getOrDefault(reason, 0L);
    }

    public Relation relation() {
        if (connections < LEAST) {
            return Relation.UNKNOWN;
        }
        if (byAll >= connections * (1 - TOLERANCE)) {
            return Relation.EQUAL;
        }
        return bySeveral <= connections * TOLERANCE ? Relation.DISJOINT : Relation.OVERLAPPING;
    }

    /** Returns a source's share of the connections, 0 to 1; {@code NaN} with too few to compare. */
    public double share(View view) {
        return connections < LEAST ? Double.NaN : (double) view.seen() / connections;
    }

    /**
     * Returns the error of a share, of which 95 of 100 estimates are within; 0 when the shares are
     * exact.
     */
    public double error(View view) {
        double share = share(view);
        return sampled && connections >= LEAST
                ? 1.96 * Math.sqrt(share * (1 - share) / connections)
                : 0;
    }
}
