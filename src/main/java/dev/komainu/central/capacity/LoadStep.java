package dev.komainu.central.capacity;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * A group of points of about the same load. Points are sorted by arrival rate, not by requests in
 * progress: otherwise a random pile-up of requests would look like an effect of the load. Values
 * are medians of ten-second means, so that one disturbed point has no effect.
 *
 * @param rate X, requests a second
 * @param processing N
 * @param concurrent N_c
 * @param responseSeconds T_r
 * @param cpuCores CPU time per second
 * @param use share of each resource
 * @param points number of points in the group
 */
public record LoadStep(
        double rate,
        double processing,
        double concurrent,
        double responseSeconds,
        double cpuCores,
        Map<Resource, Double> use,
        int points) {

    /** Number of steps between the lightest and the heaviest load. */
    static final int STEPS = 16;

    /** Fewest points of a step. */
    static final int FEWEST = 2;

    /**
     * Returns the steps from the lightest to the heaviest load. Points without traffic are ignored.
     */
    static List<LoadStep> of(List<LoadPoint> points) {
        double least = Double.MAX_VALUE;
        double most = 0;
        for (LoadPoint point : points) {
            if (point.arrival() > 0 && point.processed() > 0) {
                least = Math.min(least, point.arrival());
                most = Math.max(most, point.arrival());
            }
        }
        List<List<LoadPoint>> bins = new ArrayList<>();
        for (int i = 0; i < STEPS; i++) {
            bins.add(new ArrayList<>());
        }
        for (LoadPoint point : points) {
            if (point.arrival() > 0 && point.processed() > 0) {
                int bin = most > least
                        ? (int) ((point.arrival() - least) / (most - least) * STEPS)
                        : 0;
                bins.get(Math.min(STEPS - 1, bin)).add(point);
            }
        }
        return bins.stream()
                .filter(bin -> bin.size() >= FEWEST)
                .map(LoadStep::together)
                .toList();
    }

    private static LoadStep together(List<LoadPoint> points) {
        Map<Resource, Double> use = new EnumMap<>(Resource.class);
        for (Resource resource : Resource.values()) {
            double share = median(points, point -> point.use(resource));
            if (!Double.isNaN(share)) {
                use.put(resource, share);
            }
        }
        return new LoadStep(
                median(points, LoadPoint::processed),
                median(points, LoadPoint::processing),
                median(points, LoadPoint::concurrent),
                median(points, LoadPoint::responseSeconds),
                median(points, LoadPoint::cpuCores),
                use,
                points.size());
    }

    private static double median(List<LoadPoint> points, ToDoubleFunction<LoadPoint> value) {
        double[] known = new double[points.size()];
        int count = 0;
        for (LoadPoint point : points) {
            double each = value.applyAsDouble(point);
            if (Double.isFinite(each)) {
                known[count++] = each;
            }
        }
        return median(Arrays.copyOf(known, count));
    }

    /** Returns the median; {@code NaN} of an empty array. */
    static double median(double[] values) {
        return quantile(values, 0.5);
    }

    /** Returns a quantile, linear between neighbours; {@code NaN} of an empty array. */
    static double quantile(double[] values, double share) {
        if (values.length == 0) {
            return Double.NaN;
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        double place = share * (sorted.length - 1);
        int below = (int) place;
        double above = sorted[Math.min(sorted.length - 1, below + 1)];
        return sorted[below] + (above - sorted[below]) * (place - below);
    }

    double use(Resource resource) {
        return use.getOrDefault(resource, Double.NaN);
    }
}
