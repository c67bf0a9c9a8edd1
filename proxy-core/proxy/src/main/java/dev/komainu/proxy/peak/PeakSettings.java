package dev.komainu.proxy.peak;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.time.Duration;

/**
 * What tunes the decision between peak and off-peak.
 *
 * @param surge how many times the usual arrivals are a peak, 1.2 to 100 (2)
 * @param diskBusy share of the disk threads' time that is a peak, 0.1 to 1 (0.6)
 * @param readLatency 95th percentile of reads, queueing included, that is a peak, 1 ms to 10 s (50
 *     ms)
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

    static final Setting<Double> SURGE = Setting.real("peak.surge", "1.2", "100")
            .byDefault("2")
            .effect("with a disk: how many times the usual arrivals are a peak");

    static final Setting<Double> DISK_BUSY = Setting.share("peak.disk-busy", "0.1", "1")
            .byDefault("0.6")
            .effect("share of the disk threads' time that is a peak");

    static final Setting<Duration> READ_LATENCY = Setting.duration(
                    "peak.read-latency", "1ms", "10s")
            .byDefault("50ms")
            .effect("95th percentile of disk reads, queueing included, that is a peak");

    static final Setting<Duration> LOOP_DELAY = Setting.duration("peak.loop-delay", "1ms", "10s")
            .byDefault("20ms")
            .effect("how late an event loop comes to a task, which is a peak");

    static final Setting<Duration> ENTER = Setting.duration("peak.enter", "1s", "10m")
            .byDefault("2s")
            .effect("how long one of these must be so");

    static final Setting<Duration> LEAVE = Setting.duration("peak.leave", "1s", "1h")
            .byDefault("30s")
            .effect(
                    "how long all must be well below before it is over; also the least time a peak lasts");

    static final Setting<Boolean> LEARN = Setting.truth("peak.learn")
            .byDefault("true")
            .effect("whether usual peaks are learned and switched ahead of");

    static final Setting<Duration> DAY = Setting.duration("peak.day", "10s", "24h")
            .byDefault("24h")
            .atStart("what was learned lies in its hours")
            .effect(
                    "**for experiments only**: length of a day. Days of 24 h follow the host's time zone");

    public static final PeakSettings DEFAULT = read(SettingReader.ofDefaults());

    /** Reads these settings; mistakes are noted in the reader. */
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
