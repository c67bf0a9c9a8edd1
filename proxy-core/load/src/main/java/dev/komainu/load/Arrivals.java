package dev.komainu.load;

import java.util.random.RandomGenerator;

/**
 * The instants at which visitors arrive, independent of the server (an open loop): a server that
 * slows down faces a growing number of visitors, as in production. Either a Poisson process, which
 * many independent persons generate, or even intervals, as httperf generates. For the Poisson
 * process of a changing rate, candidates arrive at the highest rate and are accepted with the
 * probability rate/highest (Lewis and Shedler's thinning), so that the rate of a ramp is exact.
 * Owned by one thread.
 */
final class Arrivals {

    /** Step of the search for a rate above 0 with even intervals. */
    private static final double PAUSE_SECONDS = 0.01;

    private final LoadPhases phases;
    private final boolean even;
    private final RandomGenerator random;
    private final double highest;
    private double last;

    Arrivals(LoadPhases phases, boolean even, RandomGenerator random) {
        this.phases = phases;
        this.even = even;
        this.random = random;
        this.highest = phases.steps().stream()
                .mapToDouble(step -> Math.max(step.from(), step.to()))
                .max()
                .orElse(0);
    }

    /**
     * Returns the seconds since the start at which the next visitor is due; negative after the last
     * one.
     */
    double next() {
        double end = phases.seconds();
        while (last < end && highest > 0) {
            if (even) {
                double rate = phases.rateAt(last);
                last += rate > 0 ? 1 / rate : PAUSE_SECONDS;
                if (rate > 0 && last < end) {
                    return last;
                }
            } else {
                last += -Math.log(1 - random.nextDouble()) / highest;
                if (last < end && random.nextDouble() * highest < phases.rateAt(last)) {
                    return last;
                }
            }
        }
        return -1;
    }
}
