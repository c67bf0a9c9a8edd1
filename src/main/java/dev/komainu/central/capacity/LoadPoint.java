package dev.komainu.central.capacity;

import java.util.Map;

/**
 * One service under load for ten seconds; {@code NaN} and absent keys are what could not be seen.
 *
 * @param atSecond start, seconds since the epoch
 * @param arrival requests a second
 * @param processed answers begun a second (X)
 * @param processing requests under way, mean (N)
 * @param concurrent open connections, mean (N_c)
 * @param responseSeconds T_r, mean: Little's law and queues speak of means
 * @param cpuCores CPU time of the server's own processes per second
 * @param use share of each resource in use, 0 to 1
 */
public record LoadPoint(
        long atSecond,
        double arrival,
        double processed,
        double processing,
        double concurrent,
        double responseSeconds,
        double cpuCores,
        Map<Resource, Double> use) {

    /** Length of a point. */
    public static final int SECONDS = 10;

    public LoadPoint {
        use = Map.copyOf(use);
    }

    double use(Resource resource) {
        return use.getOrDefault(resource, Double.NaN);
    }
}
