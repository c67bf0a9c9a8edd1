package dev.komainu.central.capacity;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Points of about the same load taken together. Sorting by what arrives, not by what is under way,
 * keeps chance out: a point in which requests happened to pile up would else look as if piling up
 * were the load's doing. Medians of ten-second means: one disturbed point moves nothing.
 *
 * @param rate X, requests a second
 * @param processing N
 * @param concurrent N_c
 * @param responseSeconds T_r
 * @param cpuCores CPU time per second
 * @param use share of each resource
 * @param points how many were taken together
 */
public record LoadStep(
        double rate,
        double processing,
        double concurrent,
        double responseSeconds,
        double cpuCores,
        Map<Resource, Double> use,
        int points) {

    /** Steps between the lightest and the heaviest load. */
    static final int STEPS = 16;

    /** Fewer are passing by, not a step. */
    static final int FEWEST = 2;

    /** Points without traffic say nothing; of the rest, steps from the lightest to the heaviest. */
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
        double[] seen = new double[points.size()];
        int count = 0;
        for (LoadPoint point : points) {
            double each = value.applyAsDouble(point);
            if (Double.isFinite(each)) {
                seen[count++] = each;
            }
        }
        return median(Arrays.copyOf(seen, count));
    }

    /** {@code NaN} of nothing. */
    static double median(double[] values) {
        return quantile(values, 0.5);
    }

    /** Between neighbours straight; {@code NaN} of nothing. */
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
