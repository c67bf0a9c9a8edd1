package dev.komainu.central.store;

import dev.komainu.telemetry.record.ConnectionRecord;
import java.util.List;
import java.util.Set;

/** The stored connections as their sources reported them: one may be there twice. Any thread. */
interface ConnectionRows {

    /**
     * Connections that may be the same as others.
     *
     * @param services the service's names; empty: all services
     * @param range range that contains the connection's end
     * @param clients addresses without port; empty: all clients
     * @param startAtMost latest start in microseconds; {@code Long.MAX_VALUE}: any
     */
    record Candidates(
            List<String> services, TimeRange range, List<String> clients, long startAtMost) {}

    /** Returns a page of connections, newest first. */
    StoredPage<ConnectionRecord> connections(ConnectionQuery query);

    /** Returns connections, newest first; those beyond a number of bytes are left out. */
    List<StoredRecord<ConnectionRecord>> candidates(Candidates of);

    /** Returns the sources that reported connections of these services that ended in a range. */
    Set<String> connectionSources(List<String> services, TimeRange range);
}
