package dev.komainu.proxy.exchange;

import dev.komainu.proxy.http.RequestHead;
import dev.komainu.proxy.tally.ExchangeLog;
import dev.komainu.proxy.tally.LoopTally;
import dev.komainu.proxy.upstream.Origin;
import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.ProxyExchange;
import dev.komainu.telemetry.record.ProxyExchange.CacheOutcome;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * FINISH: a connection's accounts. Counts go to the loop's tally; a few exchanges a second are written down one by one.
 *
 * <p>Hits of one read are timed to the flush that sends them, together.
 */
final class Ledger {

    private static final Logger LOG = LoggerFactory.getLogger(Ledger.class);
    private static final int BATCH = 64;
    private static final int MAX_TARGET = 256;

    private final Worker worker;
    private final InetSocketAddress peer;
    private long @Nullable [] batch;
    private int batched;
    private long received;
    private long sent;
    private long responseNanos;
    private long originMicros = -1;

    Ledger(Worker worker, InetSocketAddress peer) {
        this.worker = worker;
        this.peer = peer;
    }

    void received(int bytes) {
        received += bytes;
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

    void flushed() {
        if (batched > 0 && batch != null) {
            long now = System.nanoTime();
            for (int i = 0; i < batched; i++) {
                Distribution.record(worker.tally.hitResponse, (now - batch[i]) / 1000);
            }
            batched = 0;
        }
    }

    /** @param micros request sent to first byte; -1 when this exchange asked nobody itself */
    void originAnswered(long micros) {
        originMicros = micros;
    }

    /** Bytes that a tunnel relayed. */
    void tunnelled(long up, long down) {
        received += up;
        sent += down;
        worker.tally.sentBytes += down;
        worker.tally.receivedFromOriginBytes += down;
    }

    /** The exchange is over. */
    void count(RequestHead head, int status, CacheOutcome outcome, @Nullable Origin origin, long startNanos) {
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
        ExchangeLog log = worker.shared.log();
        if (log.listNext()) {
            list(log, head, status, outcome, origin, startNanos);
        } else {
            tally.exchangesNotListed++;
        }
        received = 0;
        sent = 0;
        originMicros = -1;
    }

    private void list(
            ExchangeLog log,
            RequestHead head,
            int status,
            CacheOutcome outcome,
            @Nullable Origin origin,
            long startNanos) {
        long total = System.nanoTime() - startNanos;
        String path = head.pathAndQuery();
        int query = path.indexOf('?');
        String target = head.authority() + (query < 0 ? path : path.substring(0, query));
        log.sink()
                .accept(new ProxyExchange(
                        log.service(),
                        ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()),
                        new Endpoint(peer.getAddress(), peer.getPort()),
                        head.method(),
                        target.length() > MAX_TARGET ? target.substring(0, MAX_TARGET) : target,
                        status,
                        outcome,
                        origin == null ? null : origin.toString(),
                        (responseNanos < 0 ? total : responseNanos) / 1000,
                        total / 1000,
                        originMicros < 0 ? null : originMicros,
                        received,
                        sent));
    }

    /** A fault of ours: told once per kind and second at most is left to the log's reader; the connection is closed. */
    void unexpected(Throwable cause) {
        LOG.error("Exchange with {} ended by a fault of this program", peer, cause);
    }
}
