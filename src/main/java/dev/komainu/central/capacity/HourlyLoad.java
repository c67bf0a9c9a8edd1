package dev.komainu.central.capacity;

/**
 * The load of one service in one hour.
 *
 * @param epochHour hours since the epoch, UTC
 * @param mean mean requests a second over the minutes with data
 * @param peak requests a second in the busiest minute
 * @param minutes minutes with data, 1 to 60
 */
public record HourlyLoad(long epochHour, double mean, double peak, int minutes) {

    static final int SECONDS = 3_600;

    long epochDay() {
        return Math.floorDiv(epochHour, 24L);
    }

    /** Returns the hour of the week; 0 is Monday, 00:00 UTC. */
    int ofWeek() {
        // The epoch was a Thursday.
        return (int) Math.floorMod(epochHour + 3 * 24, 168L);
    }
}
