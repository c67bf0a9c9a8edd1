package dev.komainu.central.api.capacity;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.capacity.CapacityFit;
import dev.komainu.central.capacity.CapacityModel;
import dev.komainu.central.capacity.ConfidenceInterval;
import dev.komainu.central.capacity.Knee;
import dev.komainu.central.capacity.LittlesLaw;
import dev.komainu.central.capacity.LoadStep;
import dev.komainu.central.capacity.PeakGrowth;
import dev.komainu.central.capacity.QueueCurve;
import dev.komainu.central.capacity.Resource;
import dev.komainu.central.capacity.ResponseCurve;
import dev.komainu.central.capacity.ServerModel;
import dev.komainu.central.capacity.ServiceCapacity;
import dev.komainu.central.capacity.UslCurve;
import dev.komainu.central.capacity.UtilizationLine;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** {@code Capacity} of the contract. */
@JsonInclude(JsonInclude.Include.ALWAYS)
record CapacityView(
        CapacitySummaryView summary,
        Instant from,
        Instant to,
        int points,
        int underLoss,
        @Nullable Double lowest,
        @Nullable Double ceiling,
        double responseRatio,
        @Nullable Curve curve,
        @Nullable Law law,
        @Nullable LittlesLaw little,
        IntervalView cpuMillis,
        List<Bound> resources,
        List<Step> steps,
        List<Drawn> drawn,
        @Nullable UsersView users,
        List<@Nullable Double> rhythm,
        int hours,
        int days,
        @Nullable Trend growth,
        List<UpgradeView> upgrades) {

    private static final int DRAWN = 40;

    /** The description of T_r's curve. */
    record Curve(
            String kind,
            @Nullable String resource,
            @Nullable Double servers,
            double restMillis,
            double limitMillis,
            @Nullable Double waitMillis,
            @Nullable Double residual,
            @Nullable Double wall) {}

    /** The Universal Scalability Law's coefficients. */
    record Law(double lambda, double sigma, double kappa) {}

    /** The limit of one resource. */
    record Bound(
            String resource,
            @Nullable Double capacity,
            double mark,
            double base,
            double perRequest,
            boolean bounding,
            IntervalView endsAt,
            IntervalView useAtHighest) {}

    /** A group of points of about the same load. */
    record Step(
            double rate,
            @Nullable Double processing,
            @Nullable Double concurrent,
            @Nullable Double responseMillis,
            int points,
            Map<String, Double> use) {}

    /** One point of the curve. */
    record Drawn(
            double rate,
            double processing,
            double responseMillis,
            double low,
            @Nullable Double high) {}

    /** The growth of the daily peak. */
    record Trend(double perDay, double low, double high, double level) {
        static @Nullable Trend of(@Nullable PeakGrowth growth) {
            return growth == null
                    ? null
                    : new Trend(growth.perDay(), growth.low(), growth.high(), growth.level());
        }
    }

    static CapacityView of(
            CapacitySummaryView summary, ServiceCapacity capacity, double responseRatio) {
        CapacityModel model = capacity.model();
        ServerModel now = ServerModel.now(responseRatio);
        boolean any = !model.steps().isEmpty();
        UslCurve usl = model.usl();
        return new CapacityView(
                summary,
                Instant.ofEpochSecond(model.fromSecond()),
                Instant.ofEpochSecond(model.toSecond()),
                model.points(),
                model.underLoss(),
                any ? model.lowest() : null,
                any ? model.ceiling() : null,
                responseRatio,
                curve(model, responseRatio),
                usl == null ? null : new Law(usl.lambda(), usl.sigma(), usl.kappa()),
                model.little(),
                IntervalView.of(model.cpuSeconds(), 1_000),
                bounds(model, now),
                model.steps().stream().map(CapacityView::step).toList(),
                drawn(model, now, capacity.knee()),
                UsersView.of(capacity.users(), capacity.knee()),
                Arrays.stream(capacity.rhythm()).mapToObj(IntervalView::finite).toList(),
                capacity.hours(),
                capacity.days(),
                Trend.of(capacity.growth()),
                capacity.upgrades().stream().map(UpgradeView::of).toList());
    }

    private static @Nullable Curve curve(CapacityModel model, double responseRatio) {
        CapacityFit fit = model.fit();
        ResponseCurve curve = fit == null ? null : fit.curve();
        if (curve == null) {
            return null;
        }
        double rest = curve.atRest() * 1_000;
        Double residual = IntervalView.finite(model.residual());
        Double wall = IntervalView.finite(curve.limitingRate());
        return curve instanceof QueueCurve queue
                ? new Curve(
                        "queue",
                        queue.resource().text(),
                        queue.servers(),
                        rest,
                        rest * responseRatio,
                        queue.waitSeconds() * 1_000,
                        residual,
                        wall)
                : new Curve("law", null, null, rest, rest * responseRatio, null, residual, wall);
    }

    private static List<Bound> bounds(CapacityModel model, ServerModel now) {
        List<Bound> bounds = new ArrayList<>();
        CapacityFit fit = model.fit();
        for (Resource resource : Resource.values()) {
            UtilizationLine line = fit == null ? null : fit.lines().get(resource);
            if (line != null) {
                boolean bounding = model.bounding().contains(resource);
                bounds.add(new Bound(
                        resource.text(),
                        model.facts().amount(resource),
                        resource.mark(),
                        line.base(),
                        line.slope(),
                        bounding,
                        IntervalView.of(
                                bounding ? model.endsAt(resource) : ConfidenceInterval.UNKNOWN, 1),
                        IntervalView.of(model.use(resource, now, model.highest()), 1)));
            }
        }
        return bounds;
    }

    private static Step step(LoadStep step) {
        Map<String, Double> use = new TreeMap<>();
        step.use().forEach((resource, share) -> use.put(resource.text(), share));
        return new Step(
                step.rate(),
                IntervalView.finite(step.processing()),
                IntervalView.finite(step.concurrent()),
                IntervalView.finite(step.responseSeconds() * 1_000),
                step.points(),
                use);
    }

    /**
     * Returns the points of the curve, up to the highest inferred rate and slightly above the knee
     * at most.
     */
    private static List<Drawn> drawn(CapacityModel model, ServerModel now, @Nullable Knee knee) {
        List<Drawn> drawn = new ArrayList<>();
        double most =
                knee == null ? model.highest() : Math.min(model.ceiling(), knee.rate() * 1.15);
        for (int i = 1; i <= DRAWN; i++) {
            double rate = most * i / DRAWN;
            ConfidenceInterval seconds = model.response(now, rate);
            if (!Double.isFinite(seconds.value())) {
                break;
            }
            Double high = IntervalView.finite(seconds.high());
            drawn.add(new Drawn(
                    rate,
                    rate * seconds.value(),
                    seconds.value() * 1_000,
                    seconds.low() * 1_000,
                    high == null ? null : high * 1_000));
        }
        return drawn;
    }
}
