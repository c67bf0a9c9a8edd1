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
 * FINISH: the accounting of one connection. Counts go to the loop's tally; a few exchanges a second
 * are recorded one by one.
 *
 * <p>Hits of one read are timed together, up to the flush that sends them.
 */
final class ExchangeAccounting {

    private static final Logger LOG = LoggerFactory.getLogger(ExchangeAccounting.class);
    private static final byte[] NOTHING = new byte[0];
    private static final int BATCH = 64;
    private static final int MAX_TARGET = 256;

    private final LoopContext context;
    private final InetSocketAddress peer;
    private byte[] client;
    private AccessLogWriter pen;
    private final boolean http2;
    private long @Nullable [] batch;
    private int batched;
    private long received;
    private long sent;
    private long responseNanos;

    ExchangeAccounting(LoopContext context, InetSocketAddress peer) {
        this(context, peer, false);
    }

    /**
     * Creates the accounting.
     *
     * @param http2 whether the access log reports these requests as HTTP/2
     */
    ExchangeAccounting(LoopContext context, InetSocketAddress peer, boolean http2) {
        this.http2 = http2;
        this.context = context;
        this.peer = peer;
        this.pen = context.access;
        this.client = pen.client(peer.getAddress());
    }

    /**
     * Returns the client's address as log lines contain it. It is made again for another log,
     * because the previous log may not have needed it.
     */
    private byte[] client() {
        if (pen != context.access) {
            pen = context.access;
            client = pen.client(peer.getAddress());
        }
        return client;
    }

    void received(int bytes) {
        received += bytes;
        context.tally.receivedBytes += bytes;
    }

    void sent(int bytes) {
        sent += bytes;
        context.tally.sentBytes += bytes;
    }

    /** Records that a response's first byte is being written. */
    void responding(long startNanos) {
        context.tally.responses++;
        responseNanos = System.nanoTime() - startNanos;
        Distribution.record(context.tally.missResponse, responseNanos / 1000);
    }

    /** Records a response from memory. */
    void recordHit(RequestHead head, int status, CacheOutcome outcome, long startNanos) {
        context.tally.responses++;
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

    /** Reports whether responses from memory wait for their flush, which ends their times. */
    boolean hasUnflushed() {
        return batched > 0;
    }

    void flushed(long nowNanos) {
        if (batched > 0 && batch != null) {
            for (int i = 0; i < batched; i++) {
                Distribution.record(context.tally.hitResponse, (nowNanos - batch[i]) / 1000);
            }
            batched = 0;
        }
    }

    /** Adds the bytes that a tunnel relayed. */
    void tunnelled(long up, long down) {
        received += up;
        context.tally.receivedBytes += up;
        sent += down;
        context.tally.sentBytes += down;
        context.tally.origin.receivedBytes += down;
    }

    /**
     * Counts an exchange that is over.
     *
     * @param upstream null when no upstream was used
     */
    void count(
            RequestHead head,
            int status,
            CacheOutcome outcome,
            @Nullable UpstreamInfo upstream,
            long startNanos) {
        LoopTally tally = context.tally;
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
        if (context.access.isOn()) {
            line(head, status, outcome, upstream, startNanos);
        }
        ExchangeLog log = context.services.log();
        if (log.listNext()) {
            list(log, head, status, outcome, upstream, startNanos);
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
            @Nullable UpstreamInfo upstream,
            long startNanos) {
        context.access.line(
                client(),
                head,
                status,
                outcome,
                upstream,
                sent,
                startNanos,
                http2,
                head.isSecure(),
                head.authorityLength() > 0
                        ? NOTHING
                        : context.policy.routes().fallbackAuthority(head));
    }

    /** Counts an exchange whose client left before a response began. */
    void abandoned(RequestHead head, CacheOutcome outcome, UpstreamInfo upstream, long startNanos) {
        context.tally.abandoned++;
        if (context.access.isOn()) {
            line(head, 0, outcome, upstream, startNanos);
        }
    }

    /**
     * Counts bytes that were not a valid request.
     *
     * @param status the status of the response; 0 when there was none
     */
    void malformed(int status) {
        context.access.fault(client(), status, sent);
        received = 0;
        sent = 0;
    }

    private void list(
            ExchangeLog log,
            RequestHead head,
            int status,
            CacheOutcome outcome,
            @Nullable UpstreamInfo upstream,
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
                        upstream == null ? null : upstream.server(),
                        (responseNanos < 0 ? total : responseNanos) / 1000,
                        total / 1000,
                        upstream == null || upstream.micros() < 0 ? null : upstream.micros(),
                        received,
                        sent));
    }

    /**
     * Logs a fault of this program; the connection is closed. The log is not limited here: its
     * reader counts the faults of one kind.
     */
    void unexpected(Throwable cause) {
        unexpected(peer, cause);
    }

    static void unexpected(InetSocketAddress peer, Throwable cause) {
        LOG.error("Exchange with {} ended by a fault of this program", peer, cause);
    }
}
