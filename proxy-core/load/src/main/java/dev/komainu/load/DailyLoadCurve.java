package dev.komainu.load;

/**
 * The rate of requests by time: off-peak, a smooth ramp, a peak, a ramp down, off-peak again,
 * repeated without end.
 *
 * @param quietPerSecond rate off-peak
 * @param peakPerSecond rate at the peak
 * @param quietSeconds length of the time before and after the peak
 * @param rampSeconds length of each ramp
 * @param peakSeconds length of the peak
 */
record DailyLoadCurve(
        double quietPerSecond,
        double peakPerSecond,
        int quietSeconds,
        int rampSeconds,
        int peakSeconds) {

    double periodSeconds() {
        return 2.0 * quietSeconds + 2.0 * rampSeconds + peakSeconds;
    }

    /**
     * Returns the rate at an instant.
     *
     * @param second since the start, 0 or more
     */
    double rateAt(double second) {
        double t = second % periodSeconds();
        if (t < quietSeconds) {
            return quietPerSecond;
        }
        t -= quietSeconds;
        if (t < rampSeconds) {
            return quietPerSecond + (peakPerSecond - quietPerSecond) * t / rampSeconds;
        }
        t -= rampSeconds;
        if (t < peakSeconds) {
            return peakPerSecond;
        }
        t -= peakSeconds;
        if (t < rampSeconds) {
            return peakPerSecond - (peakPerSecond - quietPerSecond) * t / rampSeconds;
        }
        return quietPerSecond;
    }
}
