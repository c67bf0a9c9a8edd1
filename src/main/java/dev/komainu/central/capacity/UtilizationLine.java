package dev.komainu.central.capacity;

import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The utilisation law, U = U_0 + S X: the use of a resource as a function of the request rate.
 *
 * @param base share in use without any request, by other programs or reserved; 0 or more
 * @param slope additional share for one more request a second; 0 or more
 */
public record UtilizationLine(double base, double slope) {

    /** Fewest steps; with fewer a slope cannot be distinguished from random variation. */
    static final int FEWEST_STEPS = 3;

    /** Returns the fitted line; {@code null} when too few steps have a value. */
    static @Nullable UtilizationLine through(
            List<LoadStep> steps, ToDoubleFunction<LoadStep> value, boolean throughOrigin) {
        List<LoadStep> measured = steps.stream()
                .filter(step -> Double.isFinite(value.applyAsDouble(step)))
                .toList();
        if (measured.size() < FEWEST_STEPS) {
            return null;
        }
        double[][] rows = new double[measured.size()][];
        double[] values = new double[measured.size()];
        double[] weights = new double[measured.size()];
        for (int i = 0; i < values.length; i++) {
            LoadStep step = measured.get(i);
            rows[i] = throughOrigin ? new double[] {step.rate()} : new double[] {1, step.rate()};
            values[i] = value.applyAsDouble(step);
            weights[i] = weight(step);
        }
        double[] coefficients = RobustFit.fit(rows, values, weights);
        return throughOrigin
                ? new UtilizationLine(0, coefficients[0])
                : new UtilizationLine(coefficients[0], coefficients[1]);
    }

    /**
     * Returns the weight of a step, limited so that steps with many points do not dominate the
     * others.
     */
    static double weight(LoadStep step) {
        return Math.min(step.points(), 30);
    }

    double at(double rate) {
        return base + slope * rate;
    }

    /**
     * Returns the rate at which the use reaches a share; infinite when it never does, 0 when it is
     * reached without any request.
     */
    double rateAt(double share) {
        return slope > 0
                ? Math.max(0, (share - base) / slope)
                : base >= share ? 0 : Double.POSITIVE_INFINITY;
    }

    /** Returns the line for the same work on {@code factor} times as much of the resource. */
    UtilizationLine on(double factor) {
        return new UtilizationLine(base / factor, slope / factor);
    }
}
