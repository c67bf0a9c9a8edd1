package dev.komainu.agent.connection.tcp;

/**
 * What is remembered of a connection whose packets came out of order or not at all: a row in a slab
 * of its own, so that a connection in good order costs nothing for it.
 *
 * <pre>
 *   0 connection's row 4 | 4 waiting: before 4 | 8 after 4 | 12 waits 4 | 16 until 8
 *  24 up 28 | 52 down 28, each:
 *      0 read up to 4 | 4 first gap 4 | 8 last gap 4 | 12 gaps 4 | 16 first held 4 | 20 last held 4 | 24 held rows 4
 * </pre>
 *
 * References are kept as row number + 1, so that zero means none. Connections that wait for a gap
 * the receiver already acknowledged stand in one line; all wait equally long, so its order is that
 * of their deadlines.
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

    /** @param cap most connections in disorder at once */
    ReorderingState(int cap) {
        this.slab = new RowSlab(ROW_BYTES, cap);
    }

    int used() {
        return slab.used();
    }

    static boolean none(ConnectionRow row) {
        return row.intAt(ConnectionRow.DISORDER) == 0;
    }

    /**
     * Makes sure there is a row, before a sequence number is jumped over: both streams have been
     * read to where they were seen. False when there is no room.
     */
    boolean begin(ConnectionRow row) {
        if (!none(row)) {
            return true;
        }
        int number = slab.allocate();
        if (number == RowSlab.NONE) {
            return false;
        }
        row.setInt(ConnectionRow.DISORDER, number + 1);
        slab.setInt(number, CONNECTION, row.number());
        set(row, ConnectionRow.UP, READ, row.intAt(ConnectionRow.UP + ConnectionRow.NEXT));
        set(row, ConnectionRow.DOWN, READ, row.intAt(ConnectionRow.DOWN + ConnectionRow.NEXT));
        return true;
    }

    /** Order is restored: gaps and held bytes must have been given back. */
    void end(ConnectionRow row) {
        if (!none(row)) {
            stopWaiting(row);
            slab.free(row.intAt(ConnectionRow.DISORDER) - 1);
            row.setInt(ConnectionRow.DISORDER, 0);
        }
    }

    int get(ConnectionRow row, int side, int field) {
        return slab.intAt(
                row.intAt(ConnectionRow.DISORDER) - 1,
                (side == ConnectionRow.UP ? UP : DOWN) + field);
    }

    void set(ConnectionRow row, int side, int field, int value) {
        slab.setInt(
                row.intAt(ConnectionRow.DISORDER) - 1,
                (side == ConnectionRow.UP ? UP : DOWN) + field,
                value);
    }

    boolean waits(ConnectionRow row) {
        return !none(row) && slab.intAt(row.intAt(ConnectionRow.DISORDER) - 1, WAITS) != 0;
    }

    /** Lines the connection up for {@code untilMicros}, unless it stands there already. */
    void await(ConnectionRow row, long untilMicros) {
        int number = row.intAt(ConnectionRow.DISORDER) - 1;
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
        int number = row.intAt(ConnectionRow.DISORDER) - 1;
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
     * Puts {@code cursor} on the connection that waits longest if its time is over at
     * {@code micros}.
     */
    boolean waitedUntil(long micros, ConnectionRow cursor) {
        if (firstWaiting == 0 || slab.longAt(firstWaiting - 1, UNTIL) > micros) {
            return false;
        }
        cursor.on(slab.intAt(firstWaiting - 1, CONNECTION));
        return true;
    }
}
