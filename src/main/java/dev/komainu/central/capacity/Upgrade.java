package dev.komainu.central.capacity;

import java.math.BigDecimal;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A recorded change that a user marked as an upgrade.
 *
 * @param changeId the change
 * @param service its service
 * @param title its title
 * @param at when it was recorded
 * @param cost what it cost; absent where unknown
 * @param currency of the cost, as written
 * @param before the knee before it; absent where the loads before did not tell
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
     * @param after the knee since; absent where the loads since do not tell
     * @param gain requests a second more; absent while a side is unknown or only known as "at
     *     least"
     * @param ratio knee after over knee before
     * @param perCost gain for each unit of the cost
     * @param certain whether the intervals of both sides lie apart
     */
    public record Brought(
            Upgrade upgrade,
            @Nullable Side after,
            @Nullable Double gain,
            @Nullable Double ratio,
            @Nullable Double perCost,
            boolean certain) {}

    Brought brought(@Nullable Side after) {
        Side then = before;
        if (then == null || after == null || then.beyond() || after.beyond()) {
            return new Brought(this, after, null, null, null, false);
        }
        double gain = after.rate() - then.rate();
        Double ratio = then.rate() > 0 ? after.rate() / then.rate() : null;
        BigDecimal paid = cost;
        Double perCost = paid == null || paid.signum() <= 0 ? null : gain / paid.doubleValue();
        Double highThen = then.high();
        Double highNow = after.high();
        boolean apart = highThen != null && after.low() > highThen
                || highNow != null && highNow < then.low();
        return new Brought(this, after, gain, ratio, perCost, apart);
    }
}
