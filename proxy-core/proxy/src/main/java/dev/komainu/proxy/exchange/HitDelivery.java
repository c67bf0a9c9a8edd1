package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.message.Field;
import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.proxy.cache.StoredParts;
import dev.komainu.proxy.cache.StoredResponse;
import dev.komainu.telemetry.record.ProxyExchange.CacheOutcome;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * DELIVER for what lies in memory: writes a stored response as the answer to one request. A short
 * body is copied behind its head into one buffer, a longer one is sent as views of the cache's
 * memory. One per connection, reused.
 */
final class HitDelivery {

    /** Fields that a plain copy of the stored response might not satisfy. */
    static final long DEMANDING = Fields.mask(
            Field.CACHE_CONTROL,
            Field.PRAGMA,
            Field.RANGE,
            Field.IF_NONE_MATCH,
            Field.IF_MODIFIED_SINCE,
            Field.IF_MATCH,
            Field.IF_UNMODIFIED_SINCE);

    private static final long INLINE_BODY = 2048;

    private final LoopContext worker;
    private final ClientStream connection;

    HitDelivery(LoopContext worker, ClientStream connection) {
        this.worker = worker;
        this.connection = connection;
    }

    /** @return false, with nothing written, when the object was dropped between look-up and use */
    boolean write(RequestHead head, StoredResponse found, long nowMillis, long startNanos) {
        long age = found.freshness().ageSeconds(nowMillis);
        long left = found.freshness().lifetimeSeconds() - age;
        CacheOutcome outcome = left > 0 ? CacheOutcome.HIT : CacheOutcome.STALE;
        found.hit();
        if (head.fields().hasAny(DEMANDING)) {
            return demanding(head, found, age, left, outcome, startNanos);
        }
        if (!found.retain()) {
            return false;
        }
        worker.access.note(found);
        boolean withBody = !head.methodIs("HEAD");
        worker.tally.pools.hit(found.isProtected(), withBody ? found.bodyLength() : 0);
        if (withBody && found.bodyLength() > INLINE_BODY) {
            plain(head, found, age, left, outcome, startNanos);
            return true;
        }
        ByteBuf out = connection.buffer(
                found.headLength() + 256 + (withBody ? (int) found.bodyLength() : 0));
        boolean keep = connection.keeps(head);
        found.copyHead(out);
        worker.answers.behindHit(out, age, left, keep, head.minorVersion());
        if (withBody) {
            found.copyBody(out);
        }
        found.releaseRetained();
        connection.write(out);
        connection.answered(head, found.status(), outcome, startNanos, keep);
        return true;
    }

    /** @return false, with nothing written, when not all of what is wanted is held any more */
    boolean write(RequestHead head, StoredParts found, ResponseExcerpt excerpt, long startNanos) {
        long now = worker.services.clock().steadyMillis();
        long left = found.freshness().leftSeconds(now);
        boolean keep = connection.keeps(head);
        ByteBuf out = connection.buffer(excerpt.head().length + 256);
        worker.answers.hit(
                out,
                excerpt.head(),
                found.freshness().ageSeconds(now),
                left,
                keep,
                head.minorVersion());
        if (!excerpt.write(connection, out, found)) {
            out.release();
            return false;
        }
        worker.tally.pools.hit(found.isProtected(), excerpt.bytes());
        connection.answered(
                head,
                excerpt.status(),
                left > 0 ? CacheOutcome.HIT : CacheOutcome.STALE,
                startNanos,
                keep);
        return true;
    }

    /** The caller holds what was found. */
    private void plain(
            RequestHead head,
            StoredResponse found,
            long age,
            long left,
            CacheOutcome outcome,
            long startNanos) {
        boolean keep = connection.keeps(head);
        ByteBuf out = connection.buffer(found.headLength() + 256);
        found.copyHead(out);
        found.releaseHead();
        worker.answers.behindHit(out, age, left, keep, head.minorVersion());
        connection.write(out);
        int runs = found.runs();
        for (int i = 0; i < runs; i++) {
            connection.write(found.takeRun(i));
        }
        connection.answered(head, found.status(), outcome, startNanos, keep);
    }

    /** Conditions and ranges, judged against the whole stored object. */
    private boolean demanding(
            RequestHead head,
            StoredResponse found,
            long age,
            long left,
            CacheOutcome outcome,
            long startNanos) {
        if (!found.retain()) {
            return false;
        }
        ResponseExcerpt excerpt = ResponseExcerpt.of(head, found);
        ByteBuf @Nullable [] body = excerpt == null ? null : found.retainBody();
        worker.access.note(found);
        found.releaseRetained();
        if (excerpt == null || body == null) {
            return false;
        }
        worker.tally.pools.hit(found.isProtected(), excerpt.bytes());
        boolean keep = connection.keeps(head);
        ByteBuf out = connection.buffer(excerpt.head().length + 256);
        worker.answers.hit(out, excerpt.head(), age, left, keep, head.minorVersion());
        connection.write(out);
        excerpt.write(connection, body);
        connection.answered(head, excerpt.status(), outcome, startNanos, keep);
        return true;
    }
}
