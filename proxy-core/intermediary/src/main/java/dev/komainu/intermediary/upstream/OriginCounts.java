package dev.komainu.intermediary.upstream;

/**
 * What one event loop's origin connections have done: requests, failures and bytes cumulative since
 * start, connections as of now. Only the owning loop touches this object.
 */
public final class OriginCounts {

    /** Requests sent to origins, retries included. */
    public long requests;
    /** Of those, without a complete answer. */
    public long failures;

    public long receivedBytes;

    /** Open now. */
    public long connections;
    /** Of the connections, parked for reuse. */
    public long idleConnections;

    /** Adds these to a total; on the owning loop. */
    public void addTo(OriginCounts total) {
        total.requests += requests;
        total.failures += failures;
        total.receivedBytes += receivedBytes;
        total.connections += connections;
        total.idleConnections += idleConnections;
    }
}
