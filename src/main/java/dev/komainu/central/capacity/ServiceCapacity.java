package dev.komainu.central.capacity;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything this room knows of one service at one instant. Immutable.
 *
 * @param at when it was computed
 * @param model from the loads of the window
 * @param knee as the server is; absent where the model cannot tell
 * @param rateNow requests a second over the last minute; absent without traffic
 * @param users how many people a rate is; absent where neither clients nor connections tell
 * @param rhythm usual busiest minute of each hour of the week, Monday 00:00 UTC first; {@code NaN}
 *     for hours never heard
 * @param hours hours kept
 * @param growth of the daily peak; absent with too few days
 * @param days whole days kept
 * @param reach when the daily peak reaches the knee; absent without knee or growth
 * @param upgrades what the upgrades brought, newest first
 */
public record ServiceCapacity(
        Instant at,
        CapacityModel model,
        @Nullable Knee knee,
        @Nullable Double rateNow,
        @Nullable UserEstimate users,
        double[] rhythm,
        int hours,
        @Nullable PeakGrowth growth,
        int days,
        @Nullable TimeToKnee reach,
        List<Upgrade.Brought> upgrades) {

    public ServiceCapacity {
        rhythm = rhythm.clone();
        upgrades = List.copyOf(upgrades);
    }

    /** A copy. */
    @Override
    public double[] rhythm() {
        return rhythm.clone();
    }

    /** Share of the knee that is left; absent without knee or traffic, 0 when nothing is left. */
    public @Nullable Double headroom() {
        return knee == null || rateNow == null || !(knee.rate() > 0)
                ? null
                : Math.max(0, 1 - rateNow / knee.rate());
    }
}
