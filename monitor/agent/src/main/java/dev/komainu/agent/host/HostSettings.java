package dev.komainu.agent.host;

import java.time.Duration;

/**
 * How often the host is looked at, and how we behave on it.
 *
 * @param interval between two samples, 1 s to 5 min, default 10 s
 * @param doubtInterval between two while a state is in doubt, 1 s to 1 min, default 1 s; never longer than {@code interval}
 * @param doubts whether the agent may look more often at all, default true
 * @param countsSystemCalls whether the host's system calls are counted where the kernel allows it, default true
 * @param yields whether the agent's threads let the watched server go first, default true
 */
public record HostSettings(
        Duration interval, Duration doubtInterval, boolean doubts, boolean countsSystemCalls, boolean yields) {

    public static final HostSettings DEFAULT =
            new HostSettings(Duration.ofSeconds(10), Duration.ofSeconds(1), true, true, true);

    public HostSettings {
        doubtInterval = doubtInterval.compareTo(interval) > 0 ? interval : doubtInterval;
    }
}
