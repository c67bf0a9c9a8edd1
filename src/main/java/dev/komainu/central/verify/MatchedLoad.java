package dev.komainu.central.verify;

import java.util.Arrays;

/**
 * Seconds of two stretches that had the same load. A bin holds loads within ±{@value #TOLERANCE} of
 * its middle; a second counts when its bin was seen on both sides. Pure.
 */
final class MatchedLoad {

    static final double TOLERANCE = 0.10;

    /** A second that is compared with nothing. */
    static final int NONE = Integer.MIN_VALUE;

    private static final double WIDTH = Math.log((1 + TOLERANCE) / (1 - TOLERANCE));

    private final int[] before;
    private final int[] after;

    private MatchedLoad(int[] before, int[] after) {
        this.before = before;
        this.after = after;
    }

    static MatchedLoad of(Stretch before, Stretch after) {
        int[] one = bins(before.load());
        int[] other = bins(after.load());
        return new MatchedLoad(only(one, other), only(other, one));
    }

    /** All seconds in one bin, whatever their load: what can be said when nothing matches. */
    static MatchedLoad regardless(Stretch before, Stretch after) {
        return new MatchedLoad(one(before.load()), one(after.load()));
    }

    /** Bin of each second before the change, or {@link #NONE}. */
    int[] before() {
        return before;
    }

    /** Bin of each second after it, or {@link #NONE}. */
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

    private static int[] one(double[] load) {
        return Arrays.stream(load)
                .mapToInt(each -> Double.isNaN(each) ? NONE : 0)
                .toArray();
    }

    private static int[] only(int[] bins, int[] seenInOther) {
        int[] known = Arrays.stream(seenInOther).distinct().sorted().toArray();
        return Arrays.stream(bins)
                .map(bin -> Arrays.binarySearch(known, bin) >= 0 ? bin : NONE)
                .toArray();
    }
}
