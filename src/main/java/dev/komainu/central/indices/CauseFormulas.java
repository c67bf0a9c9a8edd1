package dev.komainu.central.indices;

import static dev.komainu.central.indices.Formulas.share;

import dev.komainu.central.indices.Formulas.Formula;
import java.util.Map;

/**
 * The formulas that tell the cause of trouble from its symptoms: what the server's threads wait
 * for, which part of it or which other program uses the CPUs, the connections to its backends and
 * clients, and what became of a server that stopped.
 */
final class CauseFormulas {

    private CauseFormulas() {}

    static void addTo(Map<String, Formula> all) {
        add(all, "serverStoppedShare", ServerColumn.STOPPED_SHARE);
        add(all, "serverSampledThreads", ServerColumn.SAMPLED_THREADS);
        add(all, "serverClientWriteShare", ServerColumn.CLIENT_WRITE_SHARE);
        add(all, "serverClientReadShare", ServerColumn.CLIENT_READ_SHARE);
        add(all, "serverBackendWaitShare", ServerColumn.BACKEND_WAIT_SHARE);
        add(all, "serverLockWaitShare", ServerColumn.LOCK_WAIT_SHARE);
        add(all, "serverSleepShare", ServerColumn.SLEEP_SHARE);
        add(all, "serverBusiestThreadCores", ServerColumn.BUSIEST_THREAD_CORES);
        add(all, "serverBusiestProcessCores", ServerColumn.BUSIEST_PROCESS_CORES);
        add(all, "serverRuntimeCores", ServerColumn.RUNTIME_CORES);
        add(all, "serverGcShare", ServerColumn.GC_SHARE);
        add(all, "backendConnections", ServerColumn.BACKEND_LINKS);
        add(all, "backendConnecting", ServerColumn.BACKEND_LINKS_CONNECTING);
        add(all, "backendUnackedConnections", ServerColumn.BACKEND_LINKS_UNACKED);
        add(all, "loggedErrorsPerSecond", ServerColumn.LOGGED_ERRORS);
        add(all, "loggedLostPagesPerSecond", ServerColumn.LOGGED_LOST_PAGES);
        all.put(
                "loggedErrorShare",
                (l, e, n) -> share(
                        l.server(ServerColumn.LOGGED_ERRORS, e, n),
                        l.server(ServerColumn.LOGGED_RESPONSES, e, n)));
        all.put(
                "loggedLostPagesShare",
                (l, e, n) -> share(
                        l.server(ServerColumn.LOGGED_LOST_PAGES, e, n),
                        l.server(ServerColumn.LOGGED_RESPONSES, e, n)));
        add(all, "successorProcesses", ServerColumn.SUCCESSORS);
        add(all, "supervised", ServerColumn.SUPERVISED);
        all.put("hostOtherCores", CauseFormulas::others);
        all.put(
                "clientBlockedShare",
                (l, e, n) -> share(
                        l.server(ServerColumn.CLIENT_LINKS_BLOCKED, e, n),
                        l.server(ServerColumn.CLIENT_LINKS, e, n)));
        all.put(
                "hostOtherCpuShare",
                (l, e, n) -> share(others(l, e, n), l.host(HostColumn.CPU_COUNT, e, n)));
        all.put(
                "serverRuntimeShare",
                (l, e, n) -> share(
                        l.server(ServerColumn.RUNTIME_CORES, e, n),
                        l.server(ServerColumn.CPU_CORES, e, n)));
        all.put("workerTimeRatio", CauseFormulas::workerTime);
        // Little's law for the queue of connections that no worker has taken.
        all.put(
                "acceptWaitMillis",
                (l, e, n) -> share(
                        l.serverMax(ServerColumn.ACCEPT_QUEUE, e, n) * 1_000,
                        l.packets(PacketColumn.CONNECTIONS, e, n)));
        all.put(
                "responsesPerConnection",
                (l, e, n) -> share(
                        l.packets(PacketColumn.RESPONSES, e, n),
                        l.packets(PacketColumn.CONNECTIONS, e, n)));
        all.put("clientDataRoundTripP50Millis", CauseFormulas::roundTrip);
        all.put(
                "clientRoundTripRatio",
                (l, e, n) -> Formulas.ready(
                        l, roundTrip(l, e, n), l.baseline().clientRoundTripMillis(), true));
        all.put(
                "clientRoundTripLowRatio",
                (l, e, n) -> Formulas.ready(
                        l,
                        l.ring().millis(RoundTrip.CLIENT_DATA, 10, e, n),
                        l.baseline().clientRoundTripMillis(),
                        true));
        // The ring divides by 1,000 for milliseconds.
        all.put(
                "deliveryP50BytesPerSecond",
                (l, e, n) -> l.ring().millis(RoundTrip.DELIVERY_RATE, 50, e, n) * 1_000);
        all.put(
                "retransmittingClientsShare",
                (l, e, n) -> share(
                        l.packets(PacketColumn.RETRANSMITTING_CLIENTS, e, n),
                        l.packets(PacketColumn.SENDING_CLIENTS, e, n)));
    }

    private static void add(Map<String, Formula> all, String name, ServerColumn column) {
        all.put(name, (l, e, n) -> l.server(column, e, n));
    }

    /**
     * Returns the time that a worker spends on a response, by Little's law, against the usual
     * response time. Near 1 with a lack of workers, whatever the queue before them; higher when the
     * workers themselves wait for something. Only for servers whose workers are counted.
     */
    private static double workerTime(FormulaInputs inputs, long end, int over) {
        Double workers = inputs.limits().workers();
        double processed = inputs.packets(PacketColumn.RESPONSES, end, over);
        if (workers == null || !(processed > 0)) {
            return Double.NaN;
        }
        double busy = inputs.unacceptedConnections(end, over) > 0
                ? workers
                : Math.min(workers, inputs.inProgress(end, over));
        return Formulas.ready(
                inputs, busy * 1_000 / processed, inputs.baseline().responseMillis(), true);
    }

    /**
     * Returns the share of all server errors in the access log, those that may be meant included.
     */
    static double loggedErrors(FormulaInputs inputs, long end, int over) {
        return share(
                inputs.server(ServerColumn.LOGGED_ERRORS, end, over)
                        + inputs.server(ServerColumn.LOGGED_UNAVAILABLE, end, over),
                inputs.server(ServerColumn.LOGGED_RESPONSES, end, over));
    }

    private static double roundTrip(FormulaInputs inputs, long end, int over) {
        return inputs.ring().millis(RoundTrip.CLIENT_DATA, 50, end, over);
    }

    /**
     * Returns the cores that other programs use: as the agent counted them, else the host's use
     * without the server's.
     */
    private static double others(FormulaInputs inputs, long end, int over) {
        double counted = inputs.server(ServerColumn.OTHER_CORES, end, over);
        if (!Double.isNaN(counted)) {
            return counted;
        }
        double used = (inputs.host(HostColumn.CPU_USER, end, over)
                        + inputs.host(HostColumn.CPU_KERNEL, end, over))
                * inputs.host(HostColumn.CPU_COUNT, end, over);
        return Math.max(0, used - inputs.server(ServerColumn.CPU_CORES, end, over));
    }
}
