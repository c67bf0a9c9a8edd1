package dev.komainu.central.indices;

import java.util.Arrays;
import java.util.function.Consumer;

/**
 * The last seconds of some columns, one slot a second. A slot that was never filled, or holds
 * another second, reads as {@code NaN}: a missing second is a gap, never zero. Guarded by its
 * owner's lock.
 *
 * <p>Successive seconds with the same values share one row: a sample of ten seconds is held once,
 * and so are the seconds of a service that rests.
 */
final class SecondRing {

    private static final long EMPTY = Long.MIN_VALUE;
    private static final int FIRST_ROWS = 16;

    /** Row of a slot that was never filled, or was cleared. */
    private static final char NO_ROW = Character.MAX_VALUE;

    /** Number of times the ring was filled when a slot was written; its lower 16 bits suffice. */
    private final short[] laps;

    /** The row of each slot, or {@link #NO_ROW}. */
    private final char[] rowOf;

    private final NumberColumn[] columns;

    /** Number of slots of each row; 0: the row is free. */
    private char[] users = new char[FIRST_ROWS];

    private int firstFree;
    private long newest = EMPTY;

    SecondRing(int columnCount, int length) {
        if (length >= NO_ROW) {
            throw new IllegalArgumentException(
                    "length: " + length + " (expected: less than " + (int) NO_ROW + ")");
        }
        laps = new short[length];
        rowOf = new char[length];
        Arrays.fill(rowOf, NO_ROW);
        columns = new NumberColumn[columnCount];
        Arrays.setAll(columns, column -> new NumberColumn());
    }

    /** The values of one second that are being written. Valid during {@link #put} only. */
    final class Slot {
        private final int row;
        private final double[] values = new double[columns.length];

        /** @param row row of the earlier values of this second, or {@link #NO_ROW} */
        private Slot(int row) {
            this.row = row;
        }

        /** Returns the earlier value of this second; {@code NaN} when there is none. */
        double before(int column) {
            return row == NO_ROW ? Double.NaN : columns[column].get(row);
        }

        void set(int column, double value) {
            values[column] = value;
        }
    }

    /**
     * Opens the slot of a second, and lets the writer fill it.
     *
     * @param writer sets every column
     * @return false when the second is older than the ring
     */
    boolean put(long second, Consumer<Slot> writer) {
        if (newest != EMPTY && second <= newest - rowOf.length) {
            return false;
        }
        int slot = slot(second);
        Slot written = new Slot(holds(second) ? rowOf[slot] : NO_ROW);
        writer.accept(written);
        free(slot);
        int row = holds(second - 1) && rowOf.length > 1 ? rowOf[slot(second - 1)] : NO_ROW;
        if (row == NO_ROW || !holds(row, written.values)) {
            row = freeRow();
            for (int column = 0; column < columns.length; column++) {
                columns[column].set(row, written.values[column], users.length);
            }
        }
        users[row]++;
        rowOf[slot] = (char) row;
        laps[slot] = lap(second);
        newest = Math.max(newest, second);
        return true;
    }

    private boolean holds(int row, double[] values) {
        for (int column = 0; column < columns.length; column++) {
            if (Double.doubleToLongBits(columns[column].get(row))
                    != Double.doubleToLongBits(values[column])) {
                return false;
            }
        }
        return true;
    }

    /** Empties a slot; its row is free when no other slot has it. */
    private void free(int slot) {
        int row = rowOf[slot];
        if (row != NO_ROW) {
            rowOf[slot] = NO_ROW;
            users[row]--;
            firstFree = users[row] == 0 ? Math.min(firstFree, row) : firstFree;
        }
    }

    private int freeRow() {
        while (firstFree < users.length && users[firstFree] > 0) {
            firstFree++;
        }
        if (firstFree == users.length) {
            users = Arrays.copyOf(users, Math.min(rowOf.length, users.length * 2));
        }
        return firstFree;
    }

    /**
     * Empties every slot of a later second: the clock was set back, and those seconds will come
     * again.
     */
    void clearAfter(long second) {
        if (newest == EMPTY || newest <= second) {
            return;
        }
        long newestLap = Math.floorDiv(newest, (long) rowOf.length);
        newest = EMPTY;
        for (int slot = 0; slot < rowOf.length; slot++) {
            if (rowOf[slot] != NO_ROW) {
                long lap = newestLap + (short) (laps[slot] - (short) newestLap);
                long held = lap * rowOf.length + slot;
                if (held > second) {
                    free(slot);
                } else {
                    newest = Math.max(newest, held);
                }
            }
        }
    }

    /** Returns the newest filled second, or {@link Long#MIN_VALUE}. */
    long newest() {
        return newest;
    }

    boolean holds(long second) {
        int slot = slot(second);
        return rowOf[slot] != NO_ROW && laps[slot] == lap(second);
    }

    double at(int column, long second) {
        return holds(second) ? columns[column].get(rowOf[slot(second)]) : Double.NaN;
    }

    /**
     * Returns the mean of the seconds present in the window that ends with {@code end}; {@code NaN}
     * when there are none.
     */
    double mean(int column, long end, int over) {
        NumberColumn values = columns[column];
        double sum = 0;
        int count = 0;
        long second = end - over + 1;
        int slot = slot(second);
        short lap = lap(second);
        for (int left = over; left > 0; left--) {
            int row = rowOf[slot];
            if (row != NO_ROW && laps[slot] == lap) {
                double value = values.get(row);
                if (!Double.isNaN(value)) {
                    sum += value;
                    count++;
                }
            }
            slot++;
            if (slot == rowOf.length) {
                slot = 0;
                lap++;
            }
        }
        return count == 0 ? Double.NaN : sum / count;
    }

    double max(int column, long end, int over) {
        double max = Double.NaN;
        for (long second = end - over + 1; second <= end; second++) {
            double value = at(column, second);
            if (!Double.isNaN(value)) {
                max = Double.isNaN(max) ? value : Math.max(max, value);
            }
        }
        return max;
    }

    int present(long end, int over) {
        int count = 0;
        for (long second = end - over + 1; second <= end; second++) {
            if (holds(second)) {
                count++;
            }
        }
        return count;
    }

    private int slot(long second) {
        return (int) Math.floorMod(second, (long) rowOf.length);
    }

    private short lap(long second) {
        return (short) Math.floorDiv(second, (long) rowOf.length);
    }
}
