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
 * @param service its id
 * @param rate requests a second looked at
 * @param knee of the changed server
 * @param headroom 1 − rate ÷ knee; below 0 it is not carried
 * @param response mean T_r at the rate, seconds
 * @param limitSeconds what T_r may come to
 * @param uses of each resource seen
 * @param needs what an upgrade must bring besides
 * @param users how many people a rate is
 * @param reach when the daily peak reaches the knee
 * @param assumptions what was asked but could not be taken into account
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

    /** One resource at the rate. */
    public record Use(Resource resource, ConfidenceInterval share) {}

    /**
     * A hypothetical load and server; an absent value is as at present.
     *
     * @param rate requests a second; absent: the heaviest load seen
     * @param growthPercent added to it
     * @param growthPerDay of the daily peak, requests a second
     * @param factors how many times as much of a resource; of the CPU: as fast
     * @param workers requests worked on at once
     * @param connections held at once
     * @param responseRatio T_r's limit as a multiple of what it is at rest
     */
    public record Question(
            @Nullable Double rate,
            @Nullable Double growthPercent,
            @Nullable Double growthPerDay,
            Map<Resource, Double> factors,
            @Nullable Double workers,
            @Nullable Double connections,
            double responseRatio) {}

    /** @return null while there is no model */
    public static @Nullable CapacityWhatIf answer(ServiceCapacity capacity, Question question) {
        CapacityModel model = capacity.model();
        CapacityFit fit = model.fit();
        if (fit == null) {
            return null;
        }
        List<String> assumptions = new ArrayList<>();
        ServerModel plant = plant(model, fit, question, assumptions);
        Double given = question.rate();
        Double percent = question.growthPercent();
        double rate = (given == null ? model.highest() : given)
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
            @Nullable Double asked,
            @Nullable Double now,
            Map<Resource, Double> factors,
            List<String> assumptions) {
        if (asked != null && now != null) {
            factors.put(resource, asked / now);
        } else if (asked != null) {
            assumptions.add(resource.text() + "-not-known");
        }
    }

    /** From the level the question asks about, where it asks about one. */
    private static @Nullable TimeToKnee reach(
            @Nullable PeakGrowth growth, Question question, double rate, @Nullable Knee knee) {
        Double perDay = question.growthPerDay();
        boolean other = question.rate() != null || question.growthPercent() != null;
        if (knee == null) {
            return null;
        }
        if (growth == null) {
            return perDay == null ? null : TimeToKnee.of(rate, perDay, perDay, perDay, knee);
        }
        double level = other ? rate : growth.level();
        return perDay == null
                ? TimeToKnee.of(level, growth.perDay(), growth.low(), growth.high(), knee)
                : TimeToKnee.of(level, perDay, perDay, perDay, knee);
    }
}
