package dev.komainu.agent.host;

import dev.komainu.agent.host.linux.EphemeralPorts;
import dev.komainu.agent.host.linux.KernelFiles;
import dev.komainu.agent.host.linux.ListenerTable;
import dev.komainu.agent.host.linux.PortUse;
import dev.komainu.telemetry.record.HostSample;
import org.jspecify.annotations.Nullable;

/**
 * The use of this host's ephemeral ports in one reading. The connections are listed at most once
 * per reading, and only when their number matters: with less than a tenth of the range in use, no
 * destination can have more than that, and this bound is reported instead. One thread at a time.
 */
final class EphemeralPortSurvey {

    /**
     * The inverse of the range's share that all sockets together may use before they are listed.
     */
    private static final int SURVEY_SHARE = 10;

    private final KernelFiles files;
    private final ListenerTable table;
    private final long sockets;
    private @Nullable EphemeralPorts range;
    private @Nullable PortUse use;
    private boolean surveyed;

    /**
     * Creates a survey.
     *
     * @param sockets TCP sockets of this network namespace, including those in TIME_WAIT
     */
    EphemeralPortSurvey(KernelFiles files, ListenerTable table, long sockets) {
        this.files = files;
        this.table = table;
        this.sockets = sockets;
    }

    /**
     * Returns the ports used towards the server's upstreams when all are known, else towards any
     * destination but the server itself; null when the kernel does not report the range.
     */
    HostSample.@Nullable Ports of(WatchedServer server) {
        if (!surveyed) {
            surveyed = true;
            survey();
        }
        EphemeralPorts ports = range;
        PortUse counted = use;
        if (ports == null || ports.count() == 0) {
            return null;
        }
        if (counted == null) {
            return new HostSample.Ports(sockets, ports.count(), null);
        }
        PortUse.Busiest busiest = server.upstreams().isEmpty()
                ? counted.busiest(remote -> remote.port() != server.port())
                : counted.busiest(server.upstreams());
        return busiest == null
                ? new HostSample.Ports(0, ports.count(), null)
                : new HostSample.Ports(busiest.sockets(), ports.count(), busiest.remote());
    }

    private void survey() {
        range = files.ephemeralPorts();
        if (range != null && sockets * SURVEY_SHARE >= range.count()) {
            use = new PortUse(range.first(), range.last());
            table.connections(use);
        }
    }
}
