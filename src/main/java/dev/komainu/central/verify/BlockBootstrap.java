package dev.komainu.central.verify;

import java.util.Arrays;
import java.util.Random;

/**
 * The means of one index before and after a change at matched load, with an interval for their
 * difference by the moving block bootstrap (Künsch 1989). Neighbouring seconds are correlated, so
 * blocks of seconds are drawn, not single ones. The generator is seeded: the same values give the
 * same interval. Pure.
 */
final class BlockBootstrap {

    private static final int RESAMPLES = 1_000;
    private static final double CONFIDENCE = 0.95;

    /** Ten seconds: a host sample covers this period. */
    private static final int LONGEST_BLOCK = 10;

    /** Fewest blocks; with fewer the interval would be too narrow. */
    private static final int LEAST_BLOCKS = 8;

    private final Side before;
    private final Side after;

    /** The compared seconds of one side, in order of time. */
    private record Side(int[] bins, double[] values) {

        /**
         * Selects the compared seconds of a side.
         *
         * @param slots index of each bin in the list of all bins of this comparison
         */
        static Side of(int[] bins, double[] column, int[] slots) {
            int[] kept = new int[column.length];
            double[] values = new double[column.length];
            int size = 0;
            for (int i = 0; i < column.length; i++) {
                if (bins[i] != MatchedLoad.NONE && !Double.isNaN(column[i])) {
                    kept[size] = Arrays.binarySearch(slots, bins[i]);
                    values[size++] = column[i];
                }
            }
            return new Side(Arrays.copyOf(kept, size), Arrays.copyOf(values, size));
        }

        int size() {
            return values.length;
        }
    }

    /**
     * The result of a comparison.
     *
     * @param before mean before the change at matched load
     * @param after mean after the change, with the same weight of each load as in {@code before}
     * @param low lower end of the 95 % interval of {@code after - before}
     * @param high upper end of the interval
     * @param secondsBefore seconds in {@code before}
     * @param secondsAfter seconds in {@code after}
     */
    record Difference(
            double before,
            double after,
            double low,
            double high,
            int secondsBefore,
            int secondsAfter) {}

    private final int binCount;

    BlockBootstrap(MatchedLoad match, double[] before, double[] after) {
        int[] slots = Arrays.stream(match.before())
                .filter(bin -> bin != MatchedLoad.NONE)
                .distinct()
                .sorted()
                .toArray();
        this.binCount = slots.length;
        this.before = Side.of(match.before(), before, slots);
        this.after = Side.of(match.after(), after, slots);
    }

    /**
     * Returns the difference; {@code null} when the index was not measured at the same load on both
     * sides.
     */
    @org.jspecify.annotations.Nullable
    Difference difference(long seed) {
        Sums sumsBefore = new Sums(binCount);
        Sums sumsAfter = new Sums(binCount);
        sumsBefore.all(before);
        sumsAfter.all(after);
        double[] means = means(sumsBefore, sumsAfter);
        if (means.length == 0) {
            return null;
        }
        Random random = new Random(seed);
        double[] drawn = new double[RESAMPLES];
        int count = 0;
        for (int i = 0; i < RESAMPLES; i++) {
            sumsBefore.draw(before, random);
            sumsAfter.draw(after, random);
            double[] resample = means(sumsBefore, sumsAfter);
            if (resample.length > 0) {
                drawn[count++] = resample[1] - resample[0];
            }
        }
        Arrays.sort(drawn, 0, count);
        double tail = (1 - CONFIDENCE) / 2;
        return new Difference(
                means[0],
                means[1],
                count == 0 ? Double.NEGATIVE_INFINITY : drawn[(int) (tail * count)],
                count == 0
                        ? Double.POSITIVE_INFINITY
                        : drawn[Math.min(count - 1, (int) ((1 - tail) * count))],
                before.size(),
                after.size());
    }

    /**
     * Returns both means. The weight of a bin is its number of seconds on the side with fewer.
     * Returns an empty array when no bin has seconds on both sides.
     */
    private double[] means(Sums before, Sums after) {
        double weights = 0;
        double sumBefore = 0;
        double sumAfter = 0;
        for (int bin = 0; bin < binCount; bin++) {
            int weight = Math.min(before.count[bin], after.count[bin]);
            if (weight > 0) {
                weights += weight;
                sumBefore += weight * before.sum[bin] / before.count[bin];
                sumAfter += weight * after.sum[bin] / after.count[bin];
            }
        }
        return weights == 0
                ? new double[0]
                : new double[] {sumBefore / weights, sumAfter / weights};
    }

    /** The sums by bin; refilled for each resample. */
    private static final class Sums {
        final double[] sum;
        final int[] count;

        Sums(int bins) {
            sum = new double[bins];
            count = new int[bins];
        }

        void all(Side side) {
            clear();
            for (int i = 0; i < side.size(); i++) {
                add(side, i);
            }
        }

        /**
         * Draws the same number of seconds, in blocks that start anywhere and wrap around at the
         * end.
         */
        void draw(Side side, Random random) {
            clear();
            int size = side.size();
            int block = Math.clamp(size / LEAST_BLOCKS, 1, LONGEST_BLOCK);
            for (int drawn = 0; drawn < size; ) {
                int from = random.nextInt(size);
                for (int i = 0; i < block && drawn < size; i++, drawn++) {
                    add(side, (from + i) % size);
                }
            }
        }

        private void add(Side side, int i) {
            int bin = side.bins()[i];
            if (bin >= 0) {
                sum[bin] += side.values()[i];
                count[bin]++;
            }
        }

        private void clear() {
            Arrays.fill(sum, 0);
            Arrays.fill(count, 0);
        }
    }
}
