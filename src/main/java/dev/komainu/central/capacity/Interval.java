package dev.komainu.central.capacity;

import java.util.List;
import java.util.function.ToDoubleFunction;

/** A value and its 95 % interval; {@code NaN} where unknown. */
public record Interval(double value, double low, double high) {

    public static final Interval UNKNOWN = new Interval(Double.NaN, Double.NaN, Double.NaN);

    static Interval of(double value, List<CapacityFit> resampled, ToDoubleFunction<CapacityFit> of) {
        double[] others = resampled.stream()
                .mapToDouble(of)
                .filter(each -> !Double.isNaN(each))
                .toArray();
        if (others.length == 0 || Double.isNaN(value)) {
            return new Interval(value, value, value);
        }
        return new Interval(
                value,
                Math.min(value, LoadStep.quantile(others, 0.025)),
                Math.max(value, LoadStep.quantile(others, 0.975)));
    }
}
