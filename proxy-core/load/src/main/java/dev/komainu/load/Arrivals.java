package dev.komainu.load;

import java.util.random.RandomGenerator;

/**
 * The instants at which visitors come, whatever the server does (an open loop): a server that slows
 * down meets a growing crowd, as in life. Either a Poisson process, which many independent people
 * make, or even distances, which is what httperf makes. For the Poisson process of a changing rate
 * candidates come at the highest rate and are kept with the probability rate/highest (Lewis and
 * Shedler's thinning), so a ramp is a ramp. Owned by one thread.
 */
final class Arrivals {

    /** The step in which an even arrival looks for a rate above 0. */
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
     * Seconds since the start at which the next visitor is due; negative when nobody comes any
     * more.
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
