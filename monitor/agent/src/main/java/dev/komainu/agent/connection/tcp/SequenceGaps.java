package dev.komainu.agent.connection.tcp;

/**
 * The holes in the captured bytes of one direction, lowest first, as a list of rows in a slab
 * shared by all connections.
 *
 * <p>If the receiver acknowledged a hole, the monitor lost it, not the network: it is marked as
 * lost, no longer delays the reading of the stream, and is counted as unseen. If its bytes come
 * later, they still count as new.
 *
 * <pre>
 *  0 first missing 4 | 4 first seen again 4 | 8 next gap 4 | 12 lost 1
 * </pre>
 */
final class SequenceGaps {

    /**
     * Largest number of holes in one direction; beyond, the lowest is dropped as if its bytes had
     * been seen.
     */
    static final int MOST = 1_024;

    private static final int ROW_BYTES = 16;
    private static final int FROM = 0;
    private static final int TO = 4;
    private static final int NEXT = 8;
    private static final int LOST = 12;

    private final RowSlab slab;
    private final ReorderingState reordering;
    private final AnalyzerCounts counts;

    SequenceGaps(int cap, ReorderingState reordering, AnalyzerCounts counts) {
        this.slab = new RowSlab(ROW_BYTES, cap);
        this.reordering = reordering;
        this.counts = counts;
    }

    int used() {
        return slab.used();
    }

    /** Returns the first gap of a direction; stored as number + 1 so that a zeroed row has none. */
    private int first(ConnectionRow row, int side) {
        return reordering.get(row, side, ReorderingState.GAP) - 1;
    }

    boolean none(ConnectionRow row, int side) {
        return ReorderingState.none(row) || reordering.get(row, side, ReorderingState.GAP) == 0;
    }

    /**
     * Adds the gap [from, to), which lies above all others. False when there is no room for one
     * more.
     */
    boolean add(ConnectionRow row, int side, int from, int to) {
        if (!reordering.begin(row)) {
            counts.countForgottenGap();
            return false;
        }
        if (reordering.get(row, side, ReorderingState.GAPS) >= MOST) {
            counts.countForgottenGap();
            remove(row, side, RowSlab.NONE, first(row, side));
        }
        int gap = slab.allocate();
        if (gap == RowSlab.NONE) {
            counts.countForgottenGap();
            return false;
        }
        slab.setInt(gap, FROM, from);
        slab.setInt(gap, TO, to);
        link(row, side, reordering.get(row, side, ReorderingState.LAST_GAP) - 1, gap);
        return true;
    }

    /** Adds the gap [from, to), which lies below all others and below the beginning of reading. */
    void addBelow(ConnectionRow row, int side, int from, int to) {
        int gap = reordering.begin(row) ? slab.allocate() : RowSlab.NONE;
        if (gap == RowSlab.NONE) {
            counts.countForgottenGap();
            return;
        }
        slab.setInt(gap, FROM, from);
        slab.setInt(gap, TO, to);
        slab.setByte(gap, LOST, 1);
        link(row, side, RowSlab.NONE, gap);
    }

    /** Links {@code gap} behind {@code before}, or at the front. */
    private void link(ConnectionRow row, int side, int before, int gap) {
        int next = before == RowSlab.NONE ? first(row, side) : slab.intAt(before, NEXT);
        slab.setInt(gap, NEXT, next);
        if (before == RowSlab.NONE) {
            reordering.set(row, side, ReorderingState.GAP, gap + 1);
        } else {
            slab.setInt(before, NEXT, gap);
        }
        if (next == RowSlab.NONE) {
            reordering.set(row, side, ReorderingState.LAST_GAP, gap + 1);
        }
        reordering.set(
                row,
                side,
                ReorderingState.GAPS,
                reordering.get(row, side, ReorderingState.GAPS) + 1);
    }

    private void remove(ConnectionRow row, int side, int before, int gap) {
        int next = slab.intAt(gap, NEXT);
        if (before == RowSlab.NONE) {
            reordering.set(row, side, ReorderingState.GAP, next + 1);
        } else {
            slab.setInt(before, NEXT, next);
        }
        if (next == RowSlab.NONE) {
            reordering.set(row, side, ReorderingState.LAST_GAP, before + 1);
        }
        reordering.set(
                row,
                side,
                ReorderingState.GAPS,
                reordering.get(row, side, ReorderingState.GAPS) - 1);
        slab.free(gap);
    }

    /** Ends the gap at {@code at} and adds a new one for its part from {@code above} on. */
    private void split(ConnectionRow row, int side, int gap, int at, int above) {
        int tail = slab.allocate();
        if (tail == RowSlab.NONE) {
            counts.countForgottenGap();
        } else {
            slab.setInt(tail, FROM, above);
            slab.setInt(tail, TO, slab.intAt(gap, TO));
            slab.setByte(tail, LOST, slab.byteAt(gap, LOST));
            link(row, side, gap, tail);
        }
        slab.setInt(gap, TO, at);
    }

    /**
     * Removes [from, to) from the gaps; returns how many of its sequence numbers had not been seen.
     */
    int fill(ConnectionRow row, int side, int from, int to) {
        int filled = 0;
        int before = RowSlab.NONE;
        int gap = first(row, side);
        while (gap != RowSlab.NONE) {
            int next = slab.intAt(gap, NEXT);
            int gapFrom = slab.intAt(gap, FROM);
            int gapTo = slab.intAt(gap, TO);
            if (!SequenceNumbers.before(gapFrom, to)) {
                break;
            }
            int start = SequenceNumbers.before(gapFrom, from) ? from : gapFrom;
            int end = SequenceNumbers.before(to, gapTo) ? to : gapTo;
            if (SequenceNumbers.before(start, end)) {
                filled += end - start;
                if (start != gapFrom && end != gapTo) {
                    split(row, side, gap, start, end);
                    return filled;
                } else if (start != gapFrom) {
                    slab.setInt(gap, TO, start);
                } else if (end != gapTo) {
                    slab.setInt(gap, FROM, end);
                } else {
                    remove(row, side, before, gap);
                    gap = next;
                    continue;
                }
            }
            before = gap;
            gap = next;
        }
        return filled;
    }

    /** Marks the gaps below {@code limit} as lost; returns how many gaps are newly marked. */
    int markLostBelow(ConnectionRow row, int side, int limit) {
        int lost = 0;
        for (int gap = first(row, side); gap != RowSlab.NONE; gap = slab.intAt(gap, NEXT)) {
            if (!SequenceNumbers.before(slab.intAt(gap, FROM), limit)) {
                break;
            }
            if (slab.byteAt(gap, LOST) == 0) {
                if (SequenceNumbers.before(limit, slab.intAt(gap, TO))) {
                    split(row, side, gap, limit, limit);
                }
                slab.setByte(gap, LOST, 1);
                lost++;
            }
        }
        return lost;
    }

    /**
     * Returns the beginning of the first gap that may still be filled, or {@code next} when there
     * is none.
     */
    int contiguous(ConnectionRow row, int side, int next) {
        for (int gap = first(row, side); gap != RowSlab.NONE; gap = slab.intAt(gap, NEXT)) {
            if (slab.byteAt(gap, LOST) == 0) {
                return slab.intAt(gap, FROM);
            }
        }
        return next;
    }

    void release(ConnectionRow row, int side) {
        for (int gap = first(row, side); gap != RowSlab.NONE; ) {
            int next = slab.intAt(gap, NEXT);
            slab.free(gap);
            gap = next;
        }
        reordering.set(row, side, ReorderingState.GAP, 0);
        reordering.set(row, side, ReorderingState.LAST_GAP, 0);
        reordering.set(row, side, ReorderingState.GAPS, 0);
    }
}
