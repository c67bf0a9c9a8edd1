package dev.komainu.central.capacity;

import java.util.List;
import java.util.function.ToDoubleFunction;

/** A value and its 95 % interval; {@code NaN} where unknown. */
public record ConfidenceInterval(double value, double low, double high) {

    public static final ConfidenceInterval UNKNOWN =
            new ConfidenceInterval(Double.NaN, Double.NaN, Double.NaN);

    static ConfidenceInterval of(
            double value, List<CapacityFit> resampled, ToDoubleFunction<CapacityFit> of) {
        double[] others = resampled.stream()
                .mapToDouble(of)
                .filter(each -> !Double.isNaN(each))
                .toArray();
        if (others.length == 0 || Double.isNaN(value)) {
            return new ConfidenceInterval(value, value, value);
        }
        return new ConfidenceInterval(
                value,
                Math.min(value, LoadStep.quantile(others, 0.025)),
                Math.max(value, LoadStep.quantile(others, 0.975)));
    }
}
