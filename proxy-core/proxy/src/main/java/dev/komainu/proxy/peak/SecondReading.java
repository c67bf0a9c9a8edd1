package dev.komainu.proxy.peak;

/**
 * What was read of one second.
 *
 * @param atMillis its end, since the epoch
 * @param arrivals requests a second
 * @param reads of the disk that ended
 * @param readP95Millis of these, queueing included; 0: none
 * @param queue reads that wait or are under way
 * @param diskBusy share of the disk threads' time that reads took, or at the peak would have taken
 * @param loopDelayMillis how late the latest event loop came to a task
 */
public record SecondReading(
        long atMillis,
        double arrivals,
        long reads,
        double readP95Millis,
        int queue,
        double diskBusy,
        double loopDelayMillis) {}
