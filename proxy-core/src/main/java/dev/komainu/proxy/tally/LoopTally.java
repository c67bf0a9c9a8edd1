package dev.komainu.proxy.tally;

import dev.komainu.telemetry.record.Distribution;
import org.HdrHistogram.Histogram;

/**
 * One event loop's counters, cumulative since start, and its histograms since the last {@link #addTo}.
 *
 * <p>They balance: {@code requests = hits + stale + revalidated + collapsed + misses + passes + tunnels + errors +
 * abandoned + inFlight}. Only the owning loop touches this object.
 */
public final class LoopTally {

    /** Heads read complete, refused ones included. */
    public long requests;
    /** Answers begun. */
    public long responses;

    public long hits;
    public long stale;
    public long revalidated;
    public long collapsed;
    public long misses;
    public long passes;
    public long tunnels;
    /** Answered by the proxy itself with 4xx or 5xx. */
    public long errors;
    /** Clients that left before an answer began. */
    public long abandoned;
    /** Requests sent to origins, retries included. */
    public long originRequests;
    /** Of those, without a complete answer. */
    public long originFailures;
    /** Bytes handed to clients' sockets. */
    public long sentBytes;

    public long receivedFromOriginBytes;
    /** Exchanges counted here but not listed one by one. */
    public long exchangesNotListed;
    /** Heads refused as malformed; among the errors. */
    public long malformed;
    /** Connections closed because a head did not come in time. */
    public long headTimeouts;
    /** Uploads cut off because too few bytes of them came. */
    public long slowBodies;
    /** Connections reset because their client accepted no byte of an answer in time. */
    public long stalledWrites;

    /** Open now. */
    public long clientConnections;
    /** Exchanges under way now. */
    public long inFlight;

    public long originConnections;
    /** Of the origin connections, parked for reuse. */
    public long idleOriginConnections;

    public final Histogram hitResponse = Distribution.newRecorder();
    public final Histogram missResponse = Distribution.newRecorder();
    public final Histogram originResponse = Distribution.newRecorder();

    /** Adds the counters to {@code total} and moves the histograms there. On the owning loop. */
    public void addTo(LoopTally total) {
        total.requests += requests;
        total.responses += responses;
        total.hits += hits;
        total.stale += stale;
        total.revalidated += revalidated;
        total.collapsed += collapsed;
        total.misses += misses;
        total.passes += passes;
        total.tunnels += tunnels;
        total.errors += errors;
        total.abandoned += abandoned;
        total.originRequests += originRequests;
        total.originFailures += originFailures;
        total.sentBytes += sentBytes;
        total.receivedFromOriginBytes += receivedFromOriginBytes;
        total.exchangesNotListed += exchangesNotListed;
        total.malformed += malformed;
        total.headTimeouts += headTimeouts;
        total.slowBodies += slowBodies;
        total.stalledWrites += stalledWrites;
        total.clientConnections += clientConnections;
        total.inFlight += inFlight;
        total.originConnections += originConnections;
        total.idleOriginConnections += idleOriginConnections;
        move(hitResponse, total.hitResponse);
        move(missResponse, total.missResponse);
        move(originResponse, total.originResponse);
    }

    private static void move(Histogram from, Histogram to) {
        if (from.getTotalCount() > 0) {
            to.add(from);
            from.reset();
        }
    }
}
