package dev.komainu.agent.host;

import dev.komainu.telemetry.record.HostSample;
import java.util.ArrayList;
import java.util.List;

/**
 * The limits set from outside that are nearly reached in a sample: control groups, ports, shapers.
 * Pure.
 */
final class NearLimits {

    private static final double THROTTLED = 0.25;
    private static final double FULL_MEMORY = 0.9;
    private static final double REFAULTS = 100;
    private static final double FULL_PORTS = 0.8;
    private static final double FULL_SHAPER = 0.8;

    private NearLimits() {}

    /** Returns a short name of each such limit, always the same for the same limit. */
    static List<String> of(HostSample sample) {
        List<String> near = new ArrayList<>();
        for (HostSample.ServerProcesses server : sample.servers()) {
            HostSample.ControlGroup group = server.group();
            if (group != null
                    && group.throttledShare() != null
                    && group.throttledShare() >= THROTTLED) {
                near.add("CPU quota of " + server.service());
            }
            if (group != null && isShortOfMemory(group)) {
                near.add("memory limit of " + server.service());
            }
            HostSample.Ports ports = server.ports();
            if (ports != null && ports.range() > 0 && ports.used() >= ports.range() * FULL_PORTS) {
                near.add("ports of " + server.service());
            }
        }
        for (HostSample.InterfaceRates row : sample.resources().interfaces()) {
            Long shaped = row.queue().shapedBitsPerSecond();
            if (shaped != null
                    && shaped > 0
                    && row.sentBytesPerSecond() * 8 >= shaped * FULL_SHAPER) {
                near.add("shaper of " + row.name());
            }
        }
        return near;
    }

    private static boolean isShortOfMemory(HostSample.ControlGroup group) {
        Long limit = group.memoryLimitBytes();
        Long used = group.memoryUsedBytes();
        Double refaults = group.refaultsPerSecond();
        Double kills = group.killsPerSecond();
        return (kills != null && kills > 0)
                || (limit != null
                        && used != null
                        && refaults != null
                        && used >= limit * FULL_MEMORY
                        && refaults >= REFAULTS);
    }
}
