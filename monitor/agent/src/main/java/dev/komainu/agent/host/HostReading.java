package dev.komainu.agent.host;

import dev.komainu.agent.host.linux.ControlGroupState;
import dev.komainu.agent.host.linux.ProcStat.CpuTicks;
import dev.komainu.agent.host.linux.TrafficControl;
import dev.komainu.telemetry.record.HostSample;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One look at this host: counters as they stand, sizes as they are. Two of them make a
 * {@link dev.komainu.telemetry.record.HostSample}.
 *
 * @param atMicros instant, since the epoch
 * @param atNanos the same moment on the monotonic clock, which rates are taken by
 * @param cpus time since boot, per CPU that is online
 * @param memory sizes now
 * @param kernel counters since boot
 * @param stack the protocol stack
 * @param pressure absent where the kernel keeps none
 * @param processes how many exist
 * @param threads how many exist
 * @param load load averages
 * @param files descriptors of the whole host; absent where the kernel does not tell
 * @param listeners every listening TCP socket
 * @param servers one per watched server that is there
 * @param interfaces what passed since each came up
 * @param disks requests and busy time since boot
 */
public record HostReading(
        long atMicros,
        long atNanos,
        List<CpuTicks> cpus,
        HostSample.Memory memory,
        KernelCounters kernel,
        Stack stack,
        HostSample.@Nullable Pressure pressure,
        int processes,
        int threads,
        Load load,
        HostSample.@Nullable FileHandles files,
        List<HostSample.Listener> listeners,
        List<Server> servers,
        List<Interface> interfaces,
        List<Disk> disks) {

    /** Mean number of tasks that ran or waited, over so many minutes. */
    public record Load(double one, double five, double fifteen) {}

    /**
     * Events since boot.
     *
     * @param readWriteCalls of the watched servers' processes, since each was first looked at;
     *     absent where not told
     */
    public record KernelCounters(
            long contextSwitches,
            long interrupts,
            long minorFaults,
            long majorFaults,
            @Nullable Long readWriteCalls,
            long swapInPages,
            long swapOutPages) {}

    /** Sockets now, events since boot. */
    public record Stack(
            long used,
            long tcpInUse,
            long tcpOrphan,
            long tcpTimeWait,
            long tcpMemoryBytes,
            @Nullable Long tcpMemoryLimitBytes,
            long passiveOpens,
            long listenOverflows,
            long listenDrops,
            long synCookies,
            long retransmitted,
            long sentSegments) {}

    /**
     * A watched server now.
     *
     * @param processes absent where nobody may look at them
     * @param group what binds its control group; absent where nothing does
     * @param ports those it connects from; absent where it fetches from nobody
     * @param listenDrops what its listening sockets dropped since they listen; absent where the
     *     kernel does not tell
     */
    public record Server(
            String service,
            @Nullable Processes processes,
            @Nullable Long acceptQueue,
            @Nullable Long acceptQueueLimit,
            @Nullable ControlGroupState group,
            HostSample.@Nullable Ports ports,
            @Nullable Long listenDrops) {}

    /**
     * A watched server's processes now, and what they did since they began.
     *
     * @param openFiles the highest in one process; absent without permission
     * @param openFilesLimit that process's
     * @param work absent where nothing is told
     * @param waits absent where nothing is told
     */
    public record Processes(
            int count,
            int threads,
            long residentBytes,
            long cpuNanos,
            @Nullable Long openFiles,
            @Nullable Long openFilesLimit,
            @Nullable WorkCounters work,
            @Nullable WaitCounters waits) {}

    /**
     * What threads waited for; absent is what the kernel does not tell.
     *
     * @param waitedNanos ready to run, for a CPU
     * @param blocked threads in uninterruptible sleep now
     */
    public record WaitCounters(
            long kernelNanos,
            @Nullable Long waitedNanos,
            int blocked,
            @Nullable Long readBytes,
            @Nullable Long writtenBytes) {}

    /** Events; the counter of calls is absent without permission. */
    public record WorkCounters(
            long minorFaults,
            long majorFaults,
            long contextSwitches,
            @Nullable Long readWriteCalls) {}

    /**
     * @param drops packets given up, both ways
     * @param queue what stands before it when packets leave; absent where that is not told
     */
    public record Interface(
            String name,
            long receivedBytes,
            long sentBytes,
            long receivedPackets,
            long sentPackets,
            long drops,
            long errors,
            @Nullable Long speedBitsPerSecond,
            TrafficControl.@Nullable Queue queue) {}

    /**
     * @param requestMillis time spent by all requests together, waiting included
     * @param queuedMillis time times requests under way
     */
    public record Disk(
            String name,
            long readBytes,
            long writtenBytes,
            long busyMillis,
            long reads,
            long writes,
            long requestMillis,
            long queuedMillis) {}
}
