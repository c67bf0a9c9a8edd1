package dev.komainu.telemetry.record;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A sample of the kernel's counters (rep2, thesis ch. 4), every ten seconds. Rates are means over
 * {@code intervalMicros}; a value is absent when this kernel does not report it.
 *
 * @param node the host's name
 * @param atMicros time of the sample
 * @param intervalMicros time since the last sample, to which rates refer
 * @param resources the resources of the host
 * @param kernel rates of kernel events
 * @param network the sockets of the host
 * @param pressure PSI "some" averages over 10 s, percent; absent without CONFIG_PSI
 * @param totals totals over the whole host
 * @param servers one entry per watched server on this host
 * @param samplingMicros CPU time used for this sample
 * @param departures watched servers that no longer listen; absent when the source does not look for
 *     them
 * @param parts hardware, file systems and clock; absent when the source does not look at them
 */
public record HostSample(
        String node,
        long atMicros,
        long intervalMicros,
        Resources resources,
        KernelRates kernel,
        Network network,
        @Nullable Pressure pressure,
        Totals totals,
        List<ServerProcesses> servers,
        long samplingMicros,
        @Nullable Departures departures,
        @Nullable HostParts parts)
        implements TelemetryRecord {

    /** Creates the sample of a source that does not look for servers that stopped. */
    public HostSample(
            String node,
            long atMicros,
            long intervalMicros,
            Resources resources,
            KernelRates kernel,
            Network network,
            @Nullable Pressure pressure,
            Totals totals,
            List<ServerProcesses> servers,
            long samplingMicros) {
        this(
                node,
                atMicros,
                intervalMicros,
                resources,
                kernel,
                network,
                pressure,
                totals,
                servers,
                samplingMicros,
                null,
                null);
    }

    /**
     * The resources of the host.
     *
     * @param cpus the shares of each CPU, in the kernel's order
     * @param memory current sizes
     * @param interfaces network interfaces
     * @param disks block devices
     */
    @FieldGroup
    public record Resources(
            List<CpuShare> cpus,
            Memory memory,
            List<InterfaceRates> interfaces,
            List<DiskRates> disks) {

        public Resources {
            cpus = List.copyOf(cpus);
            interfaces = List.copyOf(interfaces);
            disks = List.copyOf(disks);
        }
    }

    /**
     * The sockets of the host.
     *
     * @param sockets the protocol stack
     * @param listeners every listening TCP socket with its queue
     */
    @FieldGroup
    public record Network(Sockets sockets, List<Listener> listeners) {

        public Network {
            listeners = List.copyOf(listeners);
        }
    }

    /**
     * Totals over the whole host.
     *
     * @param processes number of processes
     * @param threads number of threads
     * @param load1 one-minute load average
     * @param load5 five-minute load average
     * @param load15 fifteen-minute load average
     * @param files descriptors of the whole host; absent when the kernel does not report them
     */
    @FieldGroup
    public record Totals(
            int processes,
            int threads,
            double load1,
            double load5,
            double load15,
            @Nullable FileHandles files) {}

    public HostSample {
        servers = List.copyOf(servers);
    }

    /** Returns a copy with other servers. */
    public HostSample withServers(List<ServerProcesses> others) {
        return new HostSample(
                node,
                atMicros,
                intervalMicros,
                resources,
                kernel,
                network,
                pressure,
                totals,
                others,
                samplingMicros,
                departures,
                parts);
    }

    /** Returns a copy with other servers that stopped. */
    public HostSample withDepartures(@Nullable Departures others) {
        return new HostSample(
                node,
                atMicros,
                intervalMicros,
                resources,
                kernel,
                network,
                pressure,
                totals,
                servers,
                samplingMicros,
                others,
                parts);
    }

    /** Returns a copy with other parts. */
    public HostSample withParts(@Nullable HostParts others) {
        return new HostSample(
                node,
                atMicros,
                intervalMicros,
                resources,
                kernel,
                network,
                pressure,
                totals,
                servers,
                samplingMicros,
                departures,
                others);
    }

    /** Watched servers that listened before and listen no longer. */
    public record Departures(List<DepartedServer> servers) {

        public Departures {
            servers = List.copyOf(servers);
        }
    }

    /**
     * A watched server that no longer listens.
     *
     * @param successorProcesses processes with its executable and arguments: a new start under way,
     *     or processes that no longer listen
     * @param supervised 1 when a supervisor that restarts it is alive, 0 when none is; absent when
     *     unknown
     * @param unit its unit and the unit's state, as far as they can be read; absent without a unit
     */
    public record DepartedServer(
            String service,
            int successorProcesses,
            @Nullable Integer supervised,
            @Nullable String unit) {

        /** Returns a copy with another id. */
        public DepartedServer named(String other) {
            return new DepartedServer(other, successorProcesses, supervised, unit);
        }
    }

    /** Descriptors open on the whole host, and the kernel's limit. */
    public record FileHandles(long open, long limit) {}

    /**
     * One listening TCP socket; several processes may share it.
     *
     * @param address its local address
     * @param queue connections waiting to be accepted
     * @param limit maximum of waiting connections: the smaller of the server's backlog and
     *     net.core.somaxconn
     * @param service the watched service of this socket; absent for others
     */
    public record Listener(
            Endpoint address,
            long queue,
            long limit,
            @Nullable String service) {}

    /**
     * Shares of one CPU's time, each 0 to 1, together about 1. {@code kernel} includes interrupts.
     *
     * @param softirq share of soft interrupts, a part of {@code kernel}; absent when the source
     *     does not tell
     */
    public record CpuShare(
            double user,
            double kernel,
            double iowait,
            double steal,
            double idle,
            @Nullable Double softirq) {

        public CpuShare(double user, double kernel, double iowait, double steal, double idle) {
            this(user, kernel, iowait, steal, idle, null);
        }
    }

    /**
     * Memory sizes in bytes. {@code available} is the kernel's estimate of the memory available
     * without swapping.
     *
     * @param cached page cache and reclaimable slab
     */
    public record Memory(
            long total, long free, long available, long cached, long swapTotal, long swapFree) {}

    /**
     * Events per second over all CPUs.
     *
     * @param systemCalls all system calls; absent when the kernel has no such counter
     * @param readWriteCalls read and write calls of the watched servers' processes, a substitute
     *     for the count of all system calls
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
     * The protocol stack.
     *
     * @param used sockets of all kinds
     * @param tcpInUse TCP sockets without TIME_WAIT
     * @param tcpOrphan sockets that belong to no process
     * @param tcpTimeWait sockets in TIME_WAIT (2 MSL)
     * @param tcpMemoryBytes kernel memory of TCP buffers
     * @param rates the events of the protocol stack per second
     * @param tcpMemoryLimitBytes limit above which the kernel refuses buffers (tcp_mem, highest);
     *     absent when unknown
     */
    public record Sockets(
            long used,
            long tcpInUse,
            long tcpOrphan,
            long tcpTimeWait,
            long tcpMemoryBytes,
            Rates rates,
            @Nullable Long tcpMemoryLimitBytes) {
        /**
         * The events of the protocol stack per second.
         *
         * @param passiveOpensPerSecond connections accepted by the stack
         * @param listenOverflowsPerSecond accept queue overflows
         * @param listenDropsPerSecond SYNs or last ACKs dropped at a listener
         * @param synCookiesPerSecond SYN cookies sent
         * @param retransmittedPerSecond segments retransmitted
         * @param sentSegmentsPerSecond all segments sent
         */
        @FieldGroup
        public record Rates(
                double passiveOpensPerSecond,
                double listenOverflowsPerSecond,
                double listenDropsPerSecond,
                double synCookiesPerSecond,
                double retransmittedPerSecond,
                double sentSegmentsPerSecond) {}
    }

    /**
     * Share of the last ten seconds in which some task waited, percent 0 to 100.
     *
     * @param memoryFull share in which all non-idle tasks waited for memory; absent when unknown
     * @param ioFull share in which all non-idle tasks waited for input and output; absent when
     *     unknown
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
     * @param use the size of the server and its use of memory and CPU
     * @param files the descriptors of the process with the most open ones
     * @param queue the listen queue of the server
     * @param work kernel events caused by its processes; absent without permission
     * @param waits waiting times of its threads; absent from agents and systems that do not report
     *     them
     * @param group its control group's limits; absent without limits
     * @param ports the ephemeral ports of a server that connects to others
     * @param details what tells causes apart
     */
    public record ServerProcesses(
            String service,
            Use use,
            OpenFiles files,
            AcceptQueue queue,
            @Nullable Work work,
            @Nullable Waits waits,
            @Nullable ControlGroup group,
            @Nullable Ports ports,
            Details details) {

        /** Creates a server without details. */
        public ServerProcesses(
                String service,
                Use use,
                OpenFiles files,
                AcceptQueue queue,
                @Nullable Work work,
                @Nullable Waits waits,
                @Nullable ControlGroup group,
                @Nullable Ports ports) {
            this(service, use, files, queue, work, waits, group, ports, Details.NONE);
        }

        /**
         * The details that tell causes apart. Each is absent when the source does not read it.
         *
         * @param states the states of its threads, and what they wait for
         * @param peaks the busiest parts of it
         * @param links its connections by the kernel's sockets
         * @param others the other programs' use of the CPUs
         * @param logged the responses in its access log
         */
        @FieldGroup
        public record Details(
                @Nullable ThreadStates states,
                @Nullable PeakUse peaks,
                @Nullable Links links,
                @Nullable OtherUse others,
                @Nullable LoggedResponses logged) {

            /** Nothing is known. */
            public static final Details NONE = new Details(null, null, null, null, null);

            /** Returns a copy with the responses of the access log. */
            public Details withLogged(@Nullable LoggedResponses responses) {
                return new Details(states, peaks, links, others, responses);
            }
        }

        /**
         * The size of the server and its use of memory and CPU.
         *
         * @param processes number of processes
         * @param threads number of threads of all processes
         * @param residentBytes sum of RSS; shared pages count more than once
         * @param cpuCores CPU time used per second of wall time
         */
        @FieldGroup
        public record Use(int processes, int threads, long residentBytes, double cpuCores) {}

        /**
         * The descriptors of the process with the most open ones.
         *
         * @param openFiles highest number of descriptors open in one process; absent without
         *     permission
         * @param openFilesLimit soft limit of that process
         */
        @FieldGroup
        public record OpenFiles(
                @Nullable Long openFiles, @Nullable Long openFilesLimit) {}

        /**
         * The listen queue of the server.
         *
         * @param acceptQueue connections waiting in the listen queue now
         * @param acceptQueueLimit maximum length of that queue
         * @param listenDropsPerSecond SYNs and final ACKs of handshakes dropped by its listening
         *     sockets, mainly because the queue was full; absent when the kernel does not report
         *     them by socket
         */
        @FieldGroup
        public record AcceptQueue(
                @Nullable Long acceptQueue,
                @Nullable Long acceptQueueLimit,
                @Nullable Double listenDropsPerSecond) {}

        public ServerProcesses {
            group = group == null || group.bindsNothing() ? null : group;
        }

        /** Returns a copy with other details. */
        public ServerProcesses withDetails(Details other) {
            return new ServerProcesses(
                    service, use, files, queue, work, waits, group, ports, other);
        }

        /** Returns a copy with another id. */
        public ServerProcesses named(String other) {
            return new ServerProcesses(
                    other, use, files, queue, work, waits, group, ports, details);
        }
    }

    /**
     * The states of a server's threads at the time of the sample. What they wait for is read only
     * while the service is in doubt, of at most some hundred threads spread over all of them. The
     * shares of waits are parts of the sampled threads that neither wait for new work (accept,
     * epoll_wait, an idle connection of an event loop) nor for each other's queue.
     *
     * @param stoppedShare threads that are stopped (state T or t) or frozen by a control group, as
     *     a share of all, 0 to 1
     * @param sampledThreads threads whose waits were read and that had work; absent when waits were
     *     not read
     * @param clientWriteShare blocked in a write to a client's connection
     * @param clientReadShare blocked in a read from a client's connection
     * @param backendWaitShare blocked in connect, read, write or poll on a connection to a backend
     * @param lockWaitShare blocked in a lock of memory or of a file
     * @param sleepShare asleep for a time that the program chose
     */
    public record ThreadStates(
            double stoppedShare,
            @Nullable Integer sampledThreads,
            @Nullable Double clientWriteShare,
            @Nullable Double clientReadShare,
            @Nullable Double backendWaitShare,
            @Nullable Double lockWaitShare,
            @Nullable Double sleepShare) {}

    /**
     * The CPU time of a server's busiest parts per second of wall time.
     *
     * @param busiestProcessCores of the process that used most
     * @param busiestThreadCores of the thread that used most; absent when threads were not read
     * @param runtimeCores of the threads of its runtime that serve no requests (JVM: garbage
     *     collector and compiler); absent without such a runtime
     * @param gcShare share of wall time in collections that stop all threads; absent when the
     *     runtime does not publish it
     */
    public record PeakUse(
            double busiestProcessCores,
            @Nullable Double busiestThreadCores,
            @Nullable Double runtimeCores,
            @Nullable Double gcShare) {}

    /**
     * The connections of a server by the kernel's sockets at the time of the sample.
     *
     * @param clients established connections to its listening port
     * @param clientsBlocked of them, those whose send queue held data that the client had not
     *     acknowledged and that could not be sent
     * @param backends established connections that it opened to others
     * @param backendsConnecting connections that it opens and that have no answer yet (SYN_SENT)
     * @param backendsUnacked connections that it opened, with data that was sent again because no
     *     acknowledgement came
     */
    public record Links(
            long clients,
            long clientsBlocked,
            @Nullable Long backends,
            @Nullable Long backendsConnecting,
            @Nullable Long backendsUnacked) {}

    /**
     * The CPU time of all programs other than a server.
     *
     * @param cores per second of wall time
     * @param name the busiest of them, by the kernel's name; absent when they were not read
     * @param processId its busiest process
     * @param controlGroup the control group of that process
     * @param nameCores CPU time of all processes with that name
     */
    public record OtherUse(
            double cores,
            @Nullable String name,
            @Nullable Long processId,
            @Nullable String controlGroup,
            @Nullable Double nameCores) {}

    /**
     * The responses in a server's access log since the last sample. Behind TLS, only the log tells
     * which of them failed. A server may write its log some seconds late.
     *
     * @param perSecond all responses
     * @param errorsPerSecond responses with status 500 to 599 without 503
     * @param unavailablePerSecond responses with status 503: a log does not tell whether that is
     *     meant, as by maintenance or a limit
     * @param lostPagesPerSecond responses with status 403, 404 or 410 to a request that got a good
     *     response within the last hour
     */
    public record LoggedResponses(
            double perSecond,
            double errorsPerSecond,
            double unavailablePerSecond,
            double lostPagesPerSecond) {}

    /**
     * The waiting times and disk traffic of a server's threads, over all its processes.
     *
     * @param kernelCores CPU time spent in the kernel per second of wall time; a part of
     *     {@code cpuCores}
     * @param waitingThreads mean number of threads that were ready and waited for a CPU (run delay
     *     per second); absent when the kernel does not count it
     * @param blockedThreads threads in uninterruptible sleep (state D: they wait for a disk) at the
     *     time of the sample
     * @param readBytesPerSecond bytes read from storage for them, including read-ahead; absent
     *     without permission
     * @param writtenBytesPerSecond bytes written to storage for them; absent without permission
     */
    public record Waits(
            double kernelCores,
            @Nullable Double waitingThreads,
            int blockedThreads,
            @Nullable Double readBytesPerSecond,
            @Nullable Double writtenBytesPerSecond) {}

    /**
     * The limits of a server's control group (cgroups(7), either version), by the tightest group on
     * the path to the root, and the events at these limits. A limit and its rates are absent when
     * no group sets it.
     *
     * @param cpuQuotaCores CPU time allowed per second of wall time
     * @param throttledShare share of the quota's periods in which the group was stopped, 0 to 1
     * @param throttledPerSecond time its threads were stopped per second, over all CPUs: may exceed
     *     1
     * @param memoryLimitBytes maximum memory, including page cache
     * @param memoryUsedBytes memory in use, without inactive file pages
     * @param memoryLimitHitsPerSecond times the limit was reached and pages were reclaimed
     * @param refaultsPerSecond file pages read again shortly after they were reclaimed
     * @param killsPerSecond processes killed for lack of memory
     * @param readLimitBytesPerSecond maximum read rate of the disk with the tightest limit
     * @param writeLimitBytesPerSecond maximum write rate of the disk with the tightest limit
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

        /** Reports whether no group has a value. */
        public boolean bindsNothing() {
            return equals(NONE);
        }
    }

    /**
     * Ephemeral ports of a server that connects to others. A port can be reused towards another
     * address, so the destination with the most sockets counts.
     *
     * @param used sockets towards it from one local address, including those in TIME_WAIT; when all
     *     TCP sockets of the host together are less than a tenth of the range, their number
     *     instead, as an upper bound
     * @param range ports the kernel may choose from: ip_local_port_range without
     *     ip_local_reserved_ports
     * @param remote that destination; absent when {@code used} is the upper bound
     */
    public record Ports(long used, long range, @Nullable Endpoint remote) {}

    /**
     * Events per second, over all processes of one server; processes that ended within the interval
     * are not counted.
     *
     * @param contextSwitches voluntary and involuntary
     * @param readWriteCalls read and write calls; absent when the kernel does not count them
     */
    public record Work(
            double minorFaults,
            double majorFaults,
            double contextSwitches,
            @Nullable Double readWriteCalls) {}

    /**
     * The traffic of one interface.
     *
     * @param speedBitsPerSecond absent when the driver reports none (loopback, veth)
     * @param dropsPerSecond packets dropped by the interface in both directions
     * @param errorsPerSecond damaged packets in both directions
     * @param queue the queueing discipline of the interface
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
            Queue queue) {
        /**
         * The queueing discipline of the interface.
         *
         * @param shapedBitsPerSecond rate of a token bucket (tc-tbf(8)) at its root; absent without
         *     one
         * @param queueDropsPerSecond packets dropped by its queueing discipline before sending
         * @param queuedBytes bytes waiting in that queue at the time of the sample
         */
        @FieldGroup
        public record Queue(
                @Nullable Long shapedBitsPerSecond, double queueDropsPerSecond, long queuedBytes) {

            /** No queue is known. */
            public static final Queue NONE = new Queue(null, 0, 0);
        }
    }

    /**
     * The traffic of one disk.
     *
     * @param busyShare share of time with a request in progress, 0 to 1
     * @param waitMillis mean time of a request, including waiting; 0 without requests
     * @param queueLength mean number of requests in progress
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
