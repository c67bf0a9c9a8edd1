package dev.komainu.central.capacity;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rate at which the first resource is used up or T_r passes its limit.
 *
 * @param rate requests a second; where {@code beyond}, what it is at least
 * @param low lower end of the 95 % interval
 * @param high its upper end; absent where that lies beyond what may be told
 * @param by a resource's text, {@code response} for T_r, {@code contention} for the law's own
 *     summit
 * @param beyond it lies above every load that may be inferred from the loads seen
 * @param chances what came first in which share of the resampled fits
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

    /** The knee by one fit. */
    record Single(double rate, String by) {}
}
