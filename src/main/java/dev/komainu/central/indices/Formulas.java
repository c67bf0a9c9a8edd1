package dev.komainu.central.indices;

import static dev.komainu.central.indices.HostColumn.*;
import static dev.komainu.central.indices.ServerColumn.*;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The formula of each index of the catalogue, over the window of seconds that ends with
 * {@code end}.
 */
final class Formulas {

    /** The formula of one index; {@code NaN} when nothing is observed, and for a share of zero. */
    @FunctionalInterface
    interface Formula {
        double over(FormulaInputs inputs, long end, int seconds);
    }

    /**
     * Threads that wait for a disk, as a share of the requests, below which another program does.
     */
    private static final double LEAST_BLOCKED = 0.02;

    private static final Map<String, Formula> ALL = new HashMap<>();

    static {
        fromPackets();
        fromFailures();
        TroubleFormulas.addTo(ALL);
        CauseFormulas.addTo(ALL);
        PartFormulas.addTo(ALL);
        fromKernel();
        fromKernelInDetail();
        fromProxy();
        fromManagement();
        fromBothSides();
        fromOriginSide();
        fromLimits();
        fromWaits();
        fromLogs();
        fromRoundTrips();
    }

    private Formulas() {}

    static boolean isDefined(String name) {
        return ALL.containsKey(name);
    }

    static Set<String> names() {
        return ALL.keySet();
    }

    /**
     * Computes one index over the window that ends with {@code end}.
     *
     * @throws NullPointerException when no index has this name; callers check the catalogue first
     */
    static double compute(String name, FormulaInputs inputs, long end, int seconds) {
        return Objects.requireNonNull(ALL.get(name), name).over(inputs, end, seconds);
    }

    private static void fromPackets() {
        add(
                "arrivalPerSecond",
                (l, e, n) -> l.ownElsePackets(ProxyColumn.REQUESTS, PacketColumn.REQUESTS, e, n));
        add(
                "processedPerSecond",
                (l, e, n) -> l.ownElsePackets(ProxyColumn.RESPONSES, PacketColumn.RESPONSES, e, n));
        add(
                "errorsPerSecond",
                (l, e, n) -> l.ownElsePackets(ProxyColumn.ERRORS, PacketColumn.ERRORS, e, n));
        add(
                "concurrentMean",
                (l, e, n) -> l.packetsElseOwn(
                        PacketColumn.CONCURRENT, ProxyColumn.CLIENT_CONNECTIONS, e, n));
        add("concurrentMax", (l, e, n) -> l.ring().max(PacketColumn.CONCURRENT_MAX, e, n));
        add(
                "processingMean",
                (l, e, n) -> Math.max(l.inProgress(e, n), l.unacceptedConnections(e, n)));
        add("idleConnectionShare", (l, e, n) -> {
            double open =
                    l.packetsElseOwn(PacketColumn.CONCURRENT, ProxyColumn.CLIENT_CONNECTIONS, e, n);
            double working = l.packetsElseOwn(PacketColumn.PROCESSING, ProxyColumn.IN_FLIGHT, e, n);
            return share(Math.max(0, open - working), open);
        });
        add("connectionsPerSecond", PacketColumn.CONNECTIONS);
        add("trafficDownBytesPerSecond", PacketColumn.DOWN_BYTES);
        add("trafficUpBytesPerSecond", PacketColumn.UP_BYTES);
        add("serverPacketsPerSecond", PacketColumn.DOWN_PACKETS);
        add("retransmissionsPerSecond", PacketColumn.DOWN_REPEATS);
        add("zeroWindowsPerSecond", PacketColumn.CLIENT_ZERO_WINDOWS);
        add("synRepeatsPerSecond", PacketColumn.SYN_REPEATS);
        add("refusedPerSecond", PacketColumn.REFUSED);
        add("noAnswerPerSecond", PacketColumn.NO_ANSWER);
        add("resetsPerSecond", PacketColumn.RESETS);
        add("serverResetsPerSecond", PacketColumn.SERVER_RESETS);
        add(
                "serverResetShare",
                (l, e, n) -> share(
                        l.packets(PacketColumn.SERVER_RESETS, e, n),
                        l.packets(PacketColumn.CONNECTIONS, e, n)));
        add("responseP50Millis", (l, e, n) -> l.ring().responseMillis(50, e, n));
        add("responseP95Millis", (l, e, n) -> l.ring().responseMillis(95, e, n));
        add("responseP99Millis", (l, e, n) -> l.ring().responseMillis(99, e, n));
        add("transferP50Millis", (l, e, n) -> l.ring().transferMillis(50, e, n));
        add("connectionP50Millis", (l, e, n) -> l.ring().connectionMillis(50, e, n));
        add(
                "responseRatio",
                (l, e, n) -> ready(l, l.waitMillis(e, n), l.baseline().responseMillis(), true));
        add(
                "answeredResponseRatio",
                (l, e, n) -> ready(
                        l, l.ring().responseMillis(50, e, n), l.baseline().responseMillis(), true));
        add(
                "responseExcessMillis",
                (l, e, n) -> ready(l, l.waitMillis(e, n), l.baseline().responseMillis(), false));
        add(
                "transferRatio",
                (l, e, n) -> ready(
                        l, l.ring().transferMillis(50, e, n), l.baseline().transferMillis(), true));
        add(
                "captureLossShare",
                (l, e, n) -> share(
                        l.packets(PacketColumn.LOST, e, n),
                        l.packets(PacketColumn.LOST, e, n)
                                + l.packets(PacketColumn.CAPTURED, e, n)));
        add(
                "retransmissionShare",
                (l, e, n) -> share(
                        l.packets(PacketColumn.DOWN_REPEATS, e, n),
                        l.packets(PacketColumn.DOWN_PACKETS, e, n)));
        add(
                "synRepeatShare",
                (l, e, n) -> share(
                        l.packets(PacketColumn.SYN_REPEATS, e, n),
                        l.packets(PacketColumn.SYN_REPEATS, e, n)
                                + l.packets(PacketColumn.CONNECTIONS, e, n)));
        add(
                "errorShare",
                (l, e, n) -> larger(
                        share(
                                l.ownElsePackets(ProxyColumn.ERRORS, PacketColumn.ERRORS, e, n),
                                l.ownElsePackets(
                                        ProxyColumn.RESPONSES, PacketColumn.RESPONSES, e, n)),
                        CauseFormulas.loggedErrors(l, e, n)));
        add("timeoutsPerSecond", PacketColumn.TIMEOUTS);
        add("arrivalVariation", (l, e, n) -> l.ring().variation(PacketColumn.CONNECTIONS, e, n));
        add("processedVariation", (l, e, n) -> l.ring().variation(PacketColumn.RESPONSES, e, n));
        add("concurrentVariation", (l, e, n) -> l.ring().variation(PacketColumn.CONCURRENT, e, n));
        add("trafficVariation", (l, e, n) -> l.ring().variation(PacketColumn.DOWN_BYTES, e, n));
        add(
                "workersBusyShare",
                (l, e, n) -> share(l.inProgress(e, n), orNaN(l.limits().workers())));
        add(
                "connectionsShare",
                (l, e, n) -> share(
                        l.packetsElseOwn(
                                        PacketColumn.CONCURRENT,
                                        ProxyColumn.CLIENT_CONNECTIONS,
                                        e,
                                        n)
                                + TroubleFormulas.passedOn(l, e, n),
                        orNaN(l.limits().connections())));
    }

    /**
     * Adds the indices of failures that clients see. They come from packets only: Komainu's proxy
     * does not count the requests that it leaves without a response.
     */
    private static void fromFailures() {
        add("unansweredPerSecond", PacketColumn.UNANSWERED);
        // A request may have arrived long before it was given up, even in another window.
        add("unansweredShare", (l, e, n) -> {
            double unanswered = l.packets(PacketColumn.UNANSWERED, e, n);
            return share(unanswered, Math.max(unanswered, l.packets(PacketColumn.REQUESTS, e, n)));
        });
        add("unavailablePerSecond", PacketColumn.DELIBERATE_UNAVAILABLE);
        add("failurePerSecond", Formulas::failures);
        add(
                "failureShare",
                (l, e, n) -> share(
                        failures(l, e, n),
                        l.packets(PacketColumn.RESPONSES, e, n)
                                + l.packets(PacketColumn.UNANSWERED, e, n)));
        add("lostPagesPerSecond", PacketColumn.LOST_PAGES);
        add(
                "lostPagesShare",
                (l, e, n) -> share(
                        l.packets(PacketColumn.LOST_PAGES, e, n),
                        l.packets(PacketColumn.RESPONSES, e, n)));
        add("failedHandshakesPerSecond", PacketColumn.FAILED_HANDSHAKES);
        add("failedHandshakeShare", (l, e, n) -> {
            double failed = l.packets(PacketColumn.FAILED_HANDSHAKES, e, n);
            return share(failed, Math.max(failed, l.packets(PacketColumn.HANDSHAKES, e, n)));
        });
    }

    private static double failures(FormulaInputs inputs, long end, int over) {
        return inputs.packets(PacketColumn.ERRORS, end, over)
                - inputs.packets(PacketColumn.DELIBERATE_UNAVAILABLE, end, over)
                + inputs.packets(PacketColumn.UNANSWERED, end, over);
    }

    private static void fromKernel() {
        add("hostCpuUserShare", CPU_USER);
        add("hostCpuKernelShare", CPU_KERNEL);
        add("hostCpuIowaitShare", CPU_IOWAIT);
        add("hostCpuStealShare", CPU_STEAL);
        add("hostCpuIdleShare", CPU_IDLE);
        add("hostMemoryAvailableBytes", MEMORY_AVAILABLE);
        add(
                "hostMemoryAvailableShare",
                (l, e, n) -> share(l.host(MEMORY_AVAILABLE, e, n), l.host(MEMORY_TOTAL, e, n)));
        add("hostProcesses", HostColumn.PROCESSES);
        add("hostContextSwitchesPerSecond", CONTEXT_SWITCHES);
        add("hostMajorFaultsPerSecond", MAJOR_FAULTS);
        add("hostSwapPagesPerSecond", SWAP_PAGES);
        add("hostPressureCpuPercent", PRESSURE_CPU);
        add("hostPressureMemoryPercent", PRESSURE_MEMORY);
        add("hostPressureIoPercent", PRESSURE_IO);
        add("hostDiskBusyShare", DISK_BUSY);
        add("hostTimeWaitSockets", TIME_WAIT);
        add("hostInterfaceShare", INTERFACE_SHARE);
        add("listenOverflowsPerSecond", LISTEN_OVERFLOWS);
        add("listenDropsPerSecond", LISTEN_DROPS);
        add("serverProcesses", (l, e, n) -> l.server(ServerColumn.PROCESSES, e, n));
        add("serverThreads", (l, e, n) -> l.server(THREADS, e, n));
        add("serverResidentBytes", (l, e, n) -> l.server(RESIDENT, e, n));
        add("serverCpuCores", (l, e, n) -> l.server(CPU_CORES, e, n));
        add(
                "serverCpuShare",
                (l, e, n) -> share(l.server(CPU_CORES, e, n), l.host(CPU_COUNT, e, n)));
        add("serverOpenFiles", (l, e, n) -> l.serverMax(OPEN_FILES, e, n));
        add(
                "openFilesShare",
                (l, e, n) ->
                        share(l.serverMax(OPEN_FILES, e, n), l.serverMax(OPEN_FILES_LIMIT, e, n)));
        add("acceptQueue", (l, e, n) -> l.serverMax(ACCEPT_QUEUE, e, n));
        add("acceptQueueLimit", (l, e, n) -> l.serverMax(ACCEPT_QUEUE_LIMIT, e, n));
        // Falls back to the kernel's counter of all servers together. For a socket with
        // TCP_DEFER_ACCEPT (Apache's), the socket's counter includes the last ACK of every
        // handshake as dropped, because the socket waits for data. So the value is never higher
        // than the counter of all servers.
        add("serverListenDropsPerSecond", (l, e, n) -> {
            double own = l.server(OWN_LISTEN_DROPS, e, n);
            double all = Math.max(l.host(LISTEN_OVERFLOWS, e, n), l.host(LISTEN_DROPS, e, n));
            return Double.isNaN(own)
                    ? l.host(LISTEN_OVERFLOWS, e, n)
                    : Double.isNaN(all) ? own : Math.min(own, all);
        });
        add(
                "acceptQueueShare",
                (l, e, n) -> share(
                        l.serverMax(ACCEPT_QUEUE, e, n), l.serverMax(ACCEPT_QUEUE_LIMIT, e, n)));
    }

    /**
     * Adds the further counters of the thesis's rep2 and the counters that newer kernels report.
     */
    private static void fromKernelInDetail() {
        add("hostLoad1", LOAD1);
        add("hostLoad5", LOAD5);
        add("hostPressureMemoryFullPercent", PRESSURE_MEMORY_FULL);
        add("hostPressureIoFullPercent", PRESSURE_IO_FULL);
        add("hostMemoryFreeBytes", MEMORY_FREE);
        add("hostMemoryCachedBytes", MEMORY_CACHED);
        add("hostSwapUsedBytes", SWAP_USED);
        add("hostMinorFaultsPerSecond", MINOR_FAULTS);
        add("hostThreads", HOST_THREADS);
        add("hostInterruptsPerSecond", INTERRUPTS);
        add("hostSystemCallsPerSecond", SYSTEM_CALLS);
        add("hostReadWriteCallsPerSecond", READ_WRITE_CALLS);
        add("hostDiskWaitMillis", DISK_WAIT);
        add("hostDiskQueue", DISK_QUEUE);
        add("hostSockets", SOCKETS);
        add("hostOrphanSockets", ORPHANS);
        add("hostTcpMemoryBytes", TCP_MEMORY);
        add("hostOpenFiles", HOST_FILES);
        add("hostInterfaceDropsPerSecond", INTERFACE_DROPS);
        add("hostSynCookiesPerSecond", SYN_COOKIES);
        add("hostListenQueueShare", LISTEN_QUEUE);
        add("hostSamplingMillis", SAMPLING);
        add("serverMinorFaultsPerSecond", (l, e, n) -> l.server(WORK_MINOR_FAULTS, e, n));
        add("serverMajorFaultsPerSecond", (l, e, n) -> l.server(WORK_MAJOR_FAULTS, e, n));
        add("serverContextSwitchesPerSecond", (l, e, n) -> l.server(WORK_CONTEXT_SWITCHES, e, n));
        add("serverReadWriteCallsPerSecond", (l, e, n) -> l.server(WORK_READ_WRITE_CALLS, e, n));
        add(
                "hostTcpMemoryShare",
                (l, e, n) -> share(l.host(TCP_MEMORY, e, n), l.host(TCP_MEMORY_LIMIT, e, n)));
        add(
                "hostOpenFilesShare",
                (l, e, n) -> share(l.host(HOST_FILES, e, n), l.host(HOST_FILES_LIMIT, e, n)));
        add(
                "hostSegmentRepeatShare",
                (l, e, n) -> share(l.host(SEGMENT_REPEATS, e, n), l.host(SENT_SEGMENTS, e, n)));
    }

    private static void fromProxy() {
        add(
                "hitRatio",
                (l, e, n) -> share(
                        l.proxy(ProxyColumn.HITS, e, n), l.proxy(ProxyColumn.REQUESTS, e, n)));
        add("freshHitsPerSecond", (l, e, n) -> l.proxy(ProxyColumn.FRESH_HITS, e, n));
        add("staleHitsPerSecond", (l, e, n) -> l.proxy(ProxyColumn.STALE_HITS, e, n));
        add("missesPerSecond", (l, e, n) -> l.proxy(ProxyColumn.MISSES, e, n));
        add("passesPerSecond", (l, e, n) -> l.proxy(ProxyColumn.PASSES, e, n));
        add("sentBytesPerSecond", (l, e, n) -> l.proxy(ProxyColumn.SENT_BYTES, e, n));
        add("fetchedBytesPerSecond", (l, e, n) -> l.proxy(ProxyColumn.FETCHED_BYTES, e, n));
        add("cacheBytes", (l, e, n) -> l.proxy(ProxyColumn.CACHE_BYTES, e, n));
        add("cacheObjects", (l, e, n) -> l.proxy(ProxyColumn.CACHE_OBJECTS, e, n));
        add(
                "cacheFullShare",
                (l, e, n) -> share(
                        l.proxy(ProxyColumn.CACHE_BYTES, e, n),
                        l.proxy(ProxyColumn.CACHE_BUDGET, e, n)));
        add("evictionsPerSecond", (l, e, n) -> l.proxy(ProxyColumn.EVICTIONS, e, n));
        add("originResponseP50Millis", (l, e, n) -> l.ring().originMillis(50, e, n));
        add(
                "originResponseRatio",
                (l, e, n) -> ready(
                        l, l.ring().originMillis(50, e, n), l.baseline().originMillis(), true));
        add(
                "originResponseP10Ratio",
                (l, e, n) -> ready(
                        l, l.ring().originMillis(10, e, n), l.baseline().originMillis(), true));
        add("originRequestsPerSecond", (l, e, n) -> l.proxy(ProxyColumn.ORIGIN_REQUESTS, e, n));
        add("originFailuresPerSecond", (l, e, n) -> l.proxy(ProxyColumn.ORIGIN_FAILURES, e, n));
        add("originFailureShare", (l, e, n) -> {
            double failed = l.proxy(ProxyColumn.ORIGIN_FAILURES, e, n);
            // A connection that could not be opened fails a request that was never sent.
            return share(failed, Math.max(failed, l.proxy(ProxyColumn.ORIGIN_REQUESTS, e, n)));
        });
        add("clientConnections", (l, e, n) -> l.proxy(ProxyColumn.CLIENT_CONNECTIONS, e, n));
        add(
                "idleClientConnections",
                (l, e, n) -> l.proxy(ProxyColumn.IDLE_CLIENT_CONNECTIONS, e, n));
        add(
                "refusedConnectionsPerSecond",
                (l, e, n) -> l.proxy(ProxyColumn.REFUSED_CONNECTIONS, e, n));
    }

    /**
     * Adds the indices of the proxy's memory management: its pools, its disk, its sockets' buffers.
     */
    private static void fromManagement() {
        add("protectedPoolBytes", (l, e, n) -> l.proxy(ProxyColumn.PROTECTED_BYTES, e, n));
        add("protectedPoolTargetBytes", (l, e, n) -> l.proxy(ProxyColumn.PROTECTED_TARGET, e, n));
        add(
                "protectedPoolUnreferencedBytes",
                (l, e, n) -> l.proxy(ProxyColumn.PROTECTED_UNREFERENCED, e, n));
        add("normalPoolBytes", (l, e, n) -> l.proxy(ProxyColumn.NORMAL_BYTES, e, n));
        add(
                "normalPoolUnreferencedBytes",
                (l, e, n) -> l.proxy(ProxyColumn.NORMAL_UNREFERENCED, e, n));
        add(
                "protectedPoolHitRatio",
                (l, e, n) -> hitRatio(
                        l, ProxyColumn.PROTECTED_HITS, ProxyColumn.PROTECTED_MISSES, e, n));
        add(
                "normalPoolHitRatio",
                (l, e, n) -> hitRatio(l, ProxyColumn.NORMAL_HITS, ProxyColumn.NORMAL_MISSES, e, n));
        add("diskTierBytes", (l, e, n) -> l.proxy(ProxyColumn.DISK_BYTES, e, n));
        add("diskTierProtectedBytes", (l, e, n) -> l.proxy(ProxyColumn.DISK_PROTECTED_BYTES, e, n));
        add("diskTierHitsPerSecond", (l, e, n) -> l.proxy(ProxyColumn.DISK_FOUND, e, n));
        add("diskTierNotReadPerSecond", (l, e, n) -> l.proxy(ProxyColumn.DISK_NOT_FOUND, e, n));
        add("diskTierWritesPerSecond", (l, e, n) -> l.proxy(ProxyColumn.DISK_WRITTEN, e, n));
        add("peakShare", (l, e, n) -> l.proxy(ProxyColumn.PEAK, e, n));
        add("bufferBudgetBytes", (l, e, n) -> l.proxy(ProxyColumn.BUFFERS_BUDGET, e, n));
        add("buffersInUseBytes", (l, e, n) -> l.proxy(ProxyColumn.BUFFERS_IN_USE, e, n));
        add("buffersIdleBytes", (l, e, n) -> l.proxy(ProxyColumn.BUFFERS_IDLE, e, n));
        add("bufferWaits", (l, e, n) -> l.proxy(ProxyColumn.BUFFERS_WAITING, e, n));
    }

    private static double hitRatio(
            FormulaInputs inputs, ProxyColumn hits, ProxyColumn misses, long end, int over) {
        double found = inputs.proxy(hits, end, over);
        return share(found, found + inputs.proxy(misses, end, over));
    }

    /**
     * Adds the indices that compare both sides of a proxy (thesis ch. 5: a monitor on each side).
     * They need no data from the proxy itself.
     */
    private static void fromBothSides() {
        add("outsideHitRatio", (l, e, n) -> {
            PacketColumn counted = ProxySplit.counted(l, e, n) == ProxySplit.Counted.REQUESTS
                    ? PacketColumn.REQUESTS
                    : PacketColumn.CONNECTIONS;
            return saved(l.packets(counted, e, n), l.origin(counted, e, n));
        });
        add(
                "outsideTrafficSaved",
                (l, e, n) -> saved(
                        l.packets(PacketColumn.DOWN_UNIQUE_BYTES, e, n),
                        l.origin(PacketColumn.DOWN_UNIQUE_BYTES, e, n)));
    }

    /**
     * Returns the share that did not reach the origin; 0 when the proxy sent more requests than it
     * received.
     */
    private static double saved(double received, double fetched) {
        double share = share(fetched, received);
        return Double.isNaN(share) ? share : Math.max(0, 1 - share);
    }

    /**
     * Adds the indices of a proxy's origin, from the packets of the origin side. They need no data
     * from the proxy itself.
     */
    private static void fromOriginSide() {
        add("originSideResponseP50Millis", (l, e, n) -> l.originResponseMillis(50, e, n));
        add(
                "originSideResponseRatio",
                (l, e, n) -> ready(
                        l, l.originResponseMillis(50, e, n), l.baseline().originMillis(), true));
        add(
                "originSideResponseP10Ratio",
                (l, e, n) -> ready(
                        l, l.originResponseMillis(10, e, n), l.baseline().originMillis(), true));
        add("originSideProcessingMean", (l, e, n) -> l.origin(PacketColumn.PROCESSING, e, n));
        add(
                "originWaitShare",
                (l, e, n) -> share(
                        l.origin(PacketColumn.PROCESSING, e, n),
                        l.packets(PacketColumn.PROCESSING, e, n)));
        add("originSideProcessedPerSecond", (l, e, n) -> l.origin(PacketColumn.RESPONSES, e, n));
        add("originSideFailuresPerSecond", Formulas::originSideFailures);
        add(
                "originSideFailureShare",
                (l, e, n) -> share(
                        originSideFailures(l, e, n),
                        l.origin(PacketColumn.CONNECTIONS, e, n)
                                + l.origin(PacketColumn.SYN_REPEATS, e, n)));
    }

    /** Counts refused connections, and SYNs that were repeated because no response came. */
    private static double originSideFailures(FormulaInputs inputs, long end, int over) {
        return inputs.origin(PacketColumn.REFUSED, end, over)
                + inputs.origin(PacketColumn.SYN_REPEATS, end, over);
    }

    /**
     * Adds the limits that control groups, ports and traffic shapers set for a server, and the
     * shares of them in use.
     */
    private static void fromLimits() {
        add("groupCpuQuotaCores", (l, e, n) -> l.server(CPU_QUOTA, e, n));
        add(
                "groupCpuUsedShare",
                (l, e, n) -> share(l.server(CPU_CORES, e, n), l.server(CPU_QUOTA, e, n)));
        add("groupThrottledShare", (l, e, n) -> l.server(THROTTLED_SHARE, e, n));
        add("groupMemoryLimitBytes", (l, e, n) -> l.server(MEMORY_LIMIT, e, n));
        add(
                "groupMemoryUsedShare",
                (l, e, n) -> share(l.server(MEMORY_USED, e, n), l.server(MEMORY_LIMIT, e, n)));
        add("groupMemoryLimitHitsPerSecond", (l, e, n) -> l.server(MEMORY_LIMIT_HITS, e, n));
        add("groupRefaultsPerSecond", (l, e, n) -> l.server(REFAULTS, e, n));
        add("groupKillsPerSecond", (l, e, n) -> l.server(KILLS, e, n));
        add(
                "groupDiskReadShare",
                (l, e, n) -> share(l.server(READ_BYTES, e, n), l.server(READ_LIMIT, e, n)));
        add(
                "groupDiskWriteShare",
                (l, e, n) -> share(l.server(WRITTEN_BYTES, e, n), l.server(WRITE_LIMIT, e, n)));
        add("ephemeralPortsUsed", (l, e, n) -> l.serverMax(PORTS_USED, e, n));
        add(
                "ephemeralPortShare",
                (l, e, n) -> share(l.serverMax(PORTS_USED, e, n), l.serverMax(PORTS_RANGE, e, n)));
        add("hostShapedShare", SHAPED_SHARE);
        add("hostQueueDropsPerSecond", QUEUE_DROPS);
        add("hostQueuedBytes", QUEUED_BYTES);
    }

    /**
     * Adds the waits of requests in progress, by Little's law: the mean number of threads in a
     * wait, divided by the mean number of requests in progress, is the share of their time spent
     * there. For a server that serves many requests with few threads, the divisor is its number of
     * threads.
     */
    private static void fromWaits() {
        add(
                "serverCpuKernelShare",
                (l, e, n) -> share(l.server(KERNEL_CORES, e, n), l.server(CPU_CORES, e, n)));
        add("serverCpuWaitingThreads", (l, e, n) -> l.server(WAITING_THREADS, e, n));
        add("serverCpuWaitingShare", (l, e, n) -> shareOfRequests(l, WAITING_THREADS, e, n));
        add("serverBlockedThreads", (l, e, n) -> l.server(BLOCKED_THREADS, e, n));
        add("serverBlockedShare", (l, e, n) -> shareOfRequests(l, BLOCKED_THREADS, e, n));
        add("serverIowaitShare", Formulas::iowait);
        add("serverDiskReadBytesPerSecond", (l, e, n) -> l.server(READ_BYTES, e, n));
        add("serverDiskWrittenBytesPerSecond", (l, e, n) -> l.server(WRITTEN_BYTES, e, n));
    }

    /**
     * Returns the share of the requests in progress, counted as at least one: between requests the
     * waits of an idle server are not significant.
     */
    private static double shareOfRequests(
            FormulaInputs inputs, ServerColumn waiting, long end, int over) {
        double requests = inputs.inProgress(end, over);
        double most = Math.max(1, Math.min(requests, inputs.server(THREADS, end, over)));
        return Math.min(1, share(inputs.server(waiting, end, over), most));
    }

    /**
     * Returns the host's I/O wait, as far as it may be this server's: 0 while the server's threads
     * are known not to wait for a disk.
     */
    private static double iowait(FormulaInputs inputs, long end, int over) {
        double blocked = shareOfRequests(inputs, BLOCKED_THREADS, end, over);
        return blocked < LEAST_BLOCKED ? 0 : inputs.host(CPU_IOWAIT, end, over);
    }

    /** Adds the indices of the server's own access log. */
    private static void fromLogs() {
        add("logConcurrentMean", (l, e, n) -> l.ring().mean(LogColumn.CONCURRENT, e, n));
        add("logConcurrentMax", (l, e, n) -> l.ring().max(LogColumn.CONCURRENT_MAX, e, n));
        add("logEntriesPerSecond", (l, e, n) -> l.ring().mean(LogColumn.ENTRIES, e, n));
        add("logDurationP50Millis", (l, e, n) -> l.ring().logDurationMillis(50, e, n));
    }

    private static void fromRoundTrips() {
        add("serverRtt", RoundTrip.SERVER);
        add("clientRtt", RoundTrip.CLIENT);
        add("acknowledgement", RoundTrip.ACKNOWLEDGEMENT);
        add("think", RoundTrip.THINK);
    }

    private static void add(String name, RoundTrip leg) {
        add(name + "P50Millis", (l, e, n) -> l.ring().millis(leg, 50, e, n));
        add(name + "P95Millis", (l, e, n) -> l.ring().millis(leg, 95, e, n));
    }

    private static void add(String name, Formula formula) {
        ALL.put(name, formula);
    }

    private static void add(String name, PacketColumn column) {
        ALL.put(name, (l, e, n) -> l.packets(column, e, n));
    }

    private static void add(String name, HostColumn column) {
        ALL.put(name, (l, e, n) -> l.host(column, e, n));
    }

    private static double orNaN(@Nullable Double limit) {
        return limit == null ? Double.NaN : limit;
    }

    private static double larger(double a, double b) {
        return Double.isNaN(b) ? a : Double.isNaN(a) ? b : Math.max(a, b);
    }

    static double share(double part, double whole) {
        return whole > 0 ? part / whole : Double.NaN;
    }

    static double ready(FormulaInputs inputs, double value, double usual, boolean ratio) {
        if (!inputs.baseline().ready() || !(usual > 0)) {
            return Double.NaN;
        }
        return ratio ? value / usual : value - usual;
    }
}
