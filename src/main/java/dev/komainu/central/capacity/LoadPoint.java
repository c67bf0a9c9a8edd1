package dev.komainu.central.capacity;

import java.util.Map;

/**
 * The load of one service in ten seconds; {@code NaN} and absent keys mean not measured.
 *
 * @param atSecond start, seconds since the epoch
 * @param arrival requests a second
 * @param processed responses started a second (X)
 * @param processing mean of requests in progress (N)
 * @param concurrent mean of open connections (N_c)
 * @param responseSeconds mean T_r: Little's law and queueing formulas use means
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

    /** Length of a point, in seconds. */
    public static final int SECONDS = 10;

    public LoadPoint {
        use = Map.copyOf(use);
    }

    double use(Resource resource) {
        return use.getOrDefault(resource, Double.NaN);
    }
}
