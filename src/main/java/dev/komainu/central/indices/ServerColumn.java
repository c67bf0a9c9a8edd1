package dev.komainu.central.indices;

import dev.komainu.telemetry.record.HostSample.ControlGroup;
import dev.komainu.telemetry.record.HostSample.Ports;
import dev.komainu.telemetry.record.HostSample.ServerProcesses;
import dev.komainu.telemetry.record.HostSample.Waits;
import dev.komainu.telemetry.record.HostSample.Work;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The columns of one watched server's processes. */
enum ServerColumn {
    /**
     * Processes of the server. A listed server without processes is one whose processes the agent
     * cannot read: not observable, not zero.
     */
    PROCESSES(s -> s.use().processes() > 0 ? s.use().processes() : null),
    THREADS(s -> s.use().threads() > 0 ? s.use().threads() : null),
    RESIDENT(s -> s.use().residentBytes()),
    CPU_CORES(s -> s.use().cpuCores()),
    OPEN_FILES(s -> s.files().openFiles()),
    OPEN_FILES_LIMIT(s -> s.files().openFilesLimit()),
    ACCEPT_QUEUE(s -> s.queue().acceptQueue()),
    ACCEPT_QUEUE_LIMIT(s -> s.queue().acceptQueueLimit()),
    OWN_LISTEN_DROPS(s -> s.queue().listenDropsPerSecond()),
    WORK_MINOR_FAULTS(s -> work(s, Work::minorFaults)),
    WORK_MAJOR_FAULTS(s -> work(s, Work::majorFaults)),
    WORK_CONTEXT_SWITCHES(s -> work(s, Work::contextSwitches)),
    WORK_READ_WRITE_CALLS(s -> work(s, Work::readWriteCalls)),
    KERNEL_CORES(s -> waits(s, Waits::kernelCores)),
    WAITING_THREADS(s -> waits(s, Waits::waitingThreads)),
    BLOCKED_THREADS(s -> waits(s, Waits::blockedThreads)),
    READ_BYTES(s -> waits(s, Waits::readBytesPerSecond)),
    WRITTEN_BYTES(s -> waits(s, Waits::writtenBytesPerSecond)),
    CPU_QUOTA(s -> group(s, ControlGroup::cpuQuotaCores)),
    THROTTLED_SHARE(s -> group(s, ControlGroup::throttledShare)),
    MEMORY_LIMIT(s -> group(s, ControlGroup::memoryLimitBytes)),
    MEMORY_USED(s -> group(s, ControlGroup::memoryUsedBytes)),
    MEMORY_LIMIT_HITS(s -> group(s, ControlGroup::memoryLimitHitsPerSecond)),
    REFAULTS(s -> group(s, ControlGroup::refaultsPerSecond)),
    KILLS(s -> group(s, ControlGroup::killsPerSecond)),
    READ_LIMIT(s -> group(s, ControlGroup::readLimitBytesPerSecond)),
    WRITE_LIMIT(s -> group(s, ControlGroup::writeLimitBytesPerSecond)),
    PORTS_USED(s -> ports(s, Ports::used)),
    PORTS_RANGE(s -> ports(s, Ports::range));

    private final Function<ServerProcesses, @Nullable Number> value;

    ServerColumn(Function<ServerProcesses, @Nullable Number> value) {
        this.value = value;
    }

    private static @Nullable Number work(
            ServerProcesses server, Function<Work, @Nullable Number> which) {
        Work work = server.work();
        return work == null ? null : which.apply(work);
    }

    private static @Nullable Number waits(
            ServerProcesses server, Function<Waits, @Nullable Number> which) {
        Waits waits = server.waits();
        return waits == null ? null : which.apply(waits);
    }

    private static @Nullable Number group(
            ServerProcesses server, Function<ControlGroup, @Nullable Number> which) {
        ControlGroup group = server.group();
        return group == null ? null : which.apply(group);
    }

    private static @Nullable Number ports(
            ServerProcesses server, Function<Ports, @Nullable Number> which) {
        Ports ports = server.ports();
        return ports == null ? null : which.apply(ports);
    }

    double of(ServerProcesses server) {
        Number measured = value.apply(server);
        return measured == null ? Double.NaN : measured.doubleValue();
    }
}
