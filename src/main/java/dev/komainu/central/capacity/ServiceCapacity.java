package dev.komainu.central.capacity;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The capacity of one service at one instant, with its history. Immutable.
 *
 * @param at time of the computation
 * @param model model from the loads of the window
 * @param knee knee of the present server; absent when it cannot be inferred
 * @param rateNow requests a second over the last minute; absent without traffic
 * @param users users for a rate; absent when neither clients nor connections allow an estimate
 * @param rhythm usual busiest minute of each hour of the week, Monday 00:00 UTC first; {@code NaN}
 *     for hours without data
 * @param hours number of stored hours
 * @param growth growth of the daily peak; absent with too few days
 * @param days number of stored complete days
 * @param reach time until the daily peak reaches the knee; absent without knee or growth
 * @param upgrades effects of the upgrades, newest first
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
        List<Upgrade.Effect> upgrades) {

    public ServiceCapacity {
        rhythm = rhythm.clone();
        upgrades = List.copyOf(upgrades);
    }

    /** Returns a copy. */
    @Override
    public double[] rhythm() {
        return rhythm.clone();
    }

    /**
     * Returns the unused share of the knee; {@code null} without knee or traffic, 0 when nothing is
     * left.
     */
    public @Nullable Double headroom() {
        return knee == null || rateNow == null || !(knee.rate() > 0)
                ? null
                : Math.max(0, 1 - rateNow / knee.rate());
    }
}
