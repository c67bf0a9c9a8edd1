package dev.komainu.agent.host;

import dev.komainu.agent.host.linux.PoolConnections;
import dev.komainu.telemetry.record.Endpoint;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The two sides of the connections between a server and its application pools. Pure. */
final class PoolSides {

    private PoolSides() {}

    /** Returns the side of the server, which connects to the pools. */
    static PoolConnections ofServer(List<ApplicationPool> pools) {
        if (pools.isEmpty()) {
            return PoolConnections.NONE;
        }
        Set<Endpoint> endpoints = new HashSet<>();
        boolean unix = false;
        for (ApplicationPool pool : pools) {
            if (pool.endpoint() != null) {
                endpoints.add(pool.endpoint());
            }
            unix |= pool.path() != null;
        }
        return new PoolConnections(Set.of(), endpoints, unix);
    }

    /** Returns the side of one pool, which accepts the server's connections. */
    static PoolConnections ofPool(long processId, List<ApplicationPool> pools) {
        Set<Integer> ports = new HashSet<>();
        for (ApplicationPool pool : pools) {
            if (pool.processId() == processId && pool.endpoint() != null) {
                ports.add(pool.endpoint().port());
            }
        }
        return new PoolConnections(ports, Set.of(), false);
    }
}
