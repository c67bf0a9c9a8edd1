package dev.komainu.central.capacity;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A fit of one set of points: a line per resource, and T_r's curve. Pure.
 *
 * @param lines utilisation law of each resource seen
 * @param cpuSeconds CPU time of the server's own processes a request, seconds; 0 where not seen
 * @param curve T_r; absent where it could not be fitted
 */
public record CapacityFit(
        Map<Resource, UtilizationLine> lines,
        double cpuSeconds,
        @Nullable ResponseCurve curve) {

    public CapacityFit {
        lines = Map.copyOf(lines);
    }

    /** T_r's curve on another plant. */
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

    /** The share of a resource in use at a rate; {@code NaN} where it was not seen. */
    double use(Resource resource, ServerModel plant, ServerFacts facts, double rate) {
        ResponseCurve now = curve(plant);
        Double workers = facts.workers();
        if (resource == Resource.WORKERS && workers != null && now != null) {
            return rate * now.seconds(rate) / (workers * plant.factor(resource));
        }
        UtilizationLine line = lines.get(resource);
        return line == null ? Double.NaN : line.on(factor(resource, plant)).at(rate);
    }

    /**
     * What ends first.
     *
     * @param bounding resources whose use grows with the load beyond doubt
     * @param ceiling no higher rate is inferred
     */
    Knee.Single knee(Set<Resource> bounding, ServerModel plant, ServerFacts facts, double ceiling) {
        double rate = ceiling;
        String by = Knee.BEYOND;
        ResponseCurve now = curve(plant);
        for (Resource resource : bounding) {
            UtilizationLine line = lines.get(resource);
            boolean byCurve =
                    resource == Resource.WORKERS && now != null && facts.workers() != null;
            if (line != null && !byCurve) {
                double ends = line.on(factor(resource, plant)).rateAt(resource.mark());
                if (ends < rate) {
                    rate = ends;
                    by = resource.text();
                }
            }
        }
        if (now != null && curve != null) {
            Double workers = facts.workers();
            if (workers != null) {
                double all = workers * plant.factor(Resource.WORKERS) * Resource.WORKERS.mark();
                double ends = now.rateWithUnderWay(all, rate);
                if (ends < rate && ends < now.wall()) {
                    rate = ends;
                    by = Resource.WORKERS.text();
                }
            }
            double ends = now.rateAt(plant.responseRatio() * curve.atRest(), rate);
            if (ends < rate) {
                rate = ends;
                by = ends < now.wall() ? Knee.RESPONSE : Knee.CONTENTION;
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
