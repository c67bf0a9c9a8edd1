package dev.komainu.central.capacity;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The effect of a load on a server, or on a changed server. Pure: nothing is stored, and no request
 * goes to the server.
 *
 * @param service id of the service
 * @param rate evaluated rate, requests a second
 * @param knee of the changed server
 * @param headroom 1 − rate ÷ knee; below 0 the server cannot carry the rate
 * @param response mean T_r at the rate, seconds
 * @param limitSeconds limit of T_r
 * @param uses use of each measured resource
 * @param needs resources that must be increased, too
 * @param users number of users that corresponds to the rate
 * @param reach time until the daily peak reaches the knee
 * @param assumptions parts of the question that could not be taken into account
 */
public record CapacityWhatIf(
        String service,
        double rate,
        @Nullable Knee knee,
        @Nullable Double headroom,
        ConfidenceInterval response,
        double limitSeconds,
        List<Use> uses,
        List<UpgradeNeed> needs,
        @Nullable UserEstimate users,
        @Nullable TimeToKnee reach,
        List<String> assumptions) {

    /** The use of one resource at the rate. */
    public record Use(Resource resource, ConfidenceInterval share) {}

    /**
     * A hypothetical load and server; an absent value is as at present.
     *
     * @param rate requests a second; absent: the heaviest observed load
     * @param growthPercent percentage added to the rate
     * @param growthPerDay growth of the daily peak a day, requests a second
     * @param factors factor on the amount of a resource; for the CPU on its speed
     * @param workers requests processed concurrently
     * @param connections concurrent connections
     * @param responseRatio T_r's limit as a multiple of T_r without load
     */
    public record Question(
            @Nullable Double rate,
            @Nullable Double growthPercent,
            @Nullable Double growthPerDay,
            Map<Resource, Double> factors,
            @Nullable Double workers,
            @Nullable Double connections,
            double responseRatio) {}

    /** Returns the effect; {@code null} when the service has no model. */
    public static @Nullable CapacityWhatIf evaluate(ServiceCapacity capacity, Question question) {
        CapacityModel model = capacity.model();
        CapacityFit fit = model.fit();
        if (fit == null) {
            return null;
        }
        List<String> assumptions = new ArrayList<>();
        ServerModel plant = plant(model, fit, question, assumptions);
        Double requested = question.rate();
        Double percent = question.growthPercent();
        double rate = (requested == null ? model.highest() : requested)
                * (1 + (percent == null ? 0 : percent) / 100);
        if (rate > model.ceiling() * plant.most()) {
            assumptions.add("beyond-the-loads-seen");
        }
        Knee knee = model.knee(plant);
        List<Use> uses = new ArrayList<>();
        for (Resource resource : Resource.values()) {
            ConfidenceInterval share = model.use(resource, plant, rate);
            if (!Double.isNaN(share.value())) {
                uses.add(new Use(resource, share));
            }
        }
        ResponseCurve curve = fit.curve();
        return new CapacityWhatIf(
                model.service(),
                rate,
                knee,
                knee == null || !(knee.rate() > 0) ? null : 1 - rate / knee.rate(),
                model.response(plant, rate),
                curve == null ? Double.NaN : plant.responseRatio() * curve.atRest(),
                List.copyOf(uses),
                UpgradeNeed.at(model, plant, rate),
                capacity.users(),
                reach(capacity.growth(), question, rate, knee),
                List.copyOf(assumptions));
    }

    private static ServerModel plant(
            CapacityModel model, CapacityFit fit, Question question, List<String> assumptions) {
        Map<Resource, Double> factors = new EnumMap<>(Resource.class);
        factors.putAll(question.factors());
        if (factors.containsKey(Resource.CPU) && !fit.lines().containsKey(Resource.CPU)) {
            assumptions.add("cpu-not-measured");
        }
        for (Resource resource : List.of(Resource.MEMORY, Resource.NETWORK, Resource.DISK)) {
            if (factors.containsKey(resource) && !model.bounding().contains(resource)) {
                assumptions.add(resource.text() + "-does-not-follow-the-load");
            }
        }
        amount(Resource.WORKERS, question.workers(), model.facts().workers(), factors, assumptions);
        amount(
                Resource.CONNECTIONS,
                question.connections(),
                model.facts().connections(),
                factors,
                assumptions);
        return new ServerModel(factors, question.responseRatio());
    }

    private static void amount(
            Resource resource,
            @Nullable Double requested,
            @Nullable Double present,
            Map<Resource, Double> factors,
            List<String> assumptions) {
        if (requested != null && present != null) {
            factors.put(resource, requested / present);
        } else if (requested != null) {
            assumptions.add(resource.text() + "-not-known");
        }
    }

    /** Returns the time to the knee from the level in the question, or from the present level. */
    private static @Nullable TimeToKnee reach(
            @Nullable PeakGrowth growth, Question question, double rate, @Nullable Knee knee) {
        Double perDay = question.growthPerDay();
        boolean hypothetical = question.rate() != null || question.growthPercent() != null;
        if (knee == null) {
            return null;
        }
        if (growth == null) {
            return perDay == null ? null : TimeToKnee.of(rate, perDay, perDay, perDay, knee);
        }
        double level = hypothetical ? rate : growth.level();
        return perDay == null
                ? TimeToKnee.of(level, growth.perDay(), growth.low(), growth.high(), knee)
                : TimeToKnee.of(level, perDay, perDay, perDay, knee);
    }
}
