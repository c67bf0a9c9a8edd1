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
 * DELIVER for responses in memory: writes a stored response to one request. A short body is copied
 * behind its head into one buffer; a longer one is sent as views of the cache's memory. There is
 * one per connection, and it is reused.
 */
final class HitDelivery {

    /** The fields for which a plain copy of the stored response may be wrong. */
    static final long DEMANDING = Fields.mask(
            Field.CACHE_CONTROL,
            Field.PRAGMA,
            Field.RANGE,
            Field.IF_NONE_MATCH,
            Field.IF_MODIFIED_SINCE,
            Field.IF_MATCH,
            Field.IF_UNMODIFIED_SINCE);

    private static final long INLINE_BODY = 2048;

    private final LoopContext context;
    private final ClientStream connection;

    HitDelivery(LoopContext context, ClientStream connection) {
        this.context = context;
        this.connection = connection;
    }

    /**
     * Writes a stored response.
     *
     * @return false, with nothing written, when the object was dropped between lookup and use
     */
    boolean write(RequestHead head, StoredResponse found, long nowMillis, long startNanos) {
        long age = found.freshness().ageSeconds(nowMillis);
        long left = found.freshness().lifetimeSeconds() - age;
        CacheOutcome outcome = left > 0 ? CacheOutcome.HIT : CacheOutcome.STALE;
        found.hit();
        if (head.fields().hasAny(DEMANDING)) {
            return writeExcerpt(head, found, age, left, outcome, startNanos);
        }
        if (!found.retain()) {
            return false;
        }
        context.access.note(found);
        boolean withBody = !head.methodIs("HEAD");
        context.tally.pools.hit(found.isProtected(), withBody ? found.bodyLength() : 0);
        if (withBody && found.bodyLength() > INLINE_BODY) {
            writeViews(head, found, age, left, outcome, startNanos);
            return true;
        }
        ByteBuf out = connection.buffer(
                found.headLength() + 256 + (withBody ? (int) found.bodyLength() : 0));
        boolean keep = connection.keepsAlive(head);
        found.copyHead(out);
        context.headWriter.behindHit(out, age, left, keep, head.minorVersion());
        if (withBody) {
            found.copyBody(out);
        }
        found.releaseRetained();
        connection.write(out);
        connection.finishHit(head, found.status(), outcome, startNanos, keep);
        return true;
    }

    /**
     * Writes an excerpt of stored parts.
     *
     * @return false, with nothing written, when a needed part was dropped
     */
    boolean write(RequestHead head, StoredParts found, ResponseExcerpt excerpt, long startNanos) {
        long now = context.services.clock().steadyMillis();
        long left = found.freshness().leftSeconds(now);
        boolean keep = connection.keepsAlive(head);
        ByteBuf out = connection.buffer(excerpt.head().length + 256);
        context.headWriter.hit(
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
        context.tally.pools.hit(found.isProtected(), excerpt.bytes());
        connection.finishHit(
                head,
                excerpt.status(),
                left > 0 ? CacheOutcome.HIT : CacheOutcome.STALE,
                startNanos,
                keep);
        return true;
    }

    /** Writes a long body as views. The caller retains the response. */
    private void writeViews(
            RequestHead head,
            StoredResponse found,
            long age,
            long left,
            CacheOutcome outcome,
            long startNanos) {
        boolean keep = connection.keepsAlive(head);
        ByteBuf out = connection.buffer(found.headLength() + 256);
        found.copyHead(out);
        found.releaseHead();
        context.headWriter.behindHit(out, age, left, keep, head.minorVersion());
        connection.write(out);
        int runs = found.runs();
        for (int i = 0; i < runs; i++) {
            connection.write(found.takeRun(i));
        }
        connection.finishHit(head, found.status(), outcome, startNanos, keep);
    }

    /**
     * Responds to a request with conditions or ranges, evaluated against the whole stored object.
     */
    private boolean writeExcerpt(
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
        context.access.note(found);
        found.releaseRetained();
        if (excerpt == null || body == null) {
            return false;
        }
        context.tally.pools.hit(found.isProtected(), excerpt.bytes());
        boolean keep = connection.keepsAlive(head);
        ByteBuf out = connection.buffer(excerpt.head().length + 256);
        context.headWriter.hit(out, excerpt.head(), age, left, keep, head.minorVersion());
        connection.write(out);
        excerpt.write(connection, body);
        connection.finishHit(head, excerpt.status(), outcome, startNanos, keep);
        return true;
    }
}
