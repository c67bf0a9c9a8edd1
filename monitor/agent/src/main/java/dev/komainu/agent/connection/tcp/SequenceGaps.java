package dev.komainu.agent.connection.tcp;

/**
 * The holes in what was seen of one direction, lowest first, as a list of rows in a slab shared by
 * all connections.
 *
 * <p>A hole the receiver acknowledged all the same was lost by the monitor, not by the network: it
 * is marked as lost, no longer holds up the reading of the stream, and is counted as unseen. Should
 * its bytes come later, they still count as new ones.
 *
 * <pre>
 *  0 first missing 4 | 4 first seen again 4 | 8 next gap 4 | 12 lost 1
 * </pre>
 */
final class SequenceGaps {

    /**
     * More than this at once on one direction: the lowest is forgotten, as if its bytes had been
     * seen.
     */
    static final int MOST = 1_024;

    private static final int ROW_BYTES = 16;
    private static final int FROM = 0;
    private static final int TO = 4;
    private static final int NEXT = 8;
    private static final int LOST = 12;

    private final RowSlab slab;
    private final ReorderingState disorder;
    private final AnalyzerCounts counts;

    SequenceGaps(int cap, ReorderingState disorder, AnalyzerCounts counts) {
        this.slab = new RowSlab(ROW_BYTES, cap);
        this.disorder = disorder;
        this.counts = counts;
    }

    int used() {
        return slab.used();
    }

    /** First gap of a direction; kept as number + 1 so that a zeroed row has none. */
    private int first(ConnectionRow row, int side) {
        return disorder.get(row, side, ReorderingState.GAP) - 1;
    }

    boolean none(ConnectionRow row, int side) {
        return ReorderingState.none(row) || disorder.get(row, side, ReorderingState.GAP) == 0;
    }

    /**
     * Notes that [from, to) was jumped over; it lies above all others. False when there is no room
     * for one more.
     */
    boolean add(ConnectionRow row, int side, int from, int to) {
        if (!disorder.begin(row)) {
            counts.countForgottenGap();
            return false;
        }
        if (disorder.get(row, side, ReorderingState.GAPS) >= MOST) {
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
        link(row, side, disorder.get(row, side, ReorderingState.LAST_GAP) - 1, gap);
        return true;
    }

    /** Notes that [from, to), below all others and below where reading began, was not seen. */
    void addBelow(ConnectionRow row, int side, int from, int to) {
        int gap = disorder.begin(row) ? slab.allocate() : RowSlab.NONE;
        if (gap == RowSlab.NONE) {
            counts.countForgottenGap();
            return;
        }
        slab.setInt(gap, FROM, from);
        slab.setInt(gap, TO, to);
        slab.setByte(gap, LOST, 1);
        link(row, side, RowSlab.NONE, gap);
    }

    /** Puts {@code gap} behind {@code before}, or at the front. */
    private void link(ConnectionRow row, int side, int before, int gap) {
        int next = before == RowSlab.NONE ? first(row, side) : slab.intAt(before, NEXT);
        slab.setInt(gap, NEXT, next);
        if (before == RowSlab.NONE) {
            disorder.set(row, side, ReorderingState.GAP, gap + 1);
        } else {
            slab.setInt(before, NEXT, gap);
        }
        if (next == RowSlab.NONE) {
            disorder.set(row, side, ReorderingState.LAST_GAP, gap + 1);
        }
        disorder.set(
                row, side, ReorderingState.GAPS, disorder.get(row, side, ReorderingState.GAPS) + 1);
    }

    private void remove(ConnectionRow row, int side, int before, int gap) {
        int next = slab.intAt(gap, NEXT);
        if (before == RowSlab.NONE) {
            disorder.set(row, side, ReorderingState.GAP, next + 1);
        } else {
            slab.setInt(before, NEXT, next);
        }
        if (next == RowSlab.NONE) {
            disorder.set(row, side, ReorderingState.LAST_GAP, before + 1);
        }
        disorder.set(
                row, side, ReorderingState.GAPS, disorder.get(row, side, ReorderingState.GAPS) - 1);
        slab.free(gap);
    }

    /** Makes the gap end at {@code at} and a new one of what is above, from {@code above} on. */
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
     * Takes [from, to) out of the gaps; returns how many of its sequence numbers had not been seen.
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

    /**
     * Marks what lies below {@code limit} as lost; returns how many gaps were not so marked before.
     */
    int loseBelow(ConnectionRow row, int side, int limit) {
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

    /** Where the first gap that still may be filled begins, or {@code next} when there is none. */
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
        disorder.set(row, side, ReorderingState.GAP, 0);
        disorder.set(row, side, ReorderingState.LAST_GAP, 0);
        disorder.set(row, side, ReorderingState.GAPS, 0);
    }
}
