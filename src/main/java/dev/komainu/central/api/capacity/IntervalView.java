package dev.komainu.central.api.capacity;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.capacity.ConfidenceInterval;
import org.jspecify.annotations.Nullable;

/** {@code CapacityInterval} of the contract. */
@JsonInclude(JsonInclude.Include.ALWAYS)
record IntervalView(
        @Nullable Double value,
        @Nullable Double low,
        @Nullable Double high) {

    static IntervalView of(ConfidenceInterval interval, double factor) {
        return new IntervalView(
                finite(interval.value() * factor),
                finite(interval.low() * factor),
                finite(interval.high() * factor));
    }

    /**
     * Returns the value; {@code null} when it is not finite, since JSON has neither infinity nor
     * NaN.
     */
    static @Nullable Double finite(double value) {
        return Double.isFinite(value) ? value : null;
    }
}
