package dev.komainu.telemetry.wire;

import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.HostSample.ControlGroup;
import dev.komainu.telemetry.record.HostSample.Ports;
import dev.komainu.telemetry.record.HostSample.ServerProcesses;
import dev.komainu.telemetry.record.HostSample.Waits;
import org.jspecify.annotations.Nullable;

/**
 * JSON of a watched server's parts, flat among its other values; a value that an older record lacks
 * is absent.
 */
final class ServerPartJson {

    private ServerPartJson() {}

    static void write(ServerProcesses it, JsonObjectWriter out) {
        Waits waits = it.waits();
        if (waits != null) {
            out.number("kernelCores", waits.kernelCores());
            out.number("waitingThreads", waits.waitingThreads());
            out.int64("blockedThreads", waits.blockedThreads());
            out.number("readBytesPerSecond", waits.readBytesPerSecond());
            out.number("writtenBytesPerSecond", waits.writtenBytesPerSecond());
        }
        ControlGroup group = it.group();
        if (group != null) {
            out.number("cpuQuotaCores", group.cpuQuotaCores());
            out.number("throttledShare", group.throttledShare());
            out.number("throttledPerSecond", group.throttledPerSecond());
            out.int64OrAbsent("memoryLimitBytes", group.memoryLimitBytes());
            out.int64OrAbsent("memoryUsedBytes", group.memoryUsedBytes());
            out.number("memoryLimitHitsPerSecond", group.memoryLimitHitsPerSecond());
            out.number("refaultsPerSecond", group.refaultsPerSecond());
            out.number("killsPerSecond", group.killsPerSecond());
            out.int64OrAbsent("readLimitBytesPerSecond", group.readLimitBytesPerSecond());
            out.int64OrAbsent("writeLimitBytesPerSecond", group.writeLimitBytesPerSecond());
        }
        Ports ports = it.ports();
        if (ports != null) {
            out.int64("portsUsed", ports.used());
            out.int64("portsRange", ports.range());
            Endpoint remote = ports.remote();
            out.text("portsRemote", remote == null ? null : remote.toString());
        }
    }

    static @Nullable Waits readWaits(JsonObjectReader in) throws MalformedBatchException {
        return in.has("kernelCores")
                ? new Waits(
                        in.number("kernelCores"),
                        in.numberOrAbsent("waitingThreads"),
                        in.count32("blockedThreads"),
                        in.numberOrAbsent("readBytesPerSecond"),
                        in.numberOrAbsent("writtenBytesPerSecond"))
                : null;
    }

    /** Reads the control group; the record itself replaces an empty one by null. */
    static ControlGroup readGroup(JsonObjectReader in) throws MalformedBatchException {
        return new ControlGroup(
                in.numberOrAbsent("cpuQuotaCores"),
                in.numberOrAbsent("throttledShare"),
                in.numberOrAbsent("throttledPerSecond"),
                in.int64OrAbsent("memoryLimitBytes"),
                in.int64OrAbsent("memoryUsedBytes"),
                in.numberOrAbsent("memoryLimitHitsPerSecond"),
                in.numberOrAbsent("refaultsPerSecond"),
                in.numberOrAbsent("killsPerSecond"),
                in.int64OrAbsent("readLimitBytesPerSecond"),
                in.int64OrAbsent("writeLimitBytesPerSecond"));
    }

    static @Nullable Ports readPorts(JsonObjectReader in) throws MalformedBatchException {
        return in.has("portsRange")
                ? new Ports(
                        in.count("portsUsed"),
                        in.count("portsRange"),
                        in.has("portsRemote") ? in.endpoint("portsRemote") : null)
                : null;
    }
}
