package dev.komainu.proxy.peak;

import java.time.Duration;
import java.util.List;

/**
 * What tunes the decision between peak and off-peak.
 *
 * @param surge how many times the usual arrivals are a peak, 1.2 to 100 (2)
 * @param diskBusy share of the disk threads' time that is a peak, 0.1 to 1 (0.6)
 * @param readLatency 95th percentile of reads, queueing included, that is a peak, 1 ms to 10 s (50 ms)
 * @param loopDelay how late an event loop comes to a task, which is a peak, 1 ms to 10 s (20 ms)
 * @param enter how long one of these must be so before it is a peak, 1 s to 10 min (2 s)
 * @param leave how long all must be well below before it is over, 1 s to 1 h (30 s)
 * @param learn whether the rhythm of the days is learned and a usual peak switched ahead of
 * @param day length of a day, 10 s to 24 h (24 h): shorter ones are for experiments only
 */
public record PeakSettings(
        double surge,
        double diskBusy,
        Duration readLatency,
        Duration loopDelay,
        Duration enter,
        Duration leave,
        boolean learn,
        Duration day) {

    public static final PeakSettings DEFAULT = new PeakSettings(
            2,
            0.6,
            Duration.ofMillis(50),
            Duration.ofMillis(20),
            Duration.ofSeconds(2),
            Duration.ofSeconds(30),
            true,
            Duration.ofDays(1));

    /** Adds "name: value (expected …)" for each value out of range. */
    public void check(List<String> problems) {
        if (!(surge >= 1.2 && surge <= 100)) {
            problems.add("peak.surge: " + surge + " (expected: 1.2 to 100)");
        }
        if (!(diskBusy >= 0.1 && diskBusy <= 1)) {
            problems.add("peak.disk-busy: " + diskBusy + " (expected: 0.1 to 1)");
        }
        between("peak.read-latency", readLatency, 1, 10_000, problems);
        between("peak.loop-delay", loopDelay, 1, 10_000, problems);
        between("peak.enter", enter, 1_000, 600_000, problems);
        between("peak.leave", leave, 1_000, 3_600_000, problems);
        between("peak.day", day, 10_000, 86_400_000, problems);
    }

    private static void between(String name, Duration value, long least, long most, List<String> problems) {
        if (value.toMillis() < least || value.toMillis() > most) {
            problems.add(name + ": " + value.toMillis() + " ms (expected: " + least + " to " + most + ")");
        }
    }
}
