package dev.komainu.telemetry.record;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the kernel said (rep2, thesis ch. 4), every ten seconds. Rates are means over
 * {@code intervalMicros}; absent values are those this kernel does not give.
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
 * @param load5 five-minute load average
 * @param load15 fifteen-minute load average
 * @param files descriptors of the whole host; absent where the kernel does not tell
 * @param listeners every listening TCP socket and how full its queue is
 * @param samplingMicros CPU time this sample took: what watching costs
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
        List<DiskRates> disks,
        double load5,
        double load15,
        @Nullable FileHandles files,
        List<Listener> listeners,
        long samplingMicros)
        implements TelemetryRecord {

    public HostSample {
        cpus = List.copyOf(cpus);
        servers = List.copyOf(servers);
        interfaces = List.copyOf(interfaces);
        disks = List.copyOf(disks);
        listeners = List.copyOf(listeners);
    }

    /** A sample of a kernel that tells no more than this. */
    public HostSample(
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
            List<DiskRates> disks) {
        this(
                node,
                atMicros,
                intervalMicros,
                cpus,
                memory,
                kernel,
                sockets,
                pressure,
                processes,
                threads,
                load1,
                servers,
                interfaces,
                disks,
                0,
                0,
                null,
                List.of(),
                0);
    }

    /** The same with other servers. */
    public HostSample withServers(List<ServerProcesses> others) {
        return new HostSample(
                node,
                atMicros,
                intervalMicros,
                cpus,
                memory,
                kernel,
                sockets,
                pressure,
                processes,
                threads,
                load1,
                others,
                interfaces,
                disks,
                load5,
                load15,
                files,
                listeners,
                samplingMicros);
    }

    /** Descriptors open on the whole host, and how many the kernel allows. */
    public record FileHandles(long open, long limit) {}

    /**
     * One listening TCP socket; several processes may share it.
     *
     * @param address where it listens
     * @param queue connections that wait to be accepted
     * @param limit how many may wait: the smaller of the server's backlog and net.core.somaxconn
     * @param service the watched service behind it; absent for others
     */
    public record Listener(
            Endpoint address,
            long queue,
            long limit,
            @Nullable String service) {}

    /**
     * Shares of one CPU's time, each 0 to 1, together about 1. {@code kernel} holds interrupts too.
     */
    public record CpuShare(double user, double kernel, double iowait, double steal, double idle) {}

    /**
     * Bytes. {@code available} is the kernel's estimate of what can be had without swapping.
     *
     * @param cached page cache and reclaimable slab
     */
    public record Memory(
            long total, long free, long available, long cached, long swapTotal, long swapFree) {}

    /**
     * Events per second over all CPUs.
     *
     * @param systemCalls all of them; absent where the kernel gives no such counter
     * @param readWriteCalls read and write calls of the watched servers' processes: what stands in
     *     where there is no count of all system calls
     */
    public record KernelRates(
            double contextSwitches,
            double interrupts,
            double minorFaults,
            double majorFaults,
            @Nullable Double systemCalls,
            double swapInPages,
            double swapOutPages,
            @Nullable Double readWriteCalls) {

        public KernelRates(
                double contextSwitches,
                double interrupts,
                double minorFaults,
                double majorFaults,
                @Nullable Double systemCalls,
                double swapInPages,
                double swapOutPages) {
            this(
                    contextSwitches,
                    interrupts,
                    minorFaults,
                    majorFaults,
                    systemCalls,
                    swapInPages,
                    swapOutPages,
                    null);
        }
    }

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
     * @param tcpMemoryLimitBytes where the kernel begins to refuse buffers (tcp_mem, highest);
     *     absent where not told
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
            double sentSegmentsPerSecond,
            @Nullable Long tcpMemoryLimitBytes) {

        public Sockets(
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
                double sentSegmentsPerSecond) {
            this(
                    used,
                    tcpInUse,
                    tcpOrphan,
                    tcpTimeWait,
                    tcpMemoryBytes,
                    passiveOpensPerSecond,
                    listenOverflowsPerSecond,
                    listenDropsPerSecond,
                    synCookiesPerSecond,
                    retransmittedPerSecond,
                    sentSegmentsPerSecond,
                    null);
        }
    }

    /**
     * Share of the last ten seconds in which some task waited, percent 0 to 100.
     *
     * @param memoryFull the same, in which every runnable task waited for memory; absent where not
     *     told
     * @param ioFull the same for input and output
     */
    public record Pressure(
            double cpu,
            double memory,
            double io,
            @Nullable Double memoryFull,
            @Nullable Double ioFull) {
        public Pressure(double cpu, double memory, double io) {
            this(cpu, memory, io, null, null);
        }
    }

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
     * @param work what its processes make the kernel do; absent without permission
     * @param waits what its threads wait for; absent from agents and systems that do not tell
     * @param group what its control group lets it have; absent where none binds it
     * @param ports the ports it can still connect from, of a server that fetches from others
     * @param listenDropsPerSecond SYNs and ends of handshakes its listening sockets dropped, above
     *     all because the queue was full; absent where the kernel does not tell them by socket
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
            @Nullable Long acceptQueueLimit,
            @Nullable Work work,
            @Nullable Waits waits,
            @Nullable ControlGroup group,
            @Nullable Ports ports,
            @Nullable Double listenDropsPerSecond) {

        public ServerProcesses {
            group = group == null || group.bindsNothing() ? null : group;
        }

        /** Of a system that tells no more than this. */
        public ServerProcesses(
                String service,
                int processes,
                int threads,
                long residentBytes,
                double cpuCores,
                @Nullable Long openFiles,
                @Nullable Long openFilesLimit,
                @Nullable Long acceptQueue,
                @Nullable Long acceptQueueLimit,
                @Nullable Work work) {
            this(
                    service,
                    processes,
                    threads,
                    residentBytes,
                    cpuCores,
                    openFiles,
                    openFilesLimit,
                    acceptQueue,
                    acceptQueueLimit,
                    work,
                    null,
                    null,
                    null,
                    null);
        }

        public ServerProcesses(
                String service,
                int processes,
                int threads,
                long residentBytes,
                double cpuCores,
                @Nullable Long openFiles,
                @Nullable Long openFilesLimit,
                @Nullable Long acceptQueue,
                @Nullable Long acceptQueueLimit) {
            this(
                    service,
                    processes,
                    threads,
                    residentBytes,
                    cpuCores,
                    openFiles,
                    openFilesLimit,
                    acceptQueue,
                    acceptQueueLimit,
                    null);
        }

        /** The same under another name. */
        public ServerProcesses named(String other) {
            return new ServerProcesses(
                    other,
                    processes,
                    threads,
                    residentBytes,
                    cpuCores,
                    openFiles,
                    openFilesLimit,
                    acceptQueue,
                    acceptQueueLimit,
                    work,
                    waits,
                    group,
                    ports,
                    listenDropsPerSecond);
        }
    }

    /**
     * What a server's threads wait for, and what they fetch from disks, all its processes together.
     *
     * @param kernelCores CPU time spent in the kernel per second of wall time; a part of
     *     {@code cpuCores}
     * @param waitingThreads mean number of threads that were ready to run and waited for a CPU (run
     *     delay per second); absent where the kernel does not count it
     * @param blockedThreads threads in uninterruptible sleep (state D: they wait for a disk) at the
     *     instant of sampling
     * @param readBytesPerSecond what was fetched from storage on their behalf, read ahead included;
     *     absent without permission
     * @param writtenBytesPerSecond what they caused to be written to storage; absent without
     *     permission
     */
    public record Waits(
            double kernelCores,
            @Nullable Double waitingThreads,
            int blockedThreads,
            @Nullable Double readBytesPerSecond,
            @Nullable Double writtenBytesPerSecond) {}

    /**
     * What a server's control group (cgroups(7), either version) lets it have, by the tightest
     * group on the way to the top, and how often it struck against that. Limits are absent where no
     * group sets one, and the rates that belong to them.
     *
     * @param cpuQuotaCores CPU time allowed per second of wall time
     * @param throttledShare share of the quota's periods in which the group was stopped, 0 to 1
     * @param throttledPerSecond time its threads were stopped per second, over all CPUs: may exceed
     *     1
     * @param memoryLimitBytes most memory allowed, page cache included
     * @param memoryUsedBytes memory in use, without file pages that were not used lately
     * @param memoryLimitHitsPerSecond how often the limit was met and pages had to be taken back
     * @param refaultsPerSecond file pages read again that had been given up shortly before
     * @param killsPerSecond processes killed for want of memory
     * @param readLimitBytesPerSecond most that may be read from the tightest limited disk
     * @param writeLimitBytesPerSecond most that may be written to it
     */
    public record ControlGroup(
            @Nullable Double cpuQuotaCores,
            @Nullable Double throttledShare,
            @Nullable Double throttledPerSecond,
            @Nullable Long memoryLimitBytes,
            @Nullable Long memoryUsedBytes,
            @Nullable Double memoryLimitHitsPerSecond,
            @Nullable Double refaultsPerSecond,
            @Nullable Double killsPerSecond,
            @Nullable Long readLimitBytesPerSecond,
            @Nullable Long writeLimitBytesPerSecond) {

        static final ControlGroup NONE =
                new ControlGroup(null, null, null, null, null, null, null, null, null, null);

        /** Whether no group says anything. */
        public boolean bindsNothing() {
            return equals(NONE);
        }
    }

    /**
     * Ephemeral ports of a server that connects to others. A port can be used again towards another
     * address, so what counts is the destination with the most sockets.
     *
     * @param used sockets towards it from one local address, those in TIME_WAIT too; where all TCP
     *     sockets of the host together are less than a tenth of the range, their number instead: an
     *     upper bound
     * @param range ports the kernel may choose from: ip_local_port_range without
     *     ip_local_reserved_ports
     * @param remote that destination; absent where {@code used} is the bound
     */
    public record Ports(long used, long range, @Nullable Endpoint remote) {}

    /**
     * Events per second, all processes of one server together; what ended within the interval is
     * not counted.
     *
     * @param contextSwitches voluntary and forced
     * @param readWriteCalls read and write calls; absent where the kernel does not count them
     */
    public record Work(
            double minorFaults,
            double majorFaults,
            double contextSwitches,
            @Nullable Double readWriteCalls) {}

    /**
     * @param speedBitsPerSecond absent where the driver names none (loopback, veth)
     * @param dropsPerSecond packets the interface gave up, both ways
     * @param errorsPerSecond damaged packets, both ways
     * @param shapedBitsPerSecond rate a token bucket (tc-tbf(8)) at its root lets out; absent
     *     without one
     * @param queueDropsPerSecond packets its queueing discipline dropped before sending
     * @param queuedBytes waiting in that queue at the instant of sampling
     */
    public record InterfaceRates(
            String name,
            double receivedBytesPerSecond,
            double sentBytesPerSecond,
            @Nullable Long speedBitsPerSecond,
            double receivedPacketsPerSecond,
            double sentPacketsPerSecond,
            double dropsPerSecond,
            double errorsPerSecond,
            @Nullable Long shapedBitsPerSecond,
            double queueDropsPerSecond,
            long queuedBytes) {

        /** One whose queue is not told. */
        public InterfaceRates(
                String name,
                double receivedBytesPerSecond,
                double sentBytesPerSecond,
                @Nullable Long speedBitsPerSecond,
                double receivedPacketsPerSecond,
                double sentPacketsPerSecond,
                double dropsPerSecond,
                double errorsPerSecond) {
            this(
                    name,
                    receivedBytesPerSecond,
                    sentBytesPerSecond,
                    speedBitsPerSecond,
                    receivedPacketsPerSecond,
                    sentPacketsPerSecond,
                    dropsPerSecond,
                    errorsPerSecond,
                    null,
                    0,
                    0);
        }

        public InterfaceRates(
                String name,
                double receivedBytesPerSecond,
                double sentBytesPerSecond,
                @Nullable Long speedBitsPerSecond) {
            this(name, receivedBytesPerSecond, sentBytesPerSecond, speedBitsPerSecond, 0, 0, 0, 0);
        }
    }

    /**
     * @param busyShare share of time with a request under way, 0 to 1
     * @param waitMillis mean time a request took, waiting included; 0 without requests
     * @param queueLength mean number of requests under way
     */
    public record DiskRates(
            String name,
            double readBytesPerSecond,
            double writtenBytesPerSecond,
            double busyShare,
            double readsPerSecond,
            double writesPerSecond,
            double waitMillis,
            double queueLength) {

        public DiskRates(
                String name,
                double readBytesPerSecond,
                double writtenBytesPerSecond,
                double busyShare) {
            this(name, readBytesPerSecond, writtenBytesPerSecond, busyShare, 0, 0, 0, 0);
        }
    }
}
