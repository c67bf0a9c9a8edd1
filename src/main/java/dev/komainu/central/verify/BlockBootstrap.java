package dev.komainu.central.verify;

import java.util.Arrays;
import java.util.Random;

/**
 * Means of one index before and after a change at matched load, with an interval for their
 * difference by the moving block bootstrap (Künsch 1989): neighbouring seconds are alike, so blocks
 * of seconds are drawn, not single ones. Seeded, so the same figures give the same interval. Pure.
 */
final class BlockBootstrap {

    private static final int RESAMPLES = 1_000;
    private static final double CONFIDENCE = 0.95;

    /** Ten seconds: a host sample speaks for as long. */
    private static final int LONGEST_BLOCK = 10;

    /** Fewer blocks than this would make the interval look surer than it is. */
    private static final int LEAST_BLOCKS = 8;

    private final Side before;
    private final Side after;

    /** The seconds of one side that are compared, in their order. */
    private record Side(int[] bins, double[] values) {

        /** @param slots bins made small: their place in the list of all bins of this comparison */
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
     * @param before mean at matched load
     * @param after the same of the other stretch, each load counting as much as in {@code before}
     * @param low lower end of the 95 % interval of {@code after - before}
     * @param high its upper end
     * @param secondsBefore seconds behind it
     * @param secondsAfter the same of the other stretch
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

    /** Absent when the index was not seen at the same load on both sides. */
    @org.jspecify.annotations.Nullable
    Difference difference(long seed) {
        Sums one = new Sums(binCount);
        Sums other = new Sums(binCount);
        one.all(before);
        other.all(after);
        double[] means = means(one, other);
        if (means.length == 0) {
            return null;
        }
        Random random = new Random(seed);
        double[] drawn = new double[RESAMPLES];
        int count = 0;
        for (int i = 0; i < RESAMPLES; i++) {
            one.draw(before, random);
            other.draw(after, random);
            double[] each = means(one, other);
            if (each.length > 0) {
                drawn[count++] = each[1] - each[0];
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
     * Both means, each bin weighing as much as the side with fewer seconds in it allows; empty when
     * no bin has both.
     */
    private double[] means(Sums one, Sums other) {
        double weights = 0;
        double first = 0;
        double second = 0;
        for (int bin = 0; bin < binCount; bin++) {
            int weight = Math.min(one.count[bin], other.count[bin]);
            if (weight > 0) {
                weights += weight;
                first += weight * one.sum[bin] / one.count[bin];
                second += weight * other.sum[bin] / other.count[bin];
            }
        }
        return weights == 0 ? new double[0] : new double[] {first / weights, second / weights};
    }

    /** Sums by bin; refilled for each resample. */
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
         * As many seconds again, in blocks that begin anywhere and go on at the front when they
         * reach the end.
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
