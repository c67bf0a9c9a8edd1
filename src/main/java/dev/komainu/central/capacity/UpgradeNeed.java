package dev.komainu.central.capacity;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A resource that an upgrade must increase.
 *
 * @param resource more of this; of the CPU: faster
 * @param factor how many times as much as on the modelled server; absent: more of this resource
 *     alone is not sufficient
 * @param because a resource's text (it would be used up) or {@code response} (T_r would pass its
 *     limit)
 */
public record UpgradeNeed(Resource resource, @Nullable Double factor, String because) {

    private static final double MOST = 64;

    /** Everything that is short at a rate; empty when the plant carries it. */
    static List<UpgradeNeed> at(CapacityModel model, ServerModel plant, double rate) {
        CapacityFit fit = model.fit();
        List<UpgradeNeed> needs = new ArrayList<>();
        if (fit == null) {
            return needs;
        }
        ServerModel enough = plant;
        for (Resource resource : Resource.values()) {
            double use = fit.use(resource, plant, model.facts(), rate);
            boolean asked = model.bounding().contains(resource)
                    || resource == Resource.WORKERS && model.facts().workers() != null;
            if (asked && Double.isFinite(use) && use > resource.mark()) {
                double factor = use / resource.mark();
                needs.add(new UpgradeNeed(resource, factor, resource.text()));
                enough = enough.with(resource, plant.factor(resource) * factor);
            }
        }
        ResponseCurve now = fit.curve();
        if (now != null) {
            double limit = plant.responseRatio() * now.atRest();
            Resource by = now instanceof QueueCurve queue ? queue.resource() : Resource.CPU;
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
