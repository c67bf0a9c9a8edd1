package dev.komainu.agent.host;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.time.Duration;

/**
 * The intervals of host samples, and the agent's behaviour on the host.
 *
 * @param interval the time between two samples
 * @param doubtInterval the time between two samples while a state is in doubt; never longer than
 *     {@code interval}
 * @param doubts whether the interval is shorter while a state is in doubt
 * @param countsSystemCalls whether the host's system calls are counted if the kernel allows it
 * @param yields whether the agent's threads give way to the watched server
 * @param asksDisks whether smartctl is started for the disks' own verdict on their health
 */
public record HostSettings(
        Duration interval,
        Duration doubtInterval,
        boolean doubts,
        boolean countsSystemCalls,
        boolean yields,
        boolean asksDisks) {

    static final Setting<Duration> INTERVAL = Setting.duration("host.interval", "1s", "5m")
            .byDefault("10s")
            .effect("Time between two host samples");

    static final Setting<Duration> DOUBT_INTERVAL = Setting.duration(
                    "host.doubt-interval", "1s", "1m")
            .byDefault("1s")
            .effect("Time between two host samples while a state is in doubt; never longer "
                    + "than `host.interval`");

    static final Setting<Boolean> DOUBT = Setting.truth("host.doubt", "auto", "never")
            .byDefault("auto")
            .effect("Whether the shorter interval is used while a state is in doubt");

    static final Setting<Boolean> SYSTEM_CALLS = Setting.truth("host.system-calls", "auto", "never")
            .byDefault("auto")
            .effect("Whether the host's system calls are counted, if the kernel allows it");

    static final Setting<Boolean> YIELD = Setting.truth("host.yield", "auto", "never")
            .byDefault("auto")
            .effect("Whether the agent's threads give way to the monitored server (Linux); no "
                    + "effect with `--capture-only`");

    static final Setting<Boolean> SMART = Setting.truth("host.smart", "auto", "never")
            .byDefault("never")
            .effect("Whether smartctl, where it is installed, is started every six hours to ask "
                    + "each disk for its health (Linux)");

    public HostSettings {
        doubtInterval = doubtInterval.compareTo(interval) > 0 ? interval : doubtInterval;
    }

    public static HostSettings read(SettingReader reader) {
        return new HostSettings(
                reader.get(INTERVAL),
                reader.get(DOUBT_INTERVAL),
                reader.get(DOUBT),
                reader.get(SYSTEM_CALLS),
                reader.get(YIELD),
                reader.get(SMART));
    }
}
