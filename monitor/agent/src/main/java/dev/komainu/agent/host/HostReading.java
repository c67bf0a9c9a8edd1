package dev.komainu.agent.host;

import dev.komainu.agent.host.linux.BusiestPrograms;
import dev.komainu.agent.host.linux.ControlGroupState;
import dev.komainu.agent.host.linux.ProcStat.CpuTicks;
import dev.komainu.agent.host.linux.ProcessTotals;
import dev.komainu.agent.host.linux.TrafficControl;
import dev.komainu.telemetry.record.HostSample;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One reading of this host: counters and sizes. Two readings make a
 * {@link dev.komainu.telemetry.record.HostSample}.
 *
 * @param atMicros time of the reading, in epoch microseconds
 * @param atNanos the same time on the monotonic clock, which is the base of rates
 * @param resources the resources of the host
 * @param kernel counters since boot
 * @param network the sockets of the host
 * @param pressure absent when the kernel does not support it
 * @param totals totals over the whole host
 * @param servers one entry per watched server that exists
 */
public record HostReading(
        long atMicros,
        long atNanos,
        Resources resources,
        KernelCounters kernel,
        Network network,
        HostSample.@Nullable Pressure pressure,
        Totals totals,
        List<Server> servers) {
    /**
     * The resources of the host.
     *
     * @param cpus time since boot of each online CPU
     * @param memory current sizes
     * @param interfaces traffic since each interface came up
     * @param disks requests and busy time since boot
     */
    public record Resources(
            List<CpuTicks> cpus,
            HostSample.Memory memory,
            List<Interface> interfaces,
            List<Disk> disks) {}

    /**
     * The sockets of the host.
     *
     * @param stack the protocol stack
     * @param listeners every listening TCP socket
     */
    public record Network(Stack stack, List<HostSample.Listener> listeners) {}

    /**
     * Totals over the whole host.
     *
     * @param processes number of processes
     * @param threads number of threads
     * @param load load averages
     * @param files descriptors of the whole host; absent when the kernel does not report them
     */
    public record Totals(
            int processes, int threads, Load load, HostSample.@Nullable FileHandles files) {}

    /** Mean number of running or waiting tasks over one, five and fifteen minutes. */
    public record Load(double one, double five, double fifteen) {}

    /**
     * Counters since boot.
     *
     * @param readWriteCalls of the watched servers' processes, since each was first read; absent
     *     when unknown
     */
    public record KernelCounters(
            long contextSwitches,
            long interrupts,
            long minorFaults,
            long majorFaults,
            @Nullable Long readWriteCalls,
            long swapInPages,
            long swapOutPages) {}

    /**
     * Sockets now, and counters since boot.
     *
     * @param events the events of the protocol stack since boot
     */
    public record Stack(
            long used,
            long tcpInUse,
            long tcpOrphan,
            long tcpTimeWait,
            long tcpMemoryBytes,
            @Nullable Long tcpMemoryLimitBytes,
            StackEvents events) {
        /** The events of the protocol stack since boot. */
        public record StackEvents(
                long passiveOpens,
                long listenOverflows,
                long listenDrops,
                long synCookies,
                long retransmitted,
                long sentSegments) {}
    }

    /**
     * A watched server now.
     *
     * @param processes absent without permission to read them
     * @param group the limits of its control group; absent without limits
     * @param ports the ephemeral ports of its connections; absent when it has no upstreams
     * @param listenDrops connections its listening sockets have dropped since they listen; absent
     *     when the kernel does not report them
     * @param details what tells causes apart
     */
    public record Server(
            String service,
            @Nullable Processes processes,
            @Nullable Long acceptQueue,
            @Nullable Long acceptQueueLimit,
            @Nullable ControlGroupState group,
            HostSample.@Nullable Ports ports,
            @Nullable Long listenDrops,
            Details details) {

        /** Creates a server without details. */
        public Server(
                String service,
                @Nullable Processes processes,
                @Nullable Long acceptQueue,
                @Nullable Long acceptQueueLimit,
                @Nullable ControlGroupState group,
                HostSample.@Nullable Ports ports,
                @Nullable Long listenDrops) {
            this(
                    service,
                    processes,
                    acceptQueue,
                    acceptQueueLimit,
                    group,
                    ports,
                    listenDrops,
                    Details.NONE);
        }
    }

    /**
     * What tells causes apart. Each is absent when it was not read.
     *
     * @param states the states of the server's threads
     * @param peaks the CPU times of its busiest parts
     * @param links its connections
     * @param busiestOther the busiest program besides it
     */
    public record Details(
            HostSample.@Nullable ThreadStates states,
            ProcessTotals.@Nullable Parts peaks,
            HostSample.@Nullable Links links,
            BusiestPrograms.@Nullable Program busiestOther) {

        /** Nothing was read. */
        public static final Details NONE = new Details(null, null, null, null);
    }

    /**
     * A watched server's processes now, and their counters since they started.
     *
     * @param openFiles the highest number in one process; absent without permission
     * @param openFilesLimit the limit of that process
     * @param work absent when unknown
     * @param waits absent when unknown
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
     * The waiting times and disk traffic of threads; a value is absent when the kernel does not
     * report it.
     *
     * @param waitedNanos time in which threads were ready and waited for a CPU
     * @param blocked threads in uninterruptible sleep now
     */
    public record WaitCounters(
            long kernelNanos,
            @Nullable Long waitedNanos,
            int blocked,
            @Nullable Long readBytes,
            @Nullable Long writtenBytes) {}

    /** Event counters; the counter of calls is absent without permission. */
    public record WorkCounters(
            long minorFaults,
            long majorFaults,
            long contextSwitches,
            @Nullable Long readWriteCalls) {}

    /**
     * An interface's counters.
     *
     * @param drops packets dropped in both directions
     * @param queue its outgoing queue; absent when unknown
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
     * A disk's counters.
     *
     * @param requestMillis time of all requests together, including waiting
     * @param queuedMillis time multiplied by the requests in progress
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
