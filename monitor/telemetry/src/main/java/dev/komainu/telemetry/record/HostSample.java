package dev.komainu.telemetry.record;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the kernel said (rep2, thesis ch. 4), every ten seconds. Rates are means over {@code intervalMicros}; absent
 * values are those this kernel does not give.
 *
 * @param node the host's name
 * @param atMicros instant of sampling
 * @param intervalMicros time since the sample before; rates refer to it
 * @param cpus one share each, in the kernel's order
 * @param memory sizes now
 * @param kernel rates of the kernel's work
 * @param sockets the protocol stack
 * @param pressure PSI "some" averages over 10 s, percent; absent without CONFIG_PSI
 * @param processes how many processes exist
 * @param threads how many threads exist
 * @param load1 one-minute load average
 * @param servers one entry per watched server on this host
 * @param interfaces network interfaces
 * @param disks block devices
 */
public record HostSample(
        String node,
        long atMicros,
        long intervalMicros,
        List<CpuShare> cpus,
        Memory memory,
        KernelRates kernel,
        Sockets sockets,
        @Nullable Pressure pressure,
        int processes,
        int threads,
        double load1,
        List<ServerProcesses> servers,
        List<InterfaceRates> interfaces,
        List<DiskRates> disks)
        implements TelemetryRecord {

    public HostSample {
        cpus = List.copyOf(cpus);
        servers = List.copyOf(servers);
        interfaces = List.copyOf(interfaces);
        disks = List.copyOf(disks);
    }

    /** Shares of one CPU's time, each 0 to 1, together about 1. {@code kernel} holds interrupts too. */
    public record CpuShare(double user, double kernel, double iowait, double steal, double idle) {}

    /**
     * Bytes. {@code available} is the kernel's estimate of what can be had without swapping.
     *
     * @param cached page cache and reclaimable slab
     */
    public record Memory(long total, long free, long available, long cached, long swapTotal, long swapFree) {}

    /**
     * Events per second over all CPUs.
     *
     * @param systemCalls absent where the kernel keeps no such counter (Linux /proc does not)
     */
    public record KernelRates(
            double contextSwitches,
            double interrupts,
            double minorFaults,
            double majorFaults,
            @Nullable Double systemCalls,
            double swapInPages,
            double swapOutPages) {}

    /**
     * @param used sockets of all kinds
     * @param tcpInUse TCP sockets, TIME_WAIT not among them
     * @param tcpOrphan sockets no process holds
     * @param tcpTimeWait sockets waiting out 2 MSL
     * @param tcpMemoryBytes kernel memory of TCP buffers
     * @param passiveOpensPerSecond connections accepted by the stack
     * @param listenOverflowsPerSecond accept queues found full
     * @param listenDropsPerSecond SYNs or last ACKs dropped at a listener
     * @param synCookiesPerSecond SYN cookies sent
     * @param retransmittedPerSecond segments sent again
     * @param sentSegmentsPerSecond segments sent in all
     */
    public record Sockets(
            long used,
            long tcpInUse,
            long tcpOrphan,
            long tcpTimeWait,
            long tcpMemoryBytes,
            double passiveOpensPerSecond,
            double listenOverflowsPerSecond,
            double listenDropsPerSecond,
            double synCookiesPerSecond,
            double retransmittedPerSecond,
            double sentSegmentsPerSecond) {}

    /** Share of the last ten seconds in which some task waited, percent 0 to 100. */
    public record Pressure(double cpu, double memory, double io) {}

    /**
     * One watched server's processes.
     *
     * @param service the service's id
     * @param processes how many
     * @param threads of all of them
     * @param residentBytes RSS summed; shared pages count more than once
     * @param cpuCores CPU time used per second of wall time
     * @param openFiles highest number of descriptors open in one process; absent without permission
     * @param openFilesLimit that process's soft limit
     * @param acceptQueue connections waiting in the listen queue now
     * @param acceptQueueLimit its length
     */
    public record ServerProcesses(
            String service,
            int processes,
            int threads,
            long residentBytes,
            double cpuCores,
            @Nullable Long openFiles,
            @Nullable Long openFilesLimit,
            @Nullable Long acceptQueue,
            @Nullable Long acceptQueueLimit) {}

    /** @param speedBitsPerSecond absent where the driver names none (loopback, veth) */
    public record InterfaceRates(
            String name,
            double receivedBytesPerSecond,
            double sentBytesPerSecond,
            @Nullable Long speedBitsPerSecond) {}

    /** @param busyShare share of time with a request under way, 0 to 1 */
    public record DiskRates(String name, double readBytesPerSecond, double writtenBytesPerSecond, double busyShare) {}
}
