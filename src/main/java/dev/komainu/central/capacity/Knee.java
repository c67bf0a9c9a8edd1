package dev.komainu.central.capacity;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rate at which the first resource is exhausted or T_r exceeds its limit.
 *
 * @param rate requests a second; with {@code beyond} a lower bound
 * @param low lower end of the 95 % interval
 * @param high upper end of the interval; absent when it is above the highest inferred rate
 * @param by a resource's text, {@code response} for T_r, {@code contention} for the maximum of the
 *     Universal Scalability Law
 * @param beyond true when the knee is above the highest rate that can be inferred from the observed
 *     loads
 * @param chances share of the resampled fits in which each cause came first
 */
public record Knee(
        double rate,
        double low,
        @Nullable Double high,
        String by,
        boolean beyond,
        Map<String, Double> chances) {

    public static final String RESPONSE = "response";
    public static final String CONTENTION = "contention";
    public static final String BEYOND = "beyond";

    public Knee {
        chances = Map.copyOf(chances);
    }

    /** The knee of one fit. */
    record Single(double rate, String by) {}
}
