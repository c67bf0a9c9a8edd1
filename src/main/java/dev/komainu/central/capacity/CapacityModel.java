package dev.komainu.central.capacity;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The capacity of one server, with the data from which it is inferred. Immutable.
 *
 * @param service its id
 * @param fromSecond start of the window looked at, seconds since the epoch
 * @param toSecond its end
 * @param points ten-second points with traffic
 * @param underLoss points left out because the monitor lost packets in them
 * @param steps points of about the same load together
 * @param facts what is known beside the load
 * @param bounding resources whose use grows with the load beyond doubt
 * @param fit of all points; absent where too much is missing
 * @param resampled fits of resampled points: what the intervals are made of
 * @param usl the Universal Scalability Law fitted to the same, also where another curve is used
 * @param residual of T_r's curve at the steps, root mean square of relative errors; {@code NaN}
 *     without a curve
 * @param little how the measurements agree with each other
 * @param ceiling no higher rate is inferred
 * @param missing what it lacks
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

    /** Heaviest load seen, requests a second; 0 without any. */
    public double highest() {
        return steps.isEmpty() ? 0 : steps.getLast().rate();
    }

    public double lowest() {
        return steps.isEmpty() ? 0 : steps.getFirst().rate();
    }

    /** The knee on a plant; absent where nothing can be said. */
    public @Nullable Knee knee(ServerModel plant) {
        if (fit == null) {
            return null;
        }
        double most = ceiling * plant.most();
        Knee.Single said = fit.knee(bounding, plant, facts, most);
        double[] rates = new double[resampled.size()];
        Map<String, Double> chances = new TreeMap<>();
        for (int i = 0; i < rates.length; i++) {
            Knee.Single other = resampled.get(i).knee(bounding, plant, facts, most);
            rates[i] = other.rate();
            chances.merge(other.by(), 1.0 / rates.length, Double::sum);
        }
        boolean beyond = said.by().equals(Knee.BEYOND);
        double low = rates.length == 0
                ? said.rate()
                : Math.min(said.rate(), LoadStep.quantile(rates, 0.025));
        double high = rates.length == 0
                ? said.rate()
                : Math.max(said.rate(), LoadStep.quantile(rates, 0.975));
        return new Knee(
                said.rate(), low, beyond || high >= most ? null : high, said.by(), beyond, chances);
    }

    /**
     * Mean T_r at a rate with its 95 % interval, seconds; {@code NaN} where unknown, infinite
     * behind the wall.
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

    /** Share of a resource in use at a rate with its interval. */
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
     * Rate at which a resource comes to its mark, as the server is; infinite where it never does.
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
     * CPU time of the server's own processes a request, seconds: service demand S of the
     * utilisation law.
     */
    public ConfidenceInterval cpuSeconds() {
        return fit == null
                ? ConfidenceInterval.UNKNOWN
                : ConfidenceInterval.of(fit.cpuSeconds(), resampled, CapacityFit::cpuSeconds);
    }
}
