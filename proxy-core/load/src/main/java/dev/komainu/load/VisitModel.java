package dev.komainu.load;

import java.util.random.RandomGenerator;

/**
 * The model of a visit: the number of pages (geometric around the mean), and the pause after each
 * page (Pareto with α 1.5, SURGE's inactive time: most pauses are short, a few are long).
 *
 * @param views mean pages of a visit, 1 or more
 * @param thinkSeconds mean pause between them, 0 or more
 */
record VisitModel(double views, double thinkSeconds) {

    private static final double SHAPE = 1.5;
    /**
     * Limit of a pause, in means: otherwise one draw in a thousand would determine the length of a
     * load.
     */
    private static final double MAX_MEANS = 20;

    /** Returns the number of pages of one visit. */
    int pages(RandomGenerator random) {
        if (views <= 1) {
            return 1;
        }
        return (int) Math.min(
                10_000,
                1 + Math.floor(Math.log(1 - random.nextDouble()) / Math.log(1 - 1 / views)));
    }

    /** Returns the nanoseconds until the next page. */
    long pauseNanos(RandomGenerator random) {
        double smallest = thinkSeconds * (SHAPE - 1) / SHAPE;
        double drawn = smallest * Math.pow(1 - random.nextDouble(), -1 / SHAPE);
        return (long) (Math.min(MAX_MEANS * thinkSeconds, drawn) * 1e9);
    }
}
