package dev.komainu.central.indices;

import dev.komainu.telemetry.record.HostSample.ControlGroup;
import dev.komainu.telemetry.record.HostSample.Links;
import dev.komainu.telemetry.record.HostSample.LoggedResponses;
import dev.komainu.telemetry.record.HostSample.OtherUse;
import dev.komainu.telemetry.record.HostSample.PeakUse;
import dev.komainu.telemetry.record.HostSample.Ports;
import dev.komainu.telemetry.record.HostSample.ServerProcesses;
import dev.komainu.telemetry.record.HostSample.ThreadStates;
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
    PORTS_RANGE(s -> ports(s, Ports::range)),
    STOPPED_SHARE(s -> of(s.details().states(), ThreadStates::stoppedShare)),
    SAMPLED_THREADS(s -> of(s.details().states(), ThreadStates::sampledThreads)),
    CLIENT_WRITE_SHARE(s -> of(s.details().states(), ThreadStates::clientWriteShare)),
    CLIENT_READ_SHARE(s -> of(s.details().states(), ThreadStates::clientReadShare)),
    BACKEND_WAIT_SHARE(s -> of(s.details().states(), ThreadStates::backendWaitShare)),
    LOCK_WAIT_SHARE(s -> of(s.details().states(), ThreadStates::lockWaitShare)),
    SLEEP_SHARE(s -> of(s.details().states(), ThreadStates::sleepShare)),
    BUSIEST_PROCESS_CORES(s -> of(s.details().peaks(), PeakUse::busiestProcessCores)),
    BUSIEST_THREAD_CORES(s -> of(s.details().peaks(), PeakUse::busiestThreadCores)),
    RUNTIME_CORES(s -> of(s.details().peaks(), PeakUse::runtimeCores)),
    GC_SHARE(s -> of(s.details().peaks(), PeakUse::gcShare)),
    CLIENT_LINKS(s -> of(s.details().links(), Links::clients)),
    CLIENT_LINKS_BLOCKED(s -> of(s.details().links(), Links::clientsBlocked)),
    BACKEND_LINKS(s -> of(s.details().links(), Links::backends)),
    BACKEND_LINKS_CONNECTING(s -> of(s.details().links(), Links::backendsConnecting)),
    BACKEND_LINKS_UNACKED(s -> of(s.details().links(), Links::backendsUnacked)),
    LOGGED_RESPONSES(s -> of(s.details().logged(), LoggedResponses::perSecond)),
    LOGGED_ERRORS(s -> of(s.details().logged(), LoggedResponses::errorsPerSecond)),
    LOGGED_UNAVAILABLE(s -> of(s.details().logged(), LoggedResponses::unavailablePerSecond)),
    LOGGED_LOST_PAGES(s -> of(s.details().logged(), LoggedResponses::lostPagesPerSecond)),
    OTHER_CORES(s -> of(s.details().others(), OtherUse::cores)),
    /** Of a server that no longer listens; see {@link HostRing}. */
    SUCCESSORS(s -> null),
    /** Of a server that no longer listens; see {@link HostRing}. */
    SUPERVISED(s -> null);

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

    private static <T> @Nullable Number of(@Nullable T part, Function<T, @Nullable Number> which) {
        return part == null ? null : which.apply(part);
    }

    double of(ServerProcesses server) {
        Number measured = value.apply(server);
        return measured == null ? Double.NaN : measured.doubleValue();
    }
}
