package dev.komainu.proxy.exchange;

import dev.komainu.proxy.cache.Conditions;
import dev.komainu.proxy.cache.StoredResponse;
import dev.komainu.proxy.deliver.AnswerWriter;
import dev.komainu.proxy.fetch.EndToEnd;
import dev.komainu.proxy.fetch.Fetch;
import dev.komainu.proxy.fetch.FetchLeader;
import dev.komainu.proxy.fetch.FetchPlan;
import dev.komainu.proxy.fetch.Fill;
import dev.komainu.proxy.http.Ascii;
import dev.komainu.proxy.http.CacheDirectives;
import dev.komainu.proxy.http.Field;
import dev.komainu.proxy.http.Fields;
import dev.komainu.proxy.http.RequestHead;
import dev.komainu.proxy.http.ResponseHead;
import dev.komainu.proxy.upstream.OriginFailure;
import dev.komainu.telemetry.record.ProxyExchange.CacheOutcome;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * DELIVER for everything that did not lie in memory: carries one answer from a fetch to its client, no faster than the
 * client takes it. One for each such exchange, so that a late word from a fetch can never reach the next one.
 *
 * <p>What a slow client holds back: of a fill, nothing (its bytes lie in the cache's memory); of a pass, one read of the
 * origin's socket, because the origin is then paused.
 */
final class Delivery implements FetchLeader, Fetch.OverflowTaker {

    private final Worker worker;
    private final ClientStream connection;
    private final FetchPlan plan;
    private final RequestHead head;
    private final long startNanos;
    private final BodyWriter body;
    private final Deque<ByteBuf> held = new ArrayDeque<>(0);
    private @Nullable Fetch fetch;
    private @Nullable Fill fill;
    private boolean leads;
    private boolean over;
    private boolean overflowed;
    private boolean passEnded;
    private boolean keep;
    private boolean withBody = true;
    private long position;
    private int status;
    private CacheOutcome outcome = CacheOutcome.MISS;

    Delivery(Worker worker, ClientStream connection, FetchPlan plan, long startNanos) {
        this.worker = worker;
        this.connection = connection;
        this.plan = plan;
        this.head = plan.head();
        this.startNanos = startNanos;
        this.body = new BodyWriter(connection);
    }

    void fetch(boolean solo) {
        connection.delivering(this, head);
        worker.tally.inFlight++;
        Fetch mine = new Fetch(worker.fetching, plan);
        fetch = mine;
        leads = true;
        if (solo) {
            mine.start(this);
        } else if (worker.shared.inFlight().join(plan.key(), this)) {
            follow();
        } else if (!worker.shared.inFlight().leadOrJoin(mine, this)) {
            follow();
        }
    }

    private void follow() {
        leads = false;
        fetch = null;
        outcome = CacheOutcome.COLLAPSED;
    }

    /** Whether a part of the answer is written. */
    boolean hasBegun() {
        return status != 0;
    }

    /** The client is gone. */
    void abandon() {
        if (over) {
            return;
        }
        boolean unanswered = status == 0;
        end();
        if (unanswered) {
            worker.tally.abandoned++;
        } else {
            count();
        }
        if (leads && fetch != null) {
            fetch.leaderLeft();
        }
    }

    private void end() {
        over = true;
        worker.tally.inFlight--;
        if (fill != null) {
            fill.release();
            fill = null;
        }
        held.forEach(ByteBuf::release);
        held.clear();
    }

    private void count() {
        connection.count(head, status, outcome, plan.origin(), startNanos, fetch == null ? -1 : fetch.originMicros());
    }

    private void finish() {
        end();
        count();
        connection.delivered(keep);
    }

    private void broken() {
        end();
        count();
        connection.breakOff();
    }

    /** Body bytes of the request; see {@link Fetch#upload}. Takes over the buffer. */
    boolean upload(ByteBuf part, boolean last) {
        if (fetch == null) {
            part.release();
            return true;
        }
        return fetch.upload(part, last);
    }

    @Override
    public EventLoop loop() {
        return worker.loop;
    }

    @Override
    public Fields requestFields() {
        return head.fields();
    }

    @Override
    public void uploadReady() {
        if (!over) {
            connection.uploadReady();
        }
    }

    @Override
    public void informational(ResponseHead interim) {
        // RFC 9110 section 15.2: never to an HTTP/1.0 client; section 10.1.1: 100 only to who waits for it.
        if (over || status != 0 || head.minorVersion() == 0 || interim.status() == 100 && !head.expectsContinue()) {
            return;
        }
        connection.write(Unpooled.wrappedBuffer(EndToEnd.interim(interim)));
        connection.flushLater();
    }

    @Override
    public void filling(Fill from) {
        if (over) {
            from.release();
            return;
        }
        fill = from;
        status = from.status();
        boolean unknown = from.length() < 0;
        byte[] bytes = leads ? from.leaderHead() : from.head();
        if (Conditions.notModified(
                head.fields(),
                status,
                from.etag(),
                from.lastModified(),
                from.freshness().datedMillis())) {
            status = 304;
            bytes = AnswerWriter.derived(bytes, 304, null, 0);
            withBody = false;
        }
        begin(
                bytes,
                unknown && withBody,
                from.freshness().initialAgeSeconds() > 0
                        ? from.freshness().ageSeconds(worker.shared.clock().steadyMillis())
                        : -1,
                (plan.known() == null ? "fwd=miss" : "fwd=stale") + (leads ? "; stored" : "; stored; collapsed"));
        if (!withBody) {
            finish();
            return;
        }
        pump();
    }

    private void begin(byte[] bytes, boolean unknownLength, long age, String cacheStatus) {
        boolean chunked = body.begin(unknownLength && connection.wantsChunks(head));
        keep = connection.keeps(head) && !(unknownLength && !connection.endsBodies(head));
        ByteBuf out = connection.buffer(bytes.length + 320);
        worker.answers.fetched(out, bytes, age, cacheStatus, chunked, keep, head.minorVersion());
        connection.responding(startNanos);
        connection.write(out);
        connection.flushLater();
    }

    @Override
    public void grown() {
        pump();
    }

    /** Moves what is there to the client while it takes it. */
    void pump() {
        if (over) {
            return;
        }
        Fill from = fill;
        if (from != null) {
            Fill.State state = from.state();
            while (connection.isWritable()) {
                ByteBuf view = from.view(position);
                if (view == null) {
                    break;
                }
                position += view.readableBytes();
                body.part(view);
            }
            if (position < from.filled()) {
                return;
            }
            if (overflowed) {
                fill = null;
                from.release();
            } else if (state == Fill.State.COMPLETE) {
                last();
                return;
            } else if (state == Fill.State.BROKEN) {
                broken();
                return;
            } else {
                return;
            }
        }
        while (connection.isWritable() && !held.isEmpty()) {
            body.part(held.poll());
        }
        if (held.isEmpty()) {
            if (passEnded) {
                last();
            } else if (fetch != null && connection.isWritable()) {
                fetch.resume();
            }
        }
    }

    private void last() {
        body.last();
        finish();
    }

    @Override
    public void stored(StoredResponse response, boolean validated) {
        if (validated) {
            outcome = CacheOutcome.REVALIDATED;
        }
        whole(response, validated ? "fwd=stale; fwd-status=304" : "fwd=miss; collapsed");
    }

    @Override
    public void stale(StoredResponse response, int originStatus) {
        if (!leads && CacheDirectives.parse(head.fields().joined(Field.CACHE_CONTROL)).noCache) {
            // Another's stale answer is not what this client asked for: it shall hear the error itself.
            released();
            return;
        }
        outcome = CacheOutcome.STALE;
        whole(
                response,
                originStatus == 0
                        ? "fwd=stale; detail=unreachable"
                        : "fwd=stale; fwd-status=" + originStatus + "; detail=stale-if-error");
    }

    private void whole(StoredResponse response, String cacheStatus) {
        if (over) {
            return;
        }
        ByteBuf @Nullable [] runs = response.retainBody();
        if (runs == null) {
            released();
            return;
        }
        Excerpt excerpt = Excerpt.of(head, response);
        status = excerpt.status();
        long now = worker.shared.clock().steadyMillis();
        begin(excerpt.head(), false, response.freshness().ageSeconds(now), cacheStatus);
        excerpt.write(connection, runs);
        finish();
    }

    @Override
    public void released() {
        if (over) {
            return;
        }
        end();
        connection.lookAgain(head, startNanos);
    }

    @Override
    public void failed(OriginFailure failure) {
        if (over) {
            return;
        }
        end();
        connection.failed(head, failure, startNanos, plan.origin());
    }

    @Override
    public void passHead(ResponseHead answer) {
        if (over) {
            return;
        }
        status = answer.status();
        outcome = CacheOutcome.PASS;
        if (!plan.storable()) {
            Invalidation.after(worker.shared, plan, answer);
        }
        boolean isHead = head.methodIs("HEAD");
        withBody = answer.hasBody(isHead);
        boolean unknown = withBody && answer.contentLength() < 0;
        boolean announced = answer.contentLength() >= 0 && status != 204;
        byte[] bytes = EndToEnd.head(
                answer,
                announced ? answer.contentLength() : -1,
                worker.shared.clock().wallMillis());
        String age = answer.fields().first(Field.AGE);
        long seconds = age == null ? -1 : Ascii.decimal(Ascii.bytes(age), 0, age.length());
        begin(bytes, unknown, seconds, passReason());
    }

    /** RFC 9211 section 2.2. */
    private String passReason() {
        if (plan.storable()) {
            return plan.known() == null ? "fwd=miss" : "fwd=stale";
        }
        return head.methodIs("GET") ? "fwd=request" : head.methodIs("HEAD") ? "fwd=miss" : "fwd=method";
    }

    @Override
    public boolean passBody(ByteBuf slice) {
        if (over) {
            return true;
        }
        if (fill != null || !held.isEmpty() || !connection.isWritable()) {
            held.add(slice.retainedSlice());
            pump();
            return over || fill == null && held.isEmpty() && connection.isWritable();
        }
        body.part(slice.retainedSlice());
        return connection.isWritable();
    }

    @Override
    public void passEnd() {
        if (!over) {
            passEnded = true;
            if (fill == null && held.isEmpty()) {
                last();
            } else {
                pump();
            }
        }
    }

    @Override
    public void passBroken() {
        if (!over) {
            broken();
        }
    }

    @Override
    public void overflow() {
        overflowed = true;
    }
}
