package dev.komainu.central.capacity;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A fit of one set of points: a line for each resource, and T_r's curve. Pure.
 *
 * @param lines utilisation law of each measured resource
 * @param cpuSeconds CPU time of the server's own processes a request, seconds; 0 where not measured
 * @param curve T_r; absent when no curve could be fitted
 */
public record CapacityFit(
        Map<Resource, UtilizationLine> lines,
        double cpuSeconds,
        @Nullable ResponseCurve curve) {

    public CapacityFit {
        lines = Map.copyOf(lines);
    }

    /** Returns T_r's curve on another server. */
    @Nullable
    ResponseCurve curve(ServerModel plant) {
        if (curve == null) {
            return null;
        }
        ResponseCurve changed = curve.faster(plant.cpuFactor(), cpuSeconds);
        return changed instanceof QueueCurve queue
                ? queue.on(plant.factor(queue.resource()))
                : changed;
    }

    /**
     * Returns the share of a resource in use at a rate; {@code NaN} when the resource was not
     * measured.
     */
    double use(Resource resource, ServerModel plant, ServerFacts facts, double rate) {
        ResponseCurve changed = curve(plant);
        Double workers = facts.workers();
        if (resource == Resource.WORKERS && workers != null && changed != null) {
            return rate * changed.seconds(rate) / (workers * plant.factor(resource));
        }
        UtilizationLine line = lines.get(resource);
        return line == null ? Double.NaN : line.on(factor(resource, plant)).at(rate);
    }

    /**
     * Returns the knee: the resource that is exhausted first, or T_r's limit.
     *
     * @param bounding resources whose use grows significantly with the load
     * @param ceiling highest rate that is inferred
     */
    Knee.Single knee(Set<Resource> bounding, ServerModel plant, ServerFacts facts, double ceiling) {
        double rate = ceiling;
        String by = Knee.BEYOND;
        ResponseCurve changed = curve(plant);
        for (Resource resource : bounding) {
            UtilizationLine line = lines.get(resource);
            boolean byCurve =
                    resource == Resource.WORKERS && changed != null && facts.workers() != null;
            if (line != null && !byCurve) {
                double ends = line.on(factor(resource, plant)).rateAt(resource.mark());
                if (ends < rate) {
                    rate = ends;
                    by = resource.text();
                }
            }
        }
        if (changed != null && curve != null) {
            Double workers = facts.workers();
            if (workers != null) {
                double available =
                        workers * plant.factor(Resource.WORKERS) * Resource.WORKERS.mark();
                double ends = changed.rateWithInProgress(available, rate);
                if (ends < rate && ends < changed.limitingRate()) {
                    rate = ends;
                    by = Resource.WORKERS.text();
                }
            }
            double ends = changed.rateAt(plant.responseRatio() * curve.atRest(), rate);
            if (ends < rate) {
                rate = ends;
                by = ends < changed.limitingRate() ? Knee.RESPONSE : Knee.CONTENTION;
            }
        }
        return new Knee.Single(rate, by);
    }

    private static double factor(Resource resource, ServerModel plant) {
        return resource == Resource.CPU_QUOTA
                ? plant.factor(resource) * plant.cpuFactor()
                : plant.factor(resource);
    }
}
