package dev.komainu.agent.host;

import dev.komainu.telemetry.record.HostSample;
import java.util.ArrayList;
import java.util.List;

/**
 * Which limits set from outside a sample shows to be near: control groups, ports, shapers. Pure.
 */
final class NearLimits {

    private static final double THROTTLED = 0.25;
    private static final double FULL_MEMORY = 0.9;
    private static final double REFAULTS = 100;
    private static final double FULL_PORTS = 0.8;
    private static final double FULL_SHAPER = 0.8;

    private NearLimits() {}

    /** A few words for each, always the same for the same limit. */
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
        for (HostSample.InterfaceRates nic : sample.interfaces()) {
            Long shaped = nic.shapedBitsPerSecond();
            if (shaped != null
                    && shaped > 0
                    && nic.sentBytesPerSecond() * 8 >= shaped * FULL_SHAPER) {
                near.add("shaper of " + nic.name());
            }
        }
        return near;
    }

    private static boolean isShortOfMemory(HostSample.ControlGroup group) {
        Long limit = group.memoryLimitBytes();
        Long used = group.memoryUsedBytes();
        Double refaults = group.refaultsPerSecond();
        Double kills = group.killsPerSecond();
        return kills != null && kills > 0
                || limit != null
                        && used != null
                        && refaults != null
                        && used >= limit * FULL_MEMORY
                        && refaults >= REFAULTS;
    }
}
