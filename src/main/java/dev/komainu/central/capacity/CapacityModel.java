package dev.komainu.central.capacity;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The capacity of one server, with the data from which it is inferred. Immutable.
 *
 * @param service id of the service
 * @param fromSecond start of the evaluated window, seconds since the epoch
 * @param toSecond end of the window, seconds since the epoch
 * @param points number of ten-second points with traffic
 * @param underLoss number of points excluded because the monitor lost packets in them
 * @param steps groups of points of about the same load
 * @param facts facts about the server other than its load
 * @param bounding resources whose use grows significantly with the load
 * @param fit fit of all points; absent when too many inputs are missing
 * @param resampled fits of resampled points, from which the intervals are computed
 * @param usl the Universal Scalability Law fitted to the same points, also when another curve is
 *     used
 * @param residual of T_r's curve at the steps, root mean square of relative errors; {@code NaN}
 *     without a curve
 * @param little agreement of the measurements with Little's law
 * @param ceiling highest rate that is inferred
 * @param missing missing inputs
 */
public record CapacityModel(
        String service,
        long fromSecond,
        long toSecond,
        int points,
        int underLoss,
        List<LoadStep> steps,
        ServerFacts facts,
        Set<Resource> bounding,
        @Nullable CapacityFit fit,
        List<CapacityFit> resampled,
        @Nullable UslCurve usl,
        double residual,
        @Nullable LittlesLaw little,
        double ceiling,
        List<MissingInput> missing) {

    public CapacityModel {
        steps = List.copyOf(steps);
        bounding = Set.copyOf(bounding);
        resampled = List.copyOf(resampled);
        missing = List.copyOf(missing);
    }

    /** Returns the heaviest observed load, requests a second; 0 without any. */
    public double highest() {
        return steps.isEmpty() ? 0 : steps.getLast().rate();
    }

    /** Returns the lightest observed load, requests a second; 0 without any. */
    public double lowest() {
        return steps.isEmpty() ? 0 : steps.getFirst().rate();
    }

    /** Returns the knee on a server; {@code null} when it cannot be inferred. */
    public @Nullable Knee knee(ServerModel plant) {
        if (fit == null) {
            return null;
        }
        double most = ceiling * plant.most();
        Knee.Single estimate = fit.knee(bounding, plant, facts, most);
        double[] rates = new double[resampled.size()];
        Map<String, Double> chances = new TreeMap<>();
        for (int i = 0; i < rates.length; i++) {
            Knee.Single resample = resampled.get(i).knee(bounding, plant, facts, most);
            rates[i] = resample.rate();
            chances.merge(resample.by(), 1.0 / rates.length, Double::sum);
        }
        boolean beyond = estimate.by().equals(Knee.BEYOND);
        double low = rates.length == 0
                ? estimate.rate()
                : Math.min(estimate.rate(), LoadStep.quantile(rates, 0.025));
        double high = rates.length == 0
                ? estimate.rate()
                : Math.max(estimate.rate(), LoadStep.quantile(rates, 0.975));
        return new Knee(
                estimate.rate(),
                low,
                beyond || high >= most ? null : high,
                estimate.by(),
                beyond,
                chances);
    }

    /**
     * Returns mean T_r at a rate with its 95 % interval, in seconds; {@code NaN} when unknown,
     * infinite at and above the limiting rate.
     */
    public ConfidenceInterval response(ServerModel plant, double rate) {
        if (fit == null) {
            return ConfidenceInterval.UNKNOWN;
        }
        return ConfidenceInterval.of(
                seconds(fit, plant, rate), resampled, each -> seconds(each, plant, rate));
    }

    private static double seconds(CapacityFit fit, ServerModel plant, double rate) {
        ResponseCurve curve = fit.curve(plant);
        return curve == null ? Double.NaN : curve.seconds(rate);
    }

    /** Returns the share of a resource in use at a rate, with its interval. */
    public ConfidenceInterval use(Resource resource, ServerModel plant, double rate) {
        if (fit == null) {
            return ConfidenceInterval.UNKNOWN;
        }
        return ConfidenceInterval.of(
                fit.use(resource, plant, facts, rate),
                resampled,
                each -> each.use(resource, plant, facts, rate));
    }

    /**
     * Returns the rate at which a resource of the present server reaches its threshold; infinite
     * when it never does.
     */
    public ConfidenceInterval endsAt(Resource resource) {
        return fit == null
                ? ConfidenceInterval.UNKNOWN
                : ConfidenceInterval.of(
                        ends(fit, resource), resampled, each -> ends(each, resource));
    }

    private static double ends(CapacityFit fit, Resource resource) {
        UtilizationLine line = fit.lines().get(resource);
        return line == null ? Double.NaN : line.rateAt(resource.mark());
    }

    /**
     * Returns the CPU time of the server's own processes for a request, in seconds: service demand
     * S of the utilisation law.
     */
    public ConfidenceInterval cpuSeconds() {
        return fit == null
                ? ConfidenceInterval.UNKNOWN
                : ConfidenceInterval.of(fit.cpuSeconds(), resampled, CapacityFit::cpuSeconds);
    }
}
