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
 * @param orderedUntilMicros end of an administrator's order; absent without one
 * @param usualArrivals usual off-peak arrivals per second
 * @param next the next usual peak, or the one that is expected now; absent while none is known
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
     * The next usual peak.
     *
     * @param confidence 0 to 1
     * @param switchedAheadMicros instant of the switch ahead of it
     * @param givenUpMicros instant of the switch back if it does not come
     */
    public record Next(
            long atMicros,
            long spreadMicros,
            double confidence,
            long switchedAheadMicros,
            long givenUpMicros,
            long usualLengthMicros) {}

    /**
     * The readings of one second.
     *
     * @param diskReadP95Millis absent without reads
     */
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
