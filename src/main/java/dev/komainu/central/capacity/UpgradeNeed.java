package dev.komainu.central.capacity;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A resource that an upgrade must increase.
 *
 * @param resource resource to increase; for the CPU its speed
 * @param factor required amount as a multiple of the modelled server's; absent: more of this
 *     resource alone is not sufficient
 * @param because text of a resource that would be exhausted, or {@code response} (T_r would exceed
 *     its limit)
 */
public record UpgradeNeed(Resource resource, @Nullable Double factor, String because) {

    private static final double MOST = 64;

    /** Returns the resources that are insufficient at a rate; empty when the server carries it. */
    static List<UpgradeNeed> at(CapacityModel model, ServerModel plant, double rate) {
        CapacityFit fit = model.fit();
        List<UpgradeNeed> needs = new ArrayList<>();
        if (fit == null) {
            return needs;
        }
        ServerModel enough = plant;
        for (Resource resource : Resource.values()) {
            double use = fit.use(resource, plant, model.facts(), rate);
            boolean relevant = model.bounding().contains(resource)
                    || (resource == Resource.WORKERS && model.facts().workers() != null);
            if (relevant && Double.isFinite(use) && use > resource.mark()) {
                double factor = use / resource.mark();
                needs.add(new UpgradeNeed(resource, factor, resource.text()));
                enough = enough.with(resource, plant.factor(resource) * factor);
            }
        }
        ResponseCurve curve = fit.curve();
        if (curve != null) {
            double limit = plant.responseRatio() * curve.atRest();
            Resource by = curve instanceof QueueCurve queue ? queue.resource() : Resource.CPU;
            if (!(seconds(fit, enough, rate) <= limit)) {
                double already = enough.factor(by);
                needs.removeIf(need -> need.resource() == by);
                needs.add(new UpgradeNeed(
                        by, factor(fit, enough, by, already, rate, limit, plant), Knee.RESPONSE));
            }
        }
        return List.copyOf(needs);
    }

    private static @Nullable Double factor(
            CapacityFit fit,
            ServerModel enough,
            Resource by,
            double already,
            double rate,
            double limit,
            ServerModel plant) {
        double low = already;
        double high = already * MOST;
        if (!(seconds(fit, enough.with(by, high), rate) <= limit)) {
            return null;
        }
        for (int i = 0; i < 50; i++) {
            double middle = (low + high) / 2;
            if (seconds(fit, enough.with(by, middle), rate) <= limit) {
                high = middle;
            } else {
                low = middle;
            }
        }
        return high / plant.factor(by);
    }

    private static double seconds(CapacityFit fit, ServerModel plant, double rate) {
        ResponseCurve curve = fit.curve(plant);
        return curve == null ? Double.NaN : curve.seconds(rate);
    }
}
