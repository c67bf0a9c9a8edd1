package dev.komainu.proxy.exchange;

import dev.komainu.proxy.cache.StoredParts;
import dev.komainu.proxy.cache.StoredResponse;
import dev.komainu.proxy.http.Field;
import dev.komainu.proxy.http.Fields;
import dev.komainu.proxy.http.RequestHead;
import dev.komainu.telemetry.record.ProxyExchange.CacheOutcome;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * DELIVER for what lies in memory: writes a stored response as the answer to one request. A short body is copied behind
 * its head into one buffer, a longer one is sent as views of the cache's memory. One per connection, reused.
 */
final class HitAnswer {

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

    private final Worker worker;
    private final ClientStream connection;

    HitAnswer(Worker worker, ClientStream connection) {
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
        if (!head.methodIs("HEAD") && found.bodyLength() > INLINE_BODY) {
            return plain(head, found, age, left, outcome, startNanos);
        }
        boolean withBody = !head.methodIs("HEAD");
        ByteBuf out = connection.buffer(found.head().length + 256 + (withBody ? (int) found.bodyLength() : 0));
        boolean keep = connection.keeps(head);
        worker.answers.hit(out, found.head(), age, left, keep, head.minorVersion());
        if (withBody && !append(found, out)) {
            out.release();
            return false;
        }
        connection.write(out);
        worker.access.note(found.head(), false, false);
        connection.answered(head, found.status(), outcome, startNanos, keep);
        return true;
    }

    /** @return false, with nothing written, when not all of what is wanted is held any more */
    boolean write(RequestHead head, StoredParts found, Excerpt excerpt, long startNanos) {
        long now = worker.shared.clock().steadyMillis();
        long left = found.freshness().leftSeconds(now);
        boolean keep = connection.keeps(head);
        ByteBuf out = connection.buffer(excerpt.head().length + 256);
        worker.answers.hit(out, excerpt.head(), found.freshness().ageSeconds(now), left, keep, head.minorVersion());
        if (!excerpt.write(connection, out, found)) {
            out.release();
            return false;
        }
        connection.answered(head, excerpt.status(), left > 0 ? CacheOutcome.HIT : CacheOutcome.STALE, startNanos, keep);
        return true;
    }

    private static boolean append(StoredResponse found, ByteBuf out) {
        for (int i = 0; i < found.runs(); i++) {
            ByteBuf run = found.retainRun(i);
            if (run == null) {
                return false;
            }
            out.writeBytes(run);
            run.release();
        }
        return true;
    }

    private boolean plain(
            RequestHead head, StoredResponse found, long age, long left, CacheOutcome outcome, long startNanos) {
        ByteBuf first = found.retainRun(0);
        if (first == null) {
            return false;
        }
        ByteBuf @Nullable [] rest = found.runs() > 1 ? found.retainBody() : null;
        if (found.runs() > 1 && rest == null) {
            first.release();
            return false;
        }
        boolean keep = connection.keeps(head);
        ByteBuf out = connection.buffer(found.head().length + 256);
        worker.answers.hit(out, found.head(), age, left, keep, head.minorVersion());
        connection.write(out);
        connection.write(first);
        if (rest != null) {
            rest[0].release();
            for (int i = 1; i < rest.length; i++) {
                connection.write(rest[i]);
            }
        }
        worker.access.note(found.head(), false, false);
        connection.answered(head, found.status(), outcome, startNanos, keep);
        return true;
    }

    /** Conditions and ranges, judged against the whole stored object. */
    private boolean demanding(
            RequestHead head, StoredResponse found, long age, long left, CacheOutcome outcome, long startNanos) {
        Excerpt excerpt = Excerpt.of(head, found);
        ByteBuf @Nullable [] body = found.retainBody();
        if (body == null) {
            return false;
        }
        boolean keep = connection.keeps(head);
        ByteBuf out = connection.buffer(excerpt.head().length + 256);
        worker.answers.hit(out, excerpt.head(), age, left, keep, head.minorVersion());
        connection.write(out);
        excerpt.write(connection, body);
        worker.access.note(found.head(), false, false);
        connection.answered(head, excerpt.status(), outcome, startNanos, keep);
        return true;
    }
}
