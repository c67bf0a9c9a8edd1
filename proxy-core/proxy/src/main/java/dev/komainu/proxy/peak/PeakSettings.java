package dev.komainu.proxy.peak;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.time.Duration;

/**
 * Settings of the decision between peak and off-peak.
 *
 * @param surge multiple of the usual arrivals that is a peak, 1.2 to 100 (2)
 * @param diskBusy busy share of the disk threads that is a peak, 0.1 to 1 (0.6)
 * @param readLatency 95th percentile of reads, queueing included, that is a peak, 1 ms to 10 s (50
 *     ms)
 * @param loopDelay delay of a task on an event loop that is a peak, 1 ms to 10 s (20 ms)
 * @param enter time for which one of these must hold before the peak starts, 1 s to 10 min (2 s)
 * @param leave time for which all must be well below before the peak ends, 1 s to 1 h (30 s)
 * @param learn whether the daily history is learned and usual peaks start in advance
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

    static final Setting<Double> SURGE = Setting.real("peak.surge", "1.2", "100")
            .byDefault("2")
            .effect("Multiple of the usual arrivals that is a peak; applies with a disk tier "
                    + "only");

    static final Setting<Double> DISK_BUSY = Setting.share("peak.disk-busy", "0.1", "1")
            .byDefault("0.6")
            .effect("Busy share of the disk threads that is a peak");

    static final Setting<Duration> READ_LATENCY = Setting.duration(
                    "peak.read-latency", "1ms", "10s")
            .byDefault("50ms")
            .effect("95th percentile of disk reads, queueing included, that is a peak");

    static final Setting<Duration> LOOP_DELAY = Setting.duration("peak.loop-delay", "1ms", "10s")
            .byDefault("20ms")
            .effect("Delay of a task on an event loop that is a peak");

    static final Setting<Duration> ENTER = Setting.duration("peak.enter", "1s", "10m")
            .byDefault("2s")
            .effect("Time for which one of these limits must be exceeded before the peak starts");

    static final Setting<Duration> LEAVE = Setting.duration("peak.leave", "1s", "1h")
            .byDefault("30s")
            .effect("Time for which all readings must be well below their limits before the "
                    + "peak ends")
            .detail("""
                    This is also the minimum duration of a peak.""");

    static final Setting<Boolean> LEARN = Setting.truth("peak.learn")
            .byDefault("true")
            .effect("Whether usual peaks are learned and started in advance");

    static final Setting<Duration> DAY = Setting.duration("peak.day", "10s", "24h")
            .byDefault("24h")
            .atStart("the learned history depends on it")
            .effect("For experiments only: length of a day; days of 24 h follow the host's "
                    + "time zone");

    public static final PeakSettings DEFAULT = read(SettingReader.ofDefaults());

    /** Reads these settings; errors are recorded in the reader. */
    public static PeakSettings read(SettingReader reader) {
        return new PeakSettings(
                reader.get(SURGE),
                reader.get(DISK_BUSY),
                reader.get(READ_LATENCY),
                reader.get(LOOP_DELAY),
                reader.get(ENTER),
                reader.get(LEAVE),
                reader.get(LEARN),
                reader.get(DAY));
    }
}
