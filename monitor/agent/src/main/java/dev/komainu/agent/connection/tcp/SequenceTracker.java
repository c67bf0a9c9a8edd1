package dev.komainu.agent.connection.tcp;

/**
 * Tracker of the sequence numbers seen in a direction: new, repeated, or late (RFC 9293 3.4). Works
 * on the row; after {@link #advance} its fields describe the last range.
 */
final class SequenceTracker {

    private final SequenceGaps gaps;
    private final AnalyzerCounts counts;

    /** The last range filled a gap. */
    boolean filledGap;
    /** The last range was beyond any window and was not tracked. */
    boolean wild;

    SequenceTracker(SequenceGaps gaps, AnalyzerCounts counts) {
        this.gaps = gaps;
        this.counts = counts;
    }

    /** Adds the seen range [from, to); returns how many of its numbers are new. */
    int advance(ConnectionRow row, int side, int from, int to) {
        filledGap = false;
        wild = false;
        int next = row.intAt(side + ConnectionRow.NEXT);
        int ahead = SequenceNumbers.distance(next, from);
        if (ahead == 0) {
            row.setInt(side + ConnectionRow.NEXT, to);
            return to - from;
        }
        if (ahead > SequenceNumbers.FARTHEST || ahead < -SequenceNumbers.FARTHEST) {
            wild = true;
            counts.countWild();
            return 0;
        }
        if (ahead > 0) {
            gaps.add(row, side, next, from);
            row.setInt(side + ConnectionRow.NEXT, to);
            return to - from;
        }
        int below = 0;
        int first = row.intAt(side + ConnectionRow.ISN) + 1;
        if (SequenceNumbers.before(from, first)
                && !row.is(
                        side == ConnectionRow.UP
                                ? ConnectionRow.SAW_SYN
                                : ConnectionRow.SAW_SYN_ACK)) {
            below = extendDown(row, side, from, to, first);
        }
        int extra = Math.max(0, SequenceNumbers.distance(next, to));
        int filled = gaps.none(row, side) ? 0 : gaps.fill(row, side, from, extra > 0 ? next : to);
        if (extra > 0) {
            row.setInt(side + ConnectionRow.NEXT, next + extra);
        }
        filledGap = filled + below > 0;
        return filled + extra + below;
    }

    /**
     * Extends the direction downwards: picked up midstream, it may have begun below its first
     * captured packet.
     */
    private int extendDown(ConnectionRow row, int side, int from, int to, int first) {
        row.setInt(side + ConnectionRow.ISN, from - 1);
        if (SequenceNumbers.before(to, first)) {
            gaps.addBelow(row, side, to, first);
            return to - from;
        }
        return first - from;
    }

    /**
     * Handles an acknowledgement by the other side of everything of {@code side} below
     * {@code acknowledged}: bytes not captured become a gap.
     */
    void acknowledged(ConnectionRow row, int side, int acknowledged) {
        int next = row.intAt(side + ConnectionRow.NEXT);
        int beyond = SequenceNumbers.distance(next, acknowledged);
        if (beyond > 0 && beyond <= SequenceNumbers.FARTHEST) {
            gaps.add(row, side, next, acknowledged);
            row.setInt(side + ConnectionRow.NEXT, acknowledged);
        }
    }

    /**
     * Returns the end of the stream that has no holes that may still be filled; the FIN's own
     * number is left out.
     */
    int readable(ConnectionRow row, int side) {
        int next = row.intAt(side + ConnectionRow.NEXT);
        int contiguous = gaps.none(row, side) ? next : gaps.contiguous(row, side, next);
        return contiguous == next
                        && row.is(
                                side == ConnectionRow.UP
                                        ? ConnectionRow.FIN_UP
                                        : ConnectionRow.FIN_DOWN)
                ? next - 1
                : contiguous;
    }
}
