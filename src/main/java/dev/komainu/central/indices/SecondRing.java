package dev.komainu.central.indices;

import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The last seconds of some columns, one slot a second. A slot that was never filled, or holds
 * another second, reads as {@code NaN}: a missing second is a gap, never zero. Guarded by its
 * owner's lock.
 */
final class SecondRing {

    private static final long EMPTY = Long.MIN_VALUE;

    private final long[] seconds;

    /**
     * The values of each column by slot; null while every value so far was the column's constant.
     * Many columns count rare events and stay 0: a constant takes no slots.
     */
    private final double[] @Nullable [] columns;

    private final double[] constants;
    private long newest = EMPTY;
    private boolean everFilled;

    SecondRing(int columnCount, int length) {
        seconds = new long[length];
        Arrays.fill(seconds, EMPTY);
        columns = new double[columnCount][];
        constants = new double[columnCount];
    }

    /** The values of one second that are being written. Valid during {@link #put} only. */
    final class Slot {
        private final int slot;
        private final boolean fresh;

        private Slot(int slot, boolean fresh) {
            this.slot = slot;
            this.fresh = fresh;
        }

        /** Returns the earlier value of this second; {@code NaN} when there is none. */
        double before(int column) {
            return fresh ? Double.NaN : value(column, slot);
        }

        void set(int column, double value) {
            double[] values = columns[column];
            if (values == null && !everFilled) {
                constants[column] = value;
            } else if (values != null) {
                values[slot] = value;
            } else if (Double.doubleToLongBits(constants[column])
                    != Double.doubleToLongBits(value)) {
                values = new double[seconds.length];
                Arrays.fill(values, constants[column]);
                values[slot] = value;
                columns[column] = values;
            }
        }
    }

    /**
     * Opens the slot of a second, and lets the writer fill it.
     *
     * @param writer sets every column
     * @return false when the second is older than the ring
     */
    boolean put(long second, Consumer<Slot> writer) {
        if (newest != EMPTY && second <= newest - seconds.length) {
            return false;
        }
        int slot = slot(second);
        boolean fresh = seconds[slot] != second;
        seconds[slot] = second;
        writer.accept(new Slot(slot, fresh));
        everFilled = true;
        newest = Math.max(newest, second);
        return true;
    }

    private double value(int column, int slot) {
        double[] values = columns[column];
        return values == null ? constants[column] : values[slot];
    }

    /**
     * Empties every slot of a later second: the clock was set back, and those seconds will come
     * again.
     */
    void clearAfter(long second) {
        if (newest == EMPTY || newest <= second) {
            return;
        }
        newest = EMPTY;
        for (int slot = 0; slot < seconds.length; slot++) {
            if (seconds[slot] > second) {
                seconds[slot] = EMPTY;
            } else {
                newest = Math.max(newest, seconds[slot]);
            }
        }
    }

    /** Returns the newest filled second, or {@link Long#MIN_VALUE}. */
    long newest() {
        return newest;
    }

    boolean holds(long second) {
        return seconds[slot(second)] == second;
    }

    double at(int column, long second) {
        int slot = slot(second);
        return seconds[slot] == second ? value(column, slot) : Double.NaN;
    }

    /**
     * Returns the mean of the seconds present in the window that ends with {@code end}; {@code NaN}
     * when there are none.
     */
    double mean(int column, long end, int over) {
        double sum = 0;
        int count = 0;
        for (long second = end - over + 1; second <= end; second++) {
            double value = at(column, second);
            if (!Double.isNaN(value)) {
                sum += value;
                count++;
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
        return (int) Math.floorMod(second, (long) seconds.length);
    }
}
