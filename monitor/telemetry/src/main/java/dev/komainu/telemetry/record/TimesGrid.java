package dev.komainu.telemetry.record;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The joint distribution of T_r and T_d (thesis 5.2: hits and misses of a proxy's cache form two
 * clusters). Both axes are logarithmic, with {@value #STEPS_PER_DECADE} steps per decade from 1 µs
 * to an hour; only non-empty cells are listed. Grids can be added like histograms.
 *
 * @param cells in order of response step, then transfer step
 */
public record TimesGrid(List<Cell> cells) {

    public static final int STEPS_PER_DECADE = 8;
    /** Steps on each axis; the last one contains all longer durations. */
    public static final int STEPS = 77;

    public static final TimesGrid EMPTY = new TimesGrid(List.of());

    /**
     * One cell.
     *
     * @param responseStep step of T_r, 0 to {@value TimesGrid#STEPS} - 1
     * @param transferStep step of T_d, 0 to {@value TimesGrid#STEPS} - 1
     */
    public record Cell(int responseStep, int transferStep, long count) {
        public Cell {
            if (responseStep < 0
                    || responseStep >= STEPS
                    || transferStep < 0
                    || transferStep >= STEPS) {
                throw new IllegalArgumentException("cell: " + responseStep + ", " + transferStep
                        + " (expected: two steps of 0 to " + (STEPS - 1) + ")");
            }
        }
    }

    public TimesGrid {
        cells = List.copyOf(cells);
    }

    /** Returns the step of a duration; durations below 1 µs belong to the first. */
    public static int stepOf(long micros) {
        return micros <= 1
                ? 0
                : Math.min(STEPS - 1, (int) (STEPS_PER_DECADE * Math.log10((double) micros)));
    }

    /** Returns the shortest duration of a step in microseconds. */
    public static double fromMicros(int step) {
        return Math.pow(10, (double) step / STEPS_PER_DECADE);
    }

    /** Returns the number of pairs. */
    public long count() {
        return cells.stream().mapToLong(Cell::count).sum();
    }

    public static TimesGrid sum(Collection<TimesGrid> grids) {
        Recorder total = new Recorder();
        grids.forEach(total::add);
        return total.take();
    }

    /** A recorder of pairs. Not thread-safe. */
    public static final class Recorder {
        /** By step of the response time. A row is allocated with its first pair: few are used. */
        private final long[] @Nullable [] counts = new long[STEPS][];

        private boolean empty = true;

        /** Adds a pair of durations in microseconds. */
        public void record(long responseMicros, long transferMicros) {
            row(stepOf(responseMicros))[stepOf(transferMicros)]++;
            empty = false;
        }

        public void add(TimesGrid grid) {
            for (Cell cell : grid.cells) {
                row(cell.responseStep)[cell.transferStep] += cell.count;
                empty = false;
            }
        }

        /** Adds pairs to a cell. */
        void add(int responseStep, int transferStep, long count) {
            row(responseStep)[transferStep] += count;
            empty = false;
        }

        private long[] row(int response) {
            long[] row = counts[response];
            if (row == null) {
                row = new long[STEPS];
                counts[response] = row;
            }
            return row;
        }

        /** Returns the pairs recorded since the last call. */
        public TimesGrid take() {
            if (empty) {
                return EMPTY;
            }
            List<Cell> cells = new ArrayList<>();
            for (int response = 0; response < STEPS; response++) {
                long[] row = counts[response];
                for (int transfer = 0; row != null && transfer < STEPS; transfer++) {
                    if (row[transfer] != 0) {
                        cells.add(new Cell(response, transfer, row[transfer]));
                        row[transfer] = 0;
                    }
                }
            }
            empty = true;
            return new TimesGrid(cells);
        }
    }
}
