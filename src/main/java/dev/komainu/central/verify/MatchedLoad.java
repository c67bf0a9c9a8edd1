package dev.komainu.central.verify;

import java.util.Arrays;

/**
 * The seconds of two stretches that had the same load. A bin holds loads within
 * ±{@value #TOLERANCE} of its middle; a second counts when its bin occurs on both sides. Pure.
 */
final class MatchedLoad {

    static final double TOLERANCE = 0.10;

    /** Marker of a second without a match. */
    static final int NONE = Integer.MIN_VALUE;

    private static final double WIDTH = Math.log((1 + TOLERANCE) / (1 - TOLERANCE));

    private final int[] before;
    private final int[] after;

    private MatchedLoad(int[] before, int[] after) {
        this.before = before;
        this.after = after;
    }

    static MatchedLoad of(Stretch before, Stretch after) {
        int[] binsBefore = bins(before.load());
        int[] binsAfter = bins(after.load());
        return new MatchedLoad(matched(binsBefore, binsAfter), matched(binsAfter, binsBefore));
    }

    /** Returns all seconds in one bin, for a comparison when no loads match. */
    static MatchedLoad regardless(Stretch before, Stretch after) {
        return new MatchedLoad(singleBin(before.load()), singleBin(after.load()));
    }

    /** Returns the bin of each second before the change, or {@link #NONE}. */
    int[] before() {
        return before;
    }

    /** Returns the bin of each second after the change, or {@link #NONE}. */
    int[] after() {
        return after;
    }

    int secondsBefore() {
        return count(before);
    }

    int secondsAfter() {
        return count(after);
    }

    private static int count(int[] bins) {
        return (int) Arrays.stream(bins).filter(bin -> bin != NONE).count();
    }

    private static int[] bins(double[] load) {
        return Arrays.stream(load)
                .mapToInt(each ->
                        Double.isNaN(each) ? NONE : (int) Math.floor(Math.log(each) / WIDTH))
                .toArray();
    }

    private static int[] singleBin(double[] load) {
        return Arrays.stream(load)
                .mapToInt(each -> Double.isNaN(each) ? NONE : 0)
                .toArray();
    }

    private static int[] matched(int[] bins, int[] others) {
        int[] known = Arrays.stream(others).distinct().sorted().toArray();
        return Arrays.stream(bins)
                .map(bin -> Arrays.binarySearch(known, bin) >= 0 ? bin : NONE)
                .toArray();
    }
}
