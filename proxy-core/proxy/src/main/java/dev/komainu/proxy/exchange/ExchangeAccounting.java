package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.intermediary.upstream.UpstreamInfo;
import dev.komainu.proxy.log.AccessLogWriter;
import dev.komainu.proxy.tally.ExchangeLog;
import dev.komainu.proxy.tally.LoopTally;
import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.EpochMicros;
import dev.komainu.telemetry.record.ProxyExchange;
import dev.komainu.telemetry.record.ProxyExchange.CacheOutcome;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * FINISH: a connection's accounts. Counts go to the loop's tally; a few exchanges a second are
 * written down one by one.
 *
 * <p>Hits of one read are timed to the flush that sends them, together.
 */
final class ExchangeAccounting {

    private static final Logger LOG = LoggerFactory.getLogger(ExchangeAccounting.class);
    private static final byte[] NOTHING = new byte[0];
    private static final int BATCH = 64;
    private static final int MAX_TARGET = 256;

    private final LoopContext worker;
    private final InetSocketAddress peer;
    private byte[] client;
    private AccessLogWriter pen;
    private final boolean http2;
    private long @Nullable [] batch;
    private int batched;
    private long received;
    private long sent;
    private long responseNanos;

    ExchangeAccounting(LoopContext worker, InetSocketAddress peer) {
        this(worker, peer, false);
    }

    /** @param http2 what the access log calls these requests */
    ExchangeAccounting(LoopContext worker, InetSocketAddress peer, boolean http2) {
        this.http2 = http2;
        this.worker = worker;
        this.peer = peer;
        this.pen = worker.access;
        this.client = pen.client(peer.getAddress());
    }

    /**
     * The client as lines tell it; made anew for another log, because it may not have been wanted
     * before.
     */
    private byte[] client() {
        if (pen != worker.access) {
            pen = worker.access;
            client = pen.client(peer.getAddress());
        }
        return client;
    }

    void received(int bytes) {
        received += bytes;
        worker.tally.receivedBytes += bytes;
    }

    void sent(int bytes) {
        sent += bytes;
        worker.tally.sentBytes += bytes;
    }

    /** An answer's first byte is being written now. */
    void responding(long startNanos) {
        worker.tally.responses++;
        responseNanos = System.nanoTime() - startNanos;
        Distribution.record(worker.tally.missResponse, responseNanos / 1000);
    }

    /** An answer from memory. */
    void answered(RequestHead head, int status, CacheOutcome outcome, long startNanos) {
        worker.tally.responses++;
        if (batch == null) {
            batch = new long[4];
        } else if (batched == batch.length && batched < BATCH) {
            batch = java.util.Arrays.copyOf(batch, BATCH);
        }
        if (batched < batch.length) {
            batch[batched++] = startNanos;
        }
        responseNanos = -1;
        count(head, status, outcome, null, startNanos);
    }

    void flushed(long nowNanos) {
        if (batched > 0 && batch != null) {
            for (int i = 0; i < batched; i++) {
                Distribution.record(worker.tally.hitResponse, (nowNanos - batch[i]) / 1000);
            }
            batched = 0;
        }
    }

    /** Bytes that a tunnel relayed. */
    void tunnelled(long up, long down) {
        received += up;
        worker.tally.receivedBytes += up;
        sent += down;
        worker.tally.sentBytes += down;
        worker.tally.origin.receivedBytes += down;
    }

    /** @param asked absent when the origin had no part in it */
    void count(
            RequestHead head,
            int status,
            CacheOutcome outcome,
            @Nullable UpstreamInfo asked,
            long startNanos) {
        LoopTally tally = worker.tally;
        switch (outcome) {
            case HIT -> tally.hits++;
            case STALE -> tally.stale++;
            case REVALIDATED -> tally.revalidated++;
            case COLLAPSED -> tally.collapsed++;
            case MISS -> tally.misses++;
            case PASS -> tally.passes++;
            case TUNNEL -> tally.tunnels++;
            case ERROR -> tally.errors++;
        }
        if (outcome == CacheOutcome.HIT
                || outcome == CacheOutcome.STALE
                || outcome == CacheOutcome.REVALIDATED) {
            tally.hitBytes += sent;
        }
        if (worker.access.isOn()) {
            line(head, status, outcome, asked, startNanos);
        }
        ExchangeLog log = worker.services.log();
        if (log.listNext()) {
            list(log, head, status, outcome, asked, startNanos);
        } else {
            tally.exchangesNotListed++;
        }
        received = 0;
        sent = 0;
    }

    private void line(
            RequestHead head,
            int status,
            CacheOutcome outcome,
            @Nullable UpstreamInfo asked,
            long startNanos) {
        worker.access.line(
                client(),
                head,
                status,
                outcome,
                asked,
                sent,
                startNanos,
                http2,
                head.isSecure(),
                head.authorityLength() > 0
                        ? NOTHING
                        : worker.policy.routes().fallbackAuthority(head));
    }

    /** The client left before an answer began. */
    void abandoned(RequestHead head, CacheOutcome outcome, UpstreamInfo asked, long startNanos) {
        worker.tally.abandoned++;
        if (worker.access.isOn()) {
            line(head, 0, outcome, asked, startNanos);
        }
    }

    /** What came was no request. @param status what it was answered with; 0: nothing */
    void malformed(int status) {
        worker.access.fault(client(), status, sent);
        received = 0;
        sent = 0;
    }

    private void list(
            ExchangeLog log,
            RequestHead head,
            int status,
            CacheOutcome outcome,
            @Nullable UpstreamInfo asked,
            long startNanos) {
        long total = System.nanoTime() - startNanos;
        String path = head.pathAndQuery();
        int query = path.indexOf('?');
        String target = head.authority() + (query < 0 ? path : path.substring(0, query));
        log.sink()
                .accept(new ProxyExchange(
                        log.service(),
                        EpochMicros.now(),
                        new Endpoint(peer.getAddress(), peer.getPort()),
                        head.method(),
                        target.length() > MAX_TARGET ? target.substring(0, MAX_TARGET) : target,
                        status,
                        outcome,
                        asked == null ? null : asked.server(),
                        (responseNanos < 0 ? total : responseNanos) / 1000,
                        total / 1000,
                        asked == null || asked.micros() < 0 ? null : asked.micros(),
                        received,
                        sent));
    }

    /**
     * A fault of ours: told once per kind and second at most is left to the log's reader; the
     * connection is closed.
     */
    void unexpected(Throwable cause) {
        unexpected(peer, cause);
    }

    static void unexpected(InetSocketAddress peer, Throwable cause) {
        LOG.error("Exchange with {} ended by a fault of this program", peer, cause);
    }
}
