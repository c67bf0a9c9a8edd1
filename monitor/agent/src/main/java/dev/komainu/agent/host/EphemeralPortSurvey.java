package dev.komainu.agent.host;

import dev.komainu.agent.host.linux.EphemeralPorts;
import dev.komainu.agent.host.linux.KernelFiles;
import dev.komainu.agent.host.linux.ListenerTable;
import dev.komainu.agent.host.linux.PortUse;
import dev.komainu.telemetry.record.HostSample;
import org.jspecify.annotations.Nullable;

/**
 * The ephemeral ports of this host at one look. Every connection is asked for once, and only when
 * so many exist that their number matters: below a tenth of the range no destination can have more,
 * and that bound is told instead. One thread at a time.
 */
final class EphemeralPortSurvey {

    /**
     * One part in so many of the range may be used by all sockets together without a closer look.
     */
    private static final int LOOKED_AT_FROM = 10;

    private final KernelFiles files;
    private final ListenerTable table;
    private final long sockets;
    private @Nullable EphemeralPorts range;
    private @Nullable PortUse use;
    private boolean looked;

    /** @param sockets TCP sockets of this network namespace, those in TIME_WAIT too */
    EphemeralPortSurvey(KernelFiles files, ListenerTable table, long sockets) {
        this.files = files;
        this.table = table;
        this.sockets = sockets;
    }

    /**
     * Towards the servers behind it where all are known, else towards anybody but itself; null
     * where not told.
     */
    HostSample.@Nullable Ports of(WatchedServer server) {
        if (!looked) {
            looked = true;
            look();
        }
        EphemeralPorts all = range;
        PortUse counted = use;
        if (all == null || all.count() == 0) {
            return null;
        }
        if (counted == null) {
            return new HostSample.Ports(sockets, all.count(), null);
        }
        PortUse.Busiest busiest = server.behind().isEmpty()
                ? counted.busiest(remote -> remote.port() != server.port())
                : counted.busiest(server.behind());
        return busiest == null
                ? new HostSample.Ports(0, all.count(), null)
                : new HostSample.Ports(busiest.sockets(), all.count(), busiest.remote());
    }

    private void look() {
        range = files.ephemeralPorts();
        if (range != null && sockets * LOOKED_AT_FROM >= range.count()) {
            use = new PortUse(range.first(), range.last());
            table.connections(use);
        }
    }
}
