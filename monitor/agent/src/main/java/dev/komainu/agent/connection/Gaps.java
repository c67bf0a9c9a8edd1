package dev.komainu.agent.connection;

/**
 * The holes in what was seen of one direction, lowest first, as a list of rows in a slab shared by all connections.
 *
 * <p>A hole the receiver acknowledged all the same was lost by the monitor, not by the network: it is marked as lost, no
 * longer holds up the reading of the stream, and is counted as unseen.
 *
 * <pre>
 *  0 first missing 4 | 4 first seen again 4 | 8 next gap 4 | 12 lost 1
 * </pre>
 */
final class Gaps {

    /** More than this at once on one direction: the lowest is taken for lost. */
    static final int MOST = 64;

    private static final int ROW_BYTES = 16;
    private static final int FROM = 0;
    private static final int TO = 4;
    private static final int NEXT = 8;
    private static final int LOST = 12;

    private final Slab slab;

    Gaps(int cap) {
        this.slab = new Slab(ROW_BYTES, cap);
    }

    int used() {
        return slab.used();
    }

    /** First gap of a direction; rows are kept as number + 1 so that a zeroed row has none. */
    private static int first(Row row, int side) {
        return row.intAt(side + Row.GAP) - 1;
    }

    private static void setFirst(Row row, int side, int gap) {
        row.setInt(side + Row.GAP, gap + 1);
    }

    static boolean none(Row row, int side) {
        return row.intAt(side + Row.GAP) == 0;
    }

    /** Notes that [from, to) was jumped over; it lies above all others. False when there is no room for one more. */
    boolean add(Row row, int side, int from, int to, boolean lost) {
        int gap = slab.allocate();
        if (gap == Slab.NONE) {
            return false;
        }
        slab.setInt(gap, FROM, from);
        slab.setInt(gap, TO, to);
        slab.setInt(gap, NEXT, Slab.NONE);
        slab.setByte(gap, LOST, lost ? 1 : 0);
        int last = Slab.NONE;
        int count = 0;
        for (int at = first(row, side); at != Slab.NONE; at = slab.intAt(at, NEXT)) {
            last = at;
            count++;
        }
        if (last == Slab.NONE) {
            setFirst(row, side, gap);
        } else {
            slab.setInt(last, NEXT, gap);
        }
        if (count >= MOST) {
            int lowest = first(row, side);
            setFirst(row, side, slab.intAt(lowest, NEXT));
            slab.free(lowest);
        }
        return true;
    }

    /** Takes [from, to) out of the gaps; returns how many of its sequence numbers had not been seen. */
    int fill(Row row, int side, int from, int to) {
        int filled = 0;
        int before = Slab.NONE;
        int gap = first(row, side);
        while (gap != Slab.NONE) {
            int next = slab.intAt(gap, NEXT);
            int gapFrom = slab.intAt(gap, FROM);
            int gapTo = slab.intAt(gap, TO);
            if (!Sequence.before(gapFrom, to)) {
                break;
            }
            int start = Sequence.before(gapFrom, from) ? from : gapFrom;
            int end = Sequence.before(to, gapTo) ? to : gapTo;
            if (Sequence.before(start, end)) {
                filled += end - start;
                boolean keepsHead = start != gapFrom;
                boolean keepsTail = end != gapTo;
                if (keepsHead && keepsTail) {
                    int tail = slab.allocate();
                    slab.setInt(gap, TO, start);
                    if (tail != Slab.NONE) {
                        slab.setInt(tail, FROM, end);
                        slab.setInt(tail, TO, gapTo);
                        slab.setInt(tail, NEXT, next);
                        slab.setByte(tail, LOST, slab.byteAt(gap, LOST));
                        slab.setInt(gap, NEXT, tail);
                    }
                    return filled;
                } else if (keepsHead) {
                    slab.setInt(gap, TO, start);
                } else if (keepsTail) {
                    slab.setInt(gap, FROM, end);
                } else {
                    if (before == Slab.NONE) {
                        setFirst(row, side, next);
                    } else {
                        slab.setInt(before, NEXT, next);
                    }
                    slab.free(gap);
                    gap = next;
                    continue;
                }
            }
            before = gap;
            gap = next;
        }
        return filled;
    }

    /** Marks gaps wholly below {@code limit} as lost; returns how many were not so marked before. */
    int loseBelow(Row row, int side, int limit) {
        int lost = 0;
        for (int gap = first(row, side); gap != Slab.NONE; gap = slab.intAt(gap, NEXT)) {
            if (Sequence.before(limit, slab.intAt(gap, TO))) {
                break;
            }
            if (slab.byteAt(gap, LOST) == 0) {
                slab.setByte(gap, LOST, 1);
                lost++;
            }
        }
        return lost;
    }

    /** Where the first gap that still may be filled begins, or {@code next} when there is none. */
    int contiguous(Row row, int side, int next) {
        for (int gap = first(row, side); gap != Slab.NONE; gap = slab.intAt(gap, NEXT)) {
            if (slab.byteAt(gap, LOST) == 0) {
                return slab.intAt(gap, FROM);
            }
        }
        return next;
    }

    void release(Row row, int side) {
        for (int gap = first(row, side); gap != Slab.NONE; ) {
            int next = slab.intAt(gap, NEXT);
            slab.free(gap);
            gap = next;
        }
        row.setInt(side + Row.GAP, 0);
    }
}
