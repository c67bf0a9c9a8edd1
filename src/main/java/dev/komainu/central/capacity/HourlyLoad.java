package dev.komainu.central.capacity;

/**
 * One hour of one service.
 *
 * @param epochHour hours since the epoch, UTC
 * @param mean requests a second over the minutes heard
 * @param peak the busiest minute's
 * @param minutes heard, 1 to 60
 */
public record HourlyLoad(long epochHour, double mean, double peak, int minutes) {

    static final int SECONDS = 3_600;

    long epochDay() {
        return Math.floorDiv(epochHour, 24L);
    }

    /** 0 is Monday, 00:00 UTC. */
    int ofWeek() {
        // The epoch was a Thursday.
        return (int) Math.floorMod(epochHour + 3 * 24, 168L);
    }
}
