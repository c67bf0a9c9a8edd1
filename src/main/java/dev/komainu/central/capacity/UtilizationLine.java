package dev.komainu.central.capacity;

import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The utilisation law, U = U_0 + S X: what a resource is used with the rate of requests.
 *
 * @param base share in use without any request: of others, or kept in advance; 0 or more
 * @param slope share one request a second more takes; 0 or more
 */
public record UtilizationLine(double base, double slope) {

    /** Fewer steps cannot tell a slope from chance. */
    static final int FEWEST_STEPS = 3;

    /** @return null where too few steps saw it */
    static @Nullable UtilizationLine through(
            List<LoadStep> steps, ToDoubleFunction<LoadStep> value, boolean throughOrigin) {
        List<LoadStep> seen = steps.stream()
                .filter(step -> Double.isFinite(value.applyAsDouble(step)))
                .toList();
        if (seen.size() < FEWEST_STEPS) {
            return null;
        }
        double[][] rows = new double[seen.size()][];
        double[] values = new double[seen.size()];
        double[] weights = new double[seen.size()];
        for (int i = 0; i < values.length; i++) {
            LoadStep step = seen.get(i);
            rows[i] = throughOrigin ? new double[] {step.rate()} : new double[] {1, step.rate()};
            values[i] = value.applyAsDouble(step);
            weights[i] = weight(step);
        }
        double[] found = RobustFit.fit(rows, values, weights);
        return throughOrigin
                ? new UtilizationLine(0, found[0])
                : new UtilizationLine(found[0], found[1]);
    }

    /** Beyond some points a step is known well enough; more of them must not drown the others. */
    static double weight(LoadStep step) {
        return Math.min(step.points(), 30);
    }

    double at(double rate) {
        return base + slope * rate;
    }

    /**
     * Rate at which it comes to a share; infinite when it never does, 0 when it is there without
     * any request.
     */
    double rateAt(double share) {
        return slope > 0
                ? Math.max(0, (share - base) / slope)
                : base >= share ? 0 : Double.POSITIVE_INFINITY;
    }

    /** The same work on {@code factor} times as much of the resource. */
    UtilizationLine on(double factor) {
        return new UtilizationLine(base / factor, slope / factor);
    }
}
