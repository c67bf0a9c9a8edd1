package dev.komainu.central.indices;

import java.util.Arrays;
import java.util.function.ObjIntConsumer;

/**
 * The last seconds of some columns, one slot a second. A slot that was never filled, or holds
 * another second, reads as {@code NaN}: a missing second is a gap, never zero. Guarded by its
 * owner's lock.
 */
final class SecondRing {

    private static final long EMPTY = Long.MIN_VALUE;

    private final long[] seconds;
    private final double[][] columns;
    private long newest = EMPTY;

    SecondRing(int columnCount, int length) {
        seconds = new long[length];
        Arrays.fill(seconds, EMPTY);
        columns = new double[columnCount][length];
    }

    /**
     * Opens the slot of a second, all columns {@code NaN}, and lets the writer fill it.
     *
     * @return false when the second is older than the ring
     */
    boolean put(long second, ObjIntConsumer<double[][]> writer) {
        if (newest != EMPTY && second <= newest - seconds.length) {
            return false;
        }
        int slot = slot(second);
        if (seconds[slot] != second) {
            seconds[slot] = second;
            for (double[] column : columns) {
                column[slot] = Double.NaN;
            }
        }
        writer.accept(columns, slot);
        newest = Math.max(newest, second);
        return true;
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
        return seconds[slot] == second ? columns[column][slot] : Double.NaN;
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
