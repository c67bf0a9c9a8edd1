package dev.komainu.intermediary.upstream;

/**
 * Counts of one event loop's origin connections. Requests, failures and bytes are cumulative since
 * the start; connections are as of now. Accessed by the owning loop only.
 */
public final class OriginCounts {

    /** Requests sent to origins, retries included. */
    public long requests;
    /** Requests without a complete response, shortages of this host excluded. */
    public long failures;
    /** Connections that were not begun: this host had no free descriptor or local port. */
    public long shortages;

    public long receivedBytes;

    /** Open connections now. */
    public long connections;
    /** Connections that are parked for reuse now. */
    public long idleConnections;

    /** Adds these counts to a total. On the owning loop. */
    public void addTo(OriginCounts total) {
        total.requests += requests;
        total.failures += failures;
        total.shortages += shortages;
        total.receivedBytes += receivedBytes;
        total.connections += connections;
        total.idleConnections += idleConnections;
    }
}
