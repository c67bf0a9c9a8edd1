package dev.komainu.proxy.tally;

import dev.komainu.intermediary.upstream.OriginCounts;
import dev.komainu.telemetry.record.Distribution;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;

/**
 * One event loop's counters, cumulative since start, and its histograms since the last
 * {@link #addTo}.
 *
 * <p>They balance: {@code requests = hits + stale + revalidated + collapsed + misses + passes +
 * tunnels + errors + abandoned + inFlight}. Only the owning loop touches this object.
 */
public final class LoopTally {

    /** Complete heads, refused ones included. */
    public long requests;
    /** Responses started. */
    public long responses;

    public long hits;
    /** Of the hits and stale responses, those that were read from the disk for their request. */
    public long diskHits;

    public long stale;
    public long revalidated;
    public long collapsed;
    public long misses;
    public long passes;
    public long tunnels;
    /**
     * Of the tunnels over HTTP/2, those cut off because the target reset its connection, or
     * accepted no more bytes.
     */
    public long tunnelsReset;
    /**
     * Of the tunnels over HTTP/2, those cut off because the client reset its stream, or its
     * connection ended.
     */
    public long tunnelsLeft;
    /**
     * Of the tunnels over HTTP/2, those cut off by a fault of this program, or for lack of memory.
     */
    public long tunnelsFailed;
    /** Responses of the proxy itself with 4xx or 5xx. */
    public long errors;
    /** Clients that left before a response began. */
    public long abandoned;

    public final OriginCounts origin = new OriginCounts();

    /** Of the requests, those of members of the cluster. */
    public long memberRequests;
    /**
     * Objects that their owner in the cluster had stored. With the misses and the failures of
     * owners, these are all requests to owners.
     */
    public long peerHits;
    /** Objects that their owner had to fetch. */
    public long peerMisses;
    /** Of both, those that were stored here, too. */
    public long peerCopies;
    /** Requests to the origin because the owner could not be reached. */
    public long ownersUnreached;
    /** Requests to the origin because the owner did not respond in time. */
    public long ownersSilent;
    /** Requests to the origin because the owner refused. */
    public long ownersRefused;
    /** Bytes written to clients' sockets. */
    public long sentBytes;

    /** Bytes of requests, heads and bodies. */
    public long receivedBytes;
    /** Of the bytes sent, those of hits, stale and revalidated responses. */
    public long hitBytes;

    /** Exchanges counted here but not listed one by one. */
    public long exchangesNotListed;
    /** Heads refused as malformed; among the errors. */
    public long malformed;
    /** Connections closed because a head did not arrive in time. */
    public long headTimeouts;
    /**
     * TLS handshakes with clients that succeeded; with the failures and timeouts, all that ended.
     */
    public long handshakes;
    /**
     * TLS handshakes that failed: no common version or suite, no TLS at all, or the client left.
     */
    public long handshakeFailures;
    /** Of the handshakes, those of TLS 1.3; the others are of 1.2. */
    public long handshakes13;
    /** Of the handshakes of TLS 1.3, those that resumed a session. */
    public long resumed13;
    /** Of the handshakes of TLS 1.2, those that resumed a session. */
    public long resumed12;
    /** Of the failures: the bytes were not TLS. */
    public long handshakesNotTls;
    /** Of the failures: the client left before the end. */
    public long handshakesLeft;
    /** Of the failures: no common version. */
    public long handshakesVersion;
    /** Of the failures: no common suite. */
    public long handshakesSuite;
    /** Of the failures: refused by the client. */
    public long handshakesAlert;
    /** TLS handshakes cut off because they took too long. */
    public long handshakeTimeouts;
    /** Uploads cut off because too few of their bytes arrived. */
    public long slowBodies;
    /** Connections reset because their client accepted no byte of a response in time. */
    public long stalledWrites;
    /** HTTP/2 connections closed because of too many frames without a use. */
    public long floods;

    /** Lines passed to the access log. With the lost lines below, these are all lines. */
    public long logLines;
    /** Lines lost because the access log's thread was behind. */
    public long logOverflows;
    /** Lines lost because the access log's file could not be written to. */
    public long logLostToDisk;

    /** Client connections that are open now. */
    public long clientConnections;
    /** Exchanges in progress now. */
    public long inFlight;

    /**
     * Lookups by clients that sweep: they request every object once, as crawlers and backups do.
     */
    public long sweepLookUps;
    /** Clients that sweep now; a client with connections on several loops counts on each. */
    public long sweepingClients;

    /** Lookups by pool. */
    public final PoolTally pools = new PoolTally();

    public final Histogram hitResponse;
    public final Histogram missResponse;
    public final Histogram originResponse;

    public LoopTally() {
        this(Distribution::newRecorder);
    }

    private LoopTally(Supplier<Histogram> recorders) {
        hitResponse = recorders.get();
        missResponse = recorders.get();
        originResponse = recorders.get();
    }

    /**
     * Returns a copy of the counters for keeping. It has no room for durations: three recorders
     * take 77 KB.
     */
    public LoopTally counters() {
        LoopTally copy = new LoopTally(() -> new Histogram(1, 2, 0));
        addCountersTo(copy);
        return copy;
    }

    /** Adds the counters to {@code total} and moves the histograms there. On the owning loop. */
    public void addTo(LoopTally total) {
        addCountersTo(total);
        addDurationsTo(total);
    }

    private void addCountersTo(LoopTally total) {
        total.requests += requests;
        total.responses += responses;
        total.hits += hits;
        total.diskHits += diskHits;
        total.stale += stale;
        total.revalidated += revalidated;
        total.collapsed += collapsed;
        total.misses += misses;
        total.passes += passes;
        total.tunnels += tunnels;
        total.tunnelsReset += tunnelsReset;
        total.tunnelsLeft += tunnelsLeft;
        total.tunnelsFailed += tunnelsFailed;
        total.errors += errors;
        total.abandoned += abandoned;
        origin.addTo(total.origin);
        total.memberRequests += memberRequests;
        total.peerHits += peerHits;
        total.peerMisses += peerMisses;
        total.peerCopies += peerCopies;
        total.ownersUnreached += ownersUnreached;
        total.ownersSilent += ownersSilent;
        total.ownersRefused += ownersRefused;
        total.sentBytes += sentBytes;
        total.receivedBytes += receivedBytes;
        total.hitBytes += hitBytes;
        total.exchangesNotListed += exchangesNotListed;
        total.malformed += malformed;
        total.headTimeouts += headTimeouts;
        total.handshakes += handshakes;
        total.handshakeFailures += handshakeFailures;
        total.handshakeTimeouts += handshakeTimeouts;
        total.handshakes13 += handshakes13;
        total.resumed13 += resumed13;
        total.resumed12 += resumed12;
        total.handshakesNotTls += handshakesNotTls;
        total.handshakesLeft += handshakesLeft;
        total.handshakesVersion += handshakesVersion;
        total.handshakesSuite += handshakesSuite;
        total.handshakesAlert += handshakesAlert;
        total.slowBodies += slowBodies;
        total.stalledWrites += stalledWrites;
        total.floods += floods;
        total.logLines += logLines;
        total.logOverflows += logOverflows;
        total.logLostToDisk += logLostToDisk;
        total.clientConnections += clientConnections;
        total.inFlight += inFlight;
        total.sweepLookUps += sweepLookUps;
        total.sweepingClients += sweepingClients;
        pools.addTo(total.pools);
    }

    /** Moves the histograms only. */
    public void addDurationsTo(LoopTally total) {
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
