package dev.komainu.telemetry.record;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/**
 * How often T_r and T_d came together (thesis 5.2: hits of a proxy's cache and misses stand apart
 * as two clusters). Both axes are logarithmic, {@value #STEPS_PER_DECADE} steps a decade from 1 µs
 * to an hour; only cells that hold something are listed. Grids add up like histograms.
 *
 * @param cells in order of response step, then transfer step
 */
public record TimesGrid(List<Cell> cells) {

    public static final int STEPS_PER_DECADE = 8;
    /** Steps on each axis; the last holds everything longer. */
    public static final int STEPS = 77;

    public static final TimesGrid EMPTY = new TimesGrid(List.of());

    /**
     * @param responseStep 0 to {@value TimesGrid#STEPS} - 1, of T_r
     * @param transferStep the same of T_d
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

    /** The step a duration falls into; everything below 1 µs into the first. */
    public static int stepOf(long micros) {
        return micros <= 1 ? 0 : Math.min(STEPS - 1, (int) (STEPS_PER_DECADE * Math.log10(micros)));
    }

    /** Shortest duration of a step, microseconds. */
    public static double fromMicros(int step) {
        return Math.pow(10, (double) step / STEPS_PER_DECADE);
    }

    public long count() {
        return cells.stream().mapToLong(Cell::count).sum();
    }

    public static TimesGrid sum(Collection<TimesGrid> grids) {
        Recorder total = new Recorder();
        grids.forEach(total::add);
        return total.take();
    }

    /** Collects pairs. Not safe for many threads. */
    public static final class Recorder {
        private final long[] counts = new long[STEPS * STEPS];
        private boolean empty = true;

        public void record(long responseMicros, long transferMicros) {
            counts[stepOf(responseMicros) * STEPS + stepOf(transferMicros)]++;
            empty = false;
        }

        public void add(TimesGrid grid) {
            for (Cell cell : grid.cells) {
                counts[cell.responseStep * STEPS + cell.transferStep] += cell.count;
                empty = false;
            }
        }

        /** What was recorded since the last call. */
        public TimesGrid take() {
            if (empty) {
                return EMPTY;
            }
            List<Cell> cells = new ArrayList<>();
            for (int i = 0; i < counts.length; i++) {
                if (counts[i] != 0) {
                    cells.add(new Cell(i / STEPS, i % STEPS, counts[i]));
                }
            }
            Arrays.fill(counts, 0);
            empty = true;
            return new TimesGrid(cells);
        }
    }
}
