package dev.komainu.proxy.peak;

/**
 * The measurements of one second.
 *
 * @param atMillis end of the second, since the epoch
 * @param arrivals requests a second
 * @param reads disk reads that ended
 * @param readP95Millis 95th percentile of these reads, queueing included; 0: none
 * @param queue reads waiting or in progress
 * @param diskBusy share of the disk threads' time that reads took, or at the peak would have taken
 * @param loopDelayMillis longest delay of a task on an event loop
 */
public record SecondReading(
        long atMillis,
        double arrivals,
        long reads,
        double readP95Millis,
        int queue,
        double diskBusy,
        double loopDelayMillis) {}
