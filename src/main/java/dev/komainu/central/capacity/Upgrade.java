package dev.komainu.central.capacity;

import java.math.BigDecimal;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A recorded change that a user marked as an upgrade.
 *
 * @param changeId id of the change
 * @param service service of the change
 * @param title title of the change
 * @param at time of the record
 * @param cost cost of the upgrade; absent when unknown
 * @param currency currency of the cost, as entered
 * @param before knee before the upgrade; absent when it could not be inferred
 */
public record Upgrade(
        long changeId,
        String service,
        String title,
        Instant at,
        @Nullable BigDecimal cost,
        @Nullable String currency,
        @Nullable Side before) {

    /** A knee as it was inferred on one side of the change, requests a second. */
    public record Side(double rate, double low, @Nullable Double high, String by, boolean beyond) {
        static @Nullable Side of(@Nullable Knee knee) {
            return knee == null
                    ? null
                    : new Side(knee.rate(), knee.low(), knee.high(), knee.by(), knee.beyond());
        }
    }

    /**
     * The effect of an upgrade.
     *
     * @param after knee since the upgrade; absent when it cannot be inferred
     * @param gain increase, requests a second; absent while a side is unknown or only a lower bound
     * @param ratio knee after over knee before
     * @param perCost gain for each unit of the cost
     * @param certain whether the intervals of both sides do not overlap
     */
    public record Effect(
            Upgrade upgrade,
            @Nullable Side after,
            @Nullable Double gain,
            @Nullable Double ratio,
            @Nullable Double perCost,
            boolean certain) {}

    Effect effect(@Nullable Side after) {
        Side earlier = before;
        if (earlier == null || after == null || earlier.beyond() || after.beyond()) {
            return new Effect(this, after, null, null, null, false);
        }
        double gain = after.rate() - earlier.rate();
        Double ratio = earlier.rate() > 0 ? after.rate() / earlier.rate() : null;
        BigDecimal paid = cost;
        Double perCost = paid == null || paid.signum() <= 0 ? null : gain / paid.doubleValue();
        Double highBefore = earlier.high();
        Double highAfter = after.high();
        boolean apart = (highBefore != null && after.low() > highBefore)
                || (highAfter != null && highAfter < earlier.low());
        return new Effect(this, after, gain, ratio, perCost, apart);
    }
}
