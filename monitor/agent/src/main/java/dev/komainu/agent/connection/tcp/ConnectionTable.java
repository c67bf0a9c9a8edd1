package dev.komainu.agent.connection.tcp;

import dev.komainu.agent.packet.TcpSegment;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Table of the connections that are followed, found by addresses and ports, and queued by the
 * length of their silence.
 *
 * <p>Open addressing with linear probing over pairs of row and hash; removal shifts entries back,
 * so there are no tombstones. The hash is the same for both directions and seeded, so that an
 * attacker cannot choose ports that collide.
 *
 * <p>There is a queue for each {@link TimeClass}. A row moves to the end of its queue at most once
 * a second of packet time, not with every packet: so a packet does not touch the neighbours' rows,
 * and the order is exact to a second.
 */
public final class ConnectionTable {

    /** Phases of a connection that have a timeout of their own. */
    public enum TimeClass {
        /**
         * A SYN without a response yet; or data of a client that has left, without a response yet.
         * First in order: when its time is over, the connection continues as a handshake.
         */
        UNANSWERED,
        HANDSHAKE,
        OPEN,
        HALF_CLOSED,
        CLOSED;

        private static final TimeClass[] ALL = values();
    }

    /** Results of {@link #find}. */
    public static final int NOT_FOUND = 0;

    public static final int FOUND_UP = 1;
    public static final int FOUND_DOWN = 2;

    private static final long SECOND_MICROS = 1_000_000;

    /** Index of the word that holds both ports. */
    private static final int PORTS = ConnectionRow.CLIENT_PORT >> 2;

    private final RowSlab slab;
    private final ConnectionRow other;
    private final int seed;
    private final int[] firsts = new int[TimeClass.ALL.length];
    private final int[] lasts = new int[TimeClass.ALL.length];
    private final int[] lengths = new int[TimeClass.ALL.length];
    /** Row and hash alternate: one cache line for both. */
    private int[] slots = new int[1 << 11];

    private int mask = (slots.length >> 1) - 1;

    /**
     * Creates an empty table.
     *
     * @param cap most connections followed at once
     */
    public ConnectionTable(int cap) {
        this.slab = new RowSlab(ConnectionRow.BYTES, cap);
        this.other = new ConnectionRow(slab);
        this.seed = new SplittableRandom().nextInt();
        Arrays.fill(slots, RowSlab.NONE);
        Arrays.fill(firsts, RowSlab.NONE);
        Arrays.fill(lasts, RowSlab.NONE);
    }

    public ConnectionRow cursor() {
        return new ConnectionRow(slab);
    }

    /** Returns the number of connections followed. */
    public int size() {
        return slab.used();
    }

    int length(TimeClass timeClass) {
        return lengths[timeClass.ordinal()];
    }

    /** Returns the seeded hash of a segment's connection, the same in both directions. */
    public int hash(TcpSegment s) {
        // Commutative on purpose: both directions meet in one slot.
        int h = side(s.sourceHigh, s.sourceLow, s.sourcePort)
                + side(s.targetHigh, s.targetLow, s.targetPort);
        return (h ^ h >>> 15) * 0x2c1b3c6d;
    }

    private int side(long high, long low, int port) {
        long h = mixed(mixed((high * 0x9e3779b97f4a7c15L ^ low ^ (long) port << 40) + seed));
        return (int) (h ^ h >>> 32);
    }

    private static long mixed(long h) {
        return (h ^ h >>> 32) * 0xd6e8feb86659fd93L;
    }

    /**
     * Moves {@code cursor} to the segment's connection and returns the segment's direction:
     * {@link #FOUND_UP} or {@link #FOUND_DOWN}; {@link #NOT_FOUND} when there is no such
     * connection.
     */
    public int find(TcpSegment s, int hash, ConnectionRow cursor) {
        int[] here = slots;
        int last = mask;
        for (int slot = hash & last; here[slot << 1] != RowSlab.NONE; slot = slot + 1 & last) {
            if (here[(slot << 1) + 1] == hash) {
                int row = here[slot << 1];
                int direction = direction(s, slab.chunk(row), slab.base(row));
                if (direction != NOT_FOUND) {
                    cursor.on(row);
                    return direction;
                }
            }
        }
        return NOT_FOUND;
    }

    /**
     * Returns the direction of the segment in the row's connection; {@link #NOT_FOUND} when it
     * belongs to another one. All in one method, because it is called for each packet.
     */
    private static int direction(TcpSegment s, int[] words, int at) {
        int ports = words[at + PORTS];
        long clientHigh = RowSlab.longAt(words, at + (ConnectionRow.CLIENT >> 2));
        long clientLow = RowSlab.longAt(words, at + ((ConnectionRow.CLIENT + 8) >> 2));
        long serverHigh = RowSlab.longAt(words, at + (ConnectionRow.SERVER >> 2));
        long serverLow = RowSlab.longAt(words, at + ((ConnectionRow.SERVER + 8) >> 2));
        if (ports == (s.sourcePort | s.targetPort << 16)
                && clientLow == s.sourceLow
                && serverLow == s.targetLow
                && clientHigh == s.sourceHigh
                && serverHigh == s.targetHigh) {
            return FOUND_UP;
        }
        return ports == (s.targetPort | s.sourcePort << 16)
                        && clientLow == s.targetLow
                        && serverLow == s.sourceLow
                        && clientHigh == s.targetHigh
                        && serverHigh == s.sourceHigh
                ? FOUND_DOWN
                : NOT_FOUND;
    }

    /** Reports whether a segment of this connection goes from client to server. */
    public static boolean isUp(TcpSegment s, ConnectionRow row) {
        return direction(s, row.words(), row.base()) == FOUND_UP;
    }

    /**
     * Moves {@code cursor} to a new zeroed row whose hash is set; false at the cap. The caller then
     * calls {@link #enqueue}.
     */
    public boolean add(int hash, ConnectionRow cursor) {
        int row = slab.allocate();
        if (row == RowSlab.NONE) {
            return false;
        }
        if (slab.used() > slots.length / 8 * 3) {
            grow();
        }
        insert(row, hash);
        cursor.on(row);
        cursor.setInt(ConnectionRow.HASH, hash);
        cursor.setByte(ConnectionRow.TIME_CLASS, RowSlab.NONE);
        return true;
    }

    private void insert(int row, int hash) {
        int slot = hash & mask;
        while (slots[slot << 1] != RowSlab.NONE) {
            slot = slot + 1 & mask;
        }
        slots[slot << 1] = row;
        slots[(slot << 1) + 1] = hash;
    }

    private void grow() {
        int[] old = slots;
        slots = new int[old.length * 2];
        mask = old.length - 1;
        Arrays.fill(slots, RowSlab.NONE);
        for (int at = 0; at < old.length; at += 2) {
            if (old[at] != RowSlab.NONE) {
                insert(old[at], old[at + 1]);
            }
        }
    }

    /**
     * Removes the cursor's row from the table and its queue. The cursor must not be used before it
     * is moved.
     */
    public void remove(ConnectionRow cursor) {
        dequeue(cursor);
        int slot = cursor.intAt(ConnectionRow.HASH) & mask;
        while (slots[slot << 1] != cursor.number()) {
            slot = slot + 1 & mask;
        }
        int hole = slot;
        for (int next = hole + 1 & mask; slots[next << 1] != RowSlab.NONE; next = next + 1 & mask) {
            int home = slots[(next << 1) + 1] & mask;
            // May move back when its home does not lie between the hole and its current slot.
            if ((next - home & mask) >= (next - hole & mask)) {
                slots[hole << 1] = slots[next << 1];
                slots[(hole << 1) + 1] = slots[(next << 1) + 1];
                hole = next;
            }
        }
        slots[hole << 1] = RowSlab.NONE;
        slab.free(cursor.number());
    }

    /**
     * Moves the row to the end of the queue of {@code timeClass}, unless it was moved there less
     * than a second ago. The few unanswered rows always move, so that their order is exact to the
     * microsecond.
     */
    public void enqueue(ConnectionRow row, TimeClass timeClass) {
        int current = row.byteAt(ConnectionRow.TIME_CLASS);
        if (current == timeClass.ordinal() && timeClass != TimeClass.UNANSWERED) {
            // The first compiler divides longs in a call, so the usual case needs no division.
            long since = row.longAt(ConnectionRow.LAST)
                    - row.intAt(ConnectionRow.QUEUED_AT) * SECOND_MICROS;
            if (since >= 0 && since < SECOND_MICROS) {
                return;
            }
        }
        int second = (int) (row.longAt(ConnectionRow.LAST) / SECOND_MICROS);
        if (current == timeClass.ordinal()) {
            if (row.intAt(ConnectionRow.QUEUED_AT) == second && timeClass != TimeClass.UNANSWERED) {
                return;
            }
            dequeue(row);
        } else if (current != RowSlab.NONE) {
            dequeue(row);
        }
        int at = timeClass.ordinal();
        row.setByte(ConnectionRow.TIME_CLASS, at);
        row.setInt(ConnectionRow.QUEUED_AT, second);
        row.setInt(ConnectionRow.BEFORE, lasts[at]);
        row.setInt(ConnectionRow.AFTER, RowSlab.NONE);
        if (lasts[at] == RowSlab.NONE) {
            firsts[at] = row.number();
        } else {
            slab.setInt(lasts[at], ConnectionRow.AFTER, row.number());
        }
        lasts[at] = row.number();
        lengths[at]++;
    }

    private void dequeue(ConnectionRow row) {
        int at = row.byteAt(ConnectionRow.TIME_CLASS);
        if (at == RowSlab.NONE) {
            return;
        }
        int before = row.intAt(ConnectionRow.BEFORE);
        int after = row.intAt(ConnectionRow.AFTER);
        if (before == RowSlab.NONE) {
            firsts[at] = after;
        } else {
            slab.setInt(before, ConnectionRow.AFTER, after);
        }
        if (after == RowSlab.NONE) {
            lasts[at] = before;
        } else {
            slab.setInt(after, ConnectionRow.BEFORE, before);
        }
        lengths[at]--;
        row.setByte(ConnectionRow.TIME_CLASS, RowSlab.NONE);
    }

    /**
     * Moves {@code cursor} to the longest silent row of {@code timeClass} if its last packet is not
     * after {@code limit}.
     */
    public boolean silentSince(TimeClass timeClass, long limit, ConnectionRow cursor) {
        int at = timeClass.ordinal();
        while (firsts[at] != RowSlab.NONE) {
            cursor.on(firsts[at]);
            if (cursor.longAt(ConnectionRow.LAST) <= limit) {
                return true;
            }
            if (cursor.intAt(ConnectionRow.QUEUED_AT) * SECOND_MICROS > limit) {
                return false;
            }
            // A packet came within the second in which it was queued:
            // moves it to its place at the end.
            enqueue(cursor, timeClass);
            if (firsts[at] == cursor.number()) {
                return false;
            }
        }
        return false;
    }

    /**
     * Moves {@code cursor} to the row to evict when the table is full: one that already ended;
     * else, when unfinished handshakes fill half the table (a SYN flood), the oldest of those; else
     * the longest silent of all.
     */
    public boolean expendable(ConnectionRow cursor) {
        TimeClass choice = null;
        if (length(TimeClass.CLOSED) > 0) {
            choice = TimeClass.CLOSED;
        } else if ((length(TimeClass.HANDSHAKE) + length(TimeClass.UNANSWERED)) * 2L > size()) {
            choice = length(TimeClass.HANDSHAKE) > 0 ? TimeClass.HANDSHAKE : TimeClass.UNANSWERED;
        } else {
            long longest = Long.MAX_VALUE;
            for (TimeClass timeClass : TimeClass.ALL) {
                if (firsts[timeClass.ordinal()] != RowSlab.NONE) {
                    other.on(firsts[timeClass.ordinal()]);
                    if (other.longAt(ConnectionRow.LAST) < longest) {
                        longest = other.longAt(ConnectionRow.LAST);
                        choice = timeClass;
                    }
                }
            }
        }
        if (choice == null) {
            return false;
        }
        cursor.on(firsts[choice.ordinal()]);
        return true;
    }

    /**
     * Moves {@code cursor} to the longest silent row of {@code timeClass}; false when there is
     * none.
     */
    public boolean first(TimeClass timeClass, ConnectionRow cursor) {
        int row = firsts[timeClass.ordinal()];
        if (row == RowSlab.NONE) {
            return false;
        }
        cursor.on(row);
        return true;
    }

    /** Returns the number of places of {@link #at}. */
    public int places() {
        return slots.length >> 1;
    }

    /** Moves {@code cursor} to the row at a place; false when there is none. */
    public boolean at(int place, ConnectionRow cursor) {
        int row = slots[place << 1];
        if (row == RowSlab.NONE) {
            return false;
        }
        cursor.on(row);
        return true;
    }

    /** Moves {@code cursor} to any row, those that ended first; false when none is left. */
    public boolean any(ConnectionRow cursor) {
        for (int at = TimeClass.ALL.length - 1; at >= 0; at--) {
            if (firsts[at] != RowSlab.NONE) {
                cursor.on(firsts[at]);
                return true;
            }
        }
        return false;
    }
}
