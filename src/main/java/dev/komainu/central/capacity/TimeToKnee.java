package dev.komainu.central.capacity;

import org.jspecify.annotations.Nullable;

/**
 * The time until the daily peak reaches the knee, in days from today; 0 is now. Absent: not reached
 * within {@value #HORIZON_DAYS} days.
 *
 * @param days days at the trend's slope
 * @param earliest days with the steepest slope and the lowest knee of the intervals
 * @param latest days with the flattest slope and the highest knee
 */
public record TimeToKnee(
        @Nullable Long days,
        @Nullable Long earliest,
        @Nullable Long latest) {

    /** Two years. A trend of some weeks does not predict later years. */
    public static final int HORIZON_DAYS = 730;

    static TimeToKnee of(PeakGrowth growth, Knee knee) {
        return of(growth.level(), growth.perDay(), growth.low(), growth.high(), knee);
    }

    /**
     * Returns the time to the knee.
     *
     * @param perDay increase each day, requests a second, with its interval
     */
    static TimeToKnee of(double level, double perDay, double low, double high, Knee knee) {
        // For a knee above the highest inferred rate only a lower bound is known, so that a latest
        // day cannot be given.
        Double highest = knee.high();
        return new TimeToKnee(
                knee.beyond() ? null : days(level, perDay, knee.rate()),
                days(level, high, knee.low()),
                highest == null ? null : days(level, low, highest));
    }

    private static @Nullable Long days(double level, double perDay, double rate) {
        if (level >= rate) {
            return 0L;
        }
        double days = (rate - level) / perDay;
        return perDay > 0 && days <= HORIZON_DAYS ? (long) Math.ceil(days) : null;
    }
}
