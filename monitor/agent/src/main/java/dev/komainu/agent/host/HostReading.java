package dev.komainu.agent.host;

import dev.komainu.agent.host.linux.ProcStat.CpuTicks;
import dev.komainu.telemetry.record.HostSample;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One look at this host: counters as they stand, sizes as they are. Two of them make a
 * {@link dev.komainu.telemetry.record.HostSample}.
 *
 * @param atMicros instant, since the epoch
 * @param atNanos the same moment on the monotonic clock, which rates are taken by
 * @param cpus time since boot, per CPU
 * @param memory sizes now
 * @param kernel counters since boot
 * @param stack the protocol stack
 * @param pressure absent where the kernel keeps none
 * @param processes how many exist
 * @param threads how many exist
 * @param load1 one-minute load average
 * @param servers one per watched server that is there
 * @param interfaces bytes since each came up
 * @param disks bytes and busy time since boot
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
        double load1,
        List<Server> servers,
        List<Interface> interfaces,
        List<Disk> disks) {

    /** Events since boot; {@code systemCalls} is absent where the kernel does not count them. */
    public record KernelCounters(
            long contextSwitches,
            long interrupts,
            long minorFaults,
            long majorFaults,
            @Nullable Long systemCalls,
            long swapInPages,
            long swapOutPages) {}

    /** Sockets now, events since boot. */
    public record Stack(
            long used,
            long tcpInUse,
            long tcpOrphan,
            long tcpTimeWait,
            long tcpMemoryBytes,
            long passiveOpens,
            long listenOverflows,
            long listenDrops,
            long synCookies,
            long retransmitted,
            long sentSegments) {}

    /** A watched server's processes now, and the CPU time they used since they began. */
    public record Server(
            String service,
            int processes,
            int threads,
            long residentBytes,
            long cpuMillis,
            @Nullable Long openFiles,
            @Nullable Long openFilesLimit,
            @Nullable Long acceptQueue,
            @Nullable Long acceptQueueLimit) {}

    public record Interface(
            String name,
            long receivedBytes,
            long sentBytes,
            @Nullable Long speedBitsPerSecond) {}

    public record Disk(String name, long readBytes, long writtenBytes, long busyMillis) {}
}
