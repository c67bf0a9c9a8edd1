package dev.komainu.central.capacity;

/**
 * T_r as an increasing function of the request rate, with a limiting rate that it never reaches
 * (the wall). Pure.
 */
public sealed interface ResponseCurve permits QueueCurve, UslCurve {

    /** Returns mean T_r at a rate, in seconds; infinite at the wall and above it. */
    double seconds(double rate);

    /** Returns T_r of a single request without others, in seconds. */
    double atRest();

    /** Returns the limiting rate; infinite when the curve has none. */
    double limitingRate();

    /** Returns the curve of the same work on a CPU that is {@code factor} times as fast. */
    ResponseCurve faster(double factor, double cpuSeconds);

    /**
     * Returns the rate at which T_r reaches {@code limitSeconds}; {@code most} when it is not
     * reached before.
     */
    default double rateAt(double limitSeconds, double most) {
        double low = 0;
        double high = Math.min(most, limitingRate());
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

    /**
     * Returns the rate at which X T_r, the requests in progress, reaches {@code requests}; at most
     * {@code most}.
     */
    default double rateWithInProgress(double requests, double most) {
        double low = 0;
        double high = Math.min(most, limitingRate());
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
