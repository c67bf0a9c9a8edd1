package dev.komainu.load;

import java.util.random.RandomGenerator;

/**
 * How long visitors stay: pages of one visit (geometric around the mean), and how long each is
 * looked at (Pareto with α 1.5, SURGE's inactive time: most go on soon, a few are away for long).
 *
 * @param views mean pages of a visit, 1 or more
 * @param thinkSeconds mean pause between them, 0 or more
 */
record VisitModel(double views, double thinkSeconds) {

    private static final double SHAPE = 1.5;
    /**
     * Nobody thinks longer than so many means: else one draw in a thousand decides how long a load
     * takes.
     */
    private static final double LONGEST = 20;

    /** Pages of one visit. */
    int pages(RandomGenerator random) {
        if (views <= 1) {
            return 1;
        }
        return (int) Math.min(
                10_000,
                1 + Math.floor(Math.log(1 - random.nextDouble()) / Math.log(1 - 1 / views)));
    }

    /** Nanoseconds until the next page. */
    long pauseNanos(RandomGenerator random) {
        double smallest = thinkSeconds * (SHAPE - 1) / SHAPE;
        double drawn = smallest * Math.pow(1 - random.nextDouble(), -1 / SHAPE);
        return (long) (Math.min(LONGEST * thinkSeconds, drawn) * 1e9);
    }
}
