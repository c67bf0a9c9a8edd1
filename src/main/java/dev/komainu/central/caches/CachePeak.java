package dev.komainu.central.caches;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The peak decision of a proxy with a disk tier, with its reason: at a peak the proxy works from
 * memory only (its control endpoint, Peak; spec section 1). Instants are microseconds since the
 * epoch.
 *
 * @param ground ordered, pressed, expected or quiet
 * @param reason in the proxy's words
 * @param orderedUntilMicros until an administrator's order ends; absent without one
 * @param usualArrivals a second, as they have been off-peak
 * @param next the usual peak that comes next, or is waited for; absent while none is known
 * @param readings of the last second; absent in the first
 * @param history the last switches, the latest first
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record CachePeak(
        boolean peak,
        String ground,
        String reason,
        long sinceMicros,
        @Nullable Long orderedUntilMicros,
        long switches,
        double usualArrivals,
        @Nullable Next next,
        @Nullable Readings readings,
        List<Switch> history) {

    /**
     * @param confidence 0 to 1
     * @param switchedAheadMicros when it is switched for its sake
     * @param givenUpMicros when it is switched back if it does not come
     */
    public record Next(
            long atMicros,
            long spreadMicros,
            double confidence,
            long switchedAheadMicros,
            long givenUpMicros,
            long usualLengthMicros) {}

    /** @param diskReadP95Millis absent without reads */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    public record Readings(
            double arrivals,
            long diskReads,
            @Nullable Double diskReadP95Millis,
            long diskQueue,
            double diskBusy,
            double loopDelayMillis) {}

    public record Switch(boolean peak, String ground, String reason, long sinceMicros) {}
}
