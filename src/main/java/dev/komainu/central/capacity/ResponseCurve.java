package dev.komainu.central.capacity;

/** T_r by the rate of requests: rises, and has a wall it never passes. Pure. */
public sealed interface ResponseCurve permits QueueCurve, UslCurve {

    /** Mean T_r at a rate, seconds; infinite at the wall and behind it. */
    double seconds(double rate);

    /** T_r of a request that meets no other, seconds. */
    double atRest();

    /** Highest rate there is at all; infinite where the curve knows none. */
    double wall();

    /** The same work where everything that takes CPU time takes {@code 1 / factor} of it. */
    ResponseCurve faster(double factor, double cpuSeconds);

    /**
     * Rate at which T_r comes to {@code limitSeconds}; at most {@code most}, at which it may not
     * yet.
     */
    default double rateAt(double limitSeconds, double most) {
        double low = 0;
        double high = Math.min(most, wall());
        if (seconds(high) <= limitSeconds) {
            return high;
        }
        for (int i = 0; i < 60; i++) {
            double middle = (low + high) / 2;
            if (seconds(middle) <= limitSeconds) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Rate at which X T_r, the requests under way, come to so many; at most {@code most}. */
    default double rateWithUnderWay(double requests, double most) {
        double low = 0;
        double high = Math.min(most, wall());
        if (high * seconds(high) <= requests) {
            return high;
        }
        for (int i = 0; i < 60; i++) {
            double middle = (low + high) / 2;
            if (middle * seconds(middle) <= requests) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
