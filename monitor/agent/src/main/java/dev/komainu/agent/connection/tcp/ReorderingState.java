package dev.komainu.agent.connection.tcp;

/**
 * State of a connection whose packets came out of order or not at all: a row in a slab of its own,
 * so that a connection in order has no such cost.
 *
 * <pre>
 *   0 connection's row 4 | 4 waiting: before 4 | 8 after 4 | 12 waits 4 | 16 until 8
 *  24 up 28 | 52 down 28, each:
 *      0 read up to 4 | 4 first gap 4 | 8 last gap 4 | 12 gaps 4 | 16 first held 4 | 20 last held 4 | 24 held rows 4
 * </pre>
 *
 * References are kept as row number + 1, so that zero means none. Connections that wait for a gap
 * the receiver already acknowledged form one queue. All wait equally long, so its order is that of
 * their deadlines.
 */
final class ReorderingState {

    static final int READ = 0;
    static final int GAP = 4;
    static final int LAST_GAP = 8;
    static final int GAPS = 12;
    static final int HELD = 16;
    static final int LAST_HELD = 20;
    static final int HELD_ROWS = 24;

    private static final int ROW_BYTES = 80;
    private static final int CONNECTION = 0;
    private static final int BEFORE = 4;
    private static final int AFTER = 8;
    private static final int WAITS = 12;
    private static final int UNTIL = 16;
    private static final int UP = 24;
    private static final int DOWN = 52;

    private final RowSlab slab;
    private int firstWaiting;
    private int lastWaiting;

    /**
     * Creates an empty state.
     *
     * @param cap most connections out of order at once
     */
    ReorderingState(int cap) {
        this.slab = new RowSlab(ROW_BYTES, cap);
    }

    int used() {
        return slab.used();
    }

    static boolean none(ConnectionRow row) {
        return row.intAt(ConnectionRow.REORDERING) == 0;
    }

    /**
     * Ensures that there is a row, before a sequence number is skipped: both streams have been read
     * up to the last number seen. False when there is no room.
     */
    boolean begin(ConnectionRow row) {
        if (!none(row)) {
            return true;
        }
        int number = slab.allocate();
        if (number == RowSlab.NONE) {
            return false;
        }
        row.setInt(ConnectionRow.REORDERING, number + 1);
        slab.setInt(number, CONNECTION, row.number());
        set(row, ConnectionRow.UP, READ, row.intAt(ConnectionRow.UP + ConnectionRow.NEXT));
        set(row, ConnectionRow.DOWN, READ, row.intAt(ConnectionRow.DOWN + ConnectionRow.NEXT));
        return true;
    }

    /** Frees the row: order is restored; gaps and kept bytes must have been freed before. */
    void end(ConnectionRow row) {
        if (!none(row)) {
            stopWaiting(row);
            slab.free(row.intAt(ConnectionRow.REORDERING) - 1);
            row.setInt(ConnectionRow.REORDERING, 0);
        }
    }

    int get(ConnectionRow row, int side, int field) {
        return slab.intAt(
                row.intAt(ConnectionRow.REORDERING) - 1,
                (side == ConnectionRow.UP ? UP : DOWN) + field);
    }

    void set(ConnectionRow row, int side, int field, int value) {
        slab.setInt(
                row.intAt(ConnectionRow.REORDERING) - 1,
                (side == ConnectionRow.UP ? UP : DOWN) + field,
                value);
    }

    boolean waits(ConnectionRow row) {
        return !none(row) && slab.intAt(row.intAt(ConnectionRow.REORDERING) - 1, WAITS) != 0;
    }

    /** Queues the connection for {@code untilMicros}, unless it is queued already. */
    void await(ConnectionRow row, long untilMicros) {
        int number = row.intAt(ConnectionRow.REORDERING) - 1;
        if (slab.intAt(number, WAITS) != 0) {
            return;
        }
        slab.setInt(number, WAITS, 1);
        slab.setLong(number, UNTIL, untilMicros);
        slab.setInt(number, BEFORE, lastWaiting);
        slab.setInt(number, AFTER, 0);
        if (lastWaiting == 0) {
            firstWaiting = number + 1;
        } else {
            slab.setInt(lastWaiting - 1, AFTER, number + 1);
        }
        lastWaiting = number + 1;
    }

    void stopWaiting(ConnectionRow row) {
        int number = row.intAt(ConnectionRow.REORDERING) - 1;
        if (slab.intAt(number, WAITS) == 0) {
            return;
        }
        slab.setInt(number, WAITS, 0);
        int before = slab.intAt(number, BEFORE);
        int after = slab.intAt(number, AFTER);
        if (before == 0) {
            firstWaiting = after;
        } else {
            slab.setInt(before - 1, AFTER, after);
        }
        if (after == 0) {
            lastWaiting = before;
        } else {
            slab.setInt(after - 1, BEFORE, before);
        }
    }

    /**
     * Moves {@code cursor} to the connection that waits longest, if its deadline is not after
     * {@code micros}.
     */
    boolean expired(long micros, ConnectionRow cursor) {
        if (firstWaiting == 0 || slab.longAt(firstWaiting - 1, UNTIL) > micros) {
            return false;
        }
        cursor.on(slab.intAt(firstWaiting - 1, CONNECTION));
        return true;
    }
}
