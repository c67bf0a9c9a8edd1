package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.buffer.UpstreamReads;
import dev.komainu.intermediary.caching.ByteRange;
import dev.komainu.intermediary.message.Ascii;
import dev.komainu.intermediary.message.CacheDirectives;
import dev.komainu.intermediary.message.EndToEndFields;
import dev.komainu.intermediary.message.Field;
import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.message.HeadBuffer;
import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.intermediary.message.ResponseHead;
import dev.komainu.intermediary.upstream.OriginFailure;
import dev.komainu.intermediary.upstream.UpstreamInfo;
import dev.komainu.proxy.cache.StoredResponse;
import dev.komainu.proxy.deliver.ReadAhead;
import dev.komainu.proxy.fetch.CacheFill;
import dev.komainu.proxy.fetch.Fetch;
import dev.komainu.proxy.fetch.FetchLeader;
import dev.komainu.proxy.fetch.FetchPlan;
import dev.komainu.proxy.fetch.TrailerFields;
import dev.komainu.telemetry.record.ProxyExchange.CacheOutcome;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import org.jspecify.annotations.Nullable;

/**
 * DELIVER for everything that did not lie in memory: carries one answer from a fetch to its client,
 * no faster than the client takes it. One for each such exchange, so that a late word from a fetch
 * can never reach the next one.
 *
 * <p>What a slow client holds back: of a fill ({@link FillReader}), nothing, because its bytes lie
 * in the cache's memory; of an answer that is not stored, what a {@link PassThroughBody} holds.
 */
final class FetchDelivery implements FetchedResponse, FetchLeader, Fetch.OverflowTaker {

    private final LoopContext worker;
    private final ClientStream connection;
    private final FetchPlan plan;
    private final RequestHead head;
    private final long startNanos;
    private final BodyWriter body;
    private final PassThroughBody passage;
    private final String reason;
    private @Nullable Fetch fetch;
    private @Nullable FillReader arrival;
    private boolean leads;
    private volatile boolean over;
    private boolean overflowed;
    /** How far this answer is read ahead of its client, each way; 0: it is not passed on. */
    private int ahead;

    private boolean heldUp;
    private boolean keep;
    private byte @Nullable [] trailers;
    private boolean withBody = true;
    private int status;
    private byte @Nullable [] answerHead;
    private CacheOutcome outcome = CacheOutcome.MISS;

    FetchDelivery(LoopContext worker, ClientStream connection, FetchPlan plan, long startNanos) {
        this.worker = worker;
        this.connection = connection;
        this.plan = plan;
        this.head = plan.head();
        this.startNanos = startNanos;
        this.body = new BodyWriter(connection);
        this.passage = new PassThroughBody(connection, body);
        this.reason = ForwardReason.of(plan, worker.services.clock().steadyMillis());
    }

    /** How an exchange comes by its answer. */
    enum Way {
        /** By a fetch that others may join, or by theirs. */
        SHARED,
        /** By a fetch under way that brings what is wanted, else by one of its own. */
        JOINING,
        /** By a fetch of its own. */
        ALONE
    }

    void fetch(Way way) {
        connection.delivering(this, head);
        worker.tally.inFlight++;
        Fetch mine = new Fetch(worker.fetching, worker.services.inFlight(), plan);
        if (way == Way.ALONE) {
            mine.pastDisk();
        }
        fetch = mine;
        leads = true;
        if (way != Way.ALONE && worker.services.inFlight().join(plan.key(), this)) {
            follow();
        } else if (way != Way.SHARED) {
            mine.start(this);
        } else if (!worker.services.inFlight().leadOrJoin(mine, this)) {
            follow();
        }
    }

    private void follow() {
        leads = false;
        fetch = null;
        outcome = CacheOutcome.COLLAPSED;
    }

    @Override
    public UpstreamReads feed() {
        return fetch == null ? UpstreamReads.NONE : fetch;
    }

    @Override
    public boolean hasBegun() {
        return status != 0;
    }

    @Override
    public void abandon() {
        if (over) {
            return;
        }
        boolean unanswered = status == 0;
        end();
        if (unanswered) {
            worker.access.note(null, plan.known() != null, true);
            connection.abandoned(head, outcome, asked(), startNanos);
        } else {
            count(true);
        }
        if (leads && fetch != null) {
            fetch.leaderLeft();
        }
    }

    private void end() {
        over = true;
        worker.tally.inFlight--;
        if (arrival != null) {
            arrival.release();
            arrival = null;
        }
        passage.release();
        if (ahead > 0) {
            goesOn();
            worker.services.readAhead().giveBack(ahead);
            if (ahead < ReadAhead.MOST_BYTES) {
                connection.ahead(ReadAhead.MOST_BYTES);
            }
            ahead = 0;
        }
    }

    /**
     * From here on bytes are passed on that lie nowhere else: a slow client must not make this
     * proxy hold many of them.
     */
    private void passes() {
        ahead = worker.services.readAhead().take();
        if (ahead < ReadAhead.MOST_BYTES) {
            bound();
        }
    }

    /** The client has taken all; there may be more to be had than when the answer began. */
    private void readFurther() {
        if (ahead > 0 && ahead < ReadAhead.MOST_BYTES) {
            int more = worker.services.readAhead().takeAgain(ahead);
            if (more != ahead) {
                ahead = more;
                bound();
            }
        }
    }

    private void bound() {
        connection.ahead(ahead);
        if (fetch != null) {
            fetch.readAtMost(ahead);
        }
    }

    private void heldUp() {
        if (!heldUp) {
            heldUp = true;
            worker.services.readAhead().heldUp();
        }
    }

    private void goesOn() {
        if (heldUp) {
            heldUp = false;
            worker.services.readAhead().goesOn();
        }
    }

    private void count(boolean incomplete) {
        worker.access.note(answerHead, plan.known() != null, incomplete);
        connection.count(head, status, outcome, asked(), startNanos);
    }

    private UpstreamInfo asked() {
        return fetch == null ? UpstreamInfo.none(plan.origin()) : fetch.asked();
    }

    private void finish() {
        end();
        count(false);
        connection.delivered(keep);
    }

    private void broken() {
        end();
        count(true);
        connection.breakOff();
    }

    @Override
    public boolean upload(ByteBuf part, boolean last, @Nullable Fields behind) {
        if (fetch == null) {
            part.release();
            return true;
        }
        return fetch.upload(part, last, behind);
    }

    @Override
    public EventLoop loop() {
        return worker.loop;
    }

    @Override
    public RequestHead request() {
        return head;
    }

    @Override
    public boolean isOver() {
        return over;
    }

    @Override
    public void uploadReady() {
        if (!over) {
            connection.uploadReady();
        }
    }

    @Override
    public void informational(ResponseHead interim) {
        // RFC 9110 section 15.2: never to an HTTP/1.0 client; section 10.1.1: 100 only to who waits
        // for it.
        if (over
                || status != 0
                || head.minorVersion() == 0
                || interim.status() == 100 && !awaitsContinue()) {
            return;
        }
        connection.write(Unpooled.wrappedBuffer(EndToEndFields.interim(interim)));
        connection.flushLater();
    }

    private boolean awaitsContinue() {
        return head.expectsContinue() && head.hasBody();
    }

    @Override
    public void filling(CacheFill from) {
        if (over) {
            from.release();
            return;
        }
        // Conditions and ranges are judged now that the head is here (RFC 9110 section 13.2.2).
        ByteRange part = from.part();
        ResponseExcerpt excerpt = part != null
                ? ResponseExcerpt.part(from, part)
                : !head.methodIs("POST")
                        ? ResponseExcerpt.of(head, from, leads ? from.leaderHead() : from.head())
                        : ResponseExcerpt.all(from);
        status = excerpt.status();
        withBody = !excerpt.pieces().isEmpty();
        arrival = new FillReader(from, excerpt);
        begin(
                excerpt.head(),
                from.bodyLength() < 0 && withBody,
                from.freshness().initialAgeSeconds() > 0
                        ? from.freshness().ageSeconds(worker.services.clock().steadyMillis())
                        : -1,
                stored(from));
        if (withBody) {
            pump();
        } else {
            finish();
        }
    }

    /** RFC 9211 sections 2.2 to 2.6. */
    private String stored(CacheFill from) {
        if (leads && from.fetchedStatus() == status && reason.equals("fwd=miss")) {
            return "fwd=miss; stored";
        }
        return reason
                + (from.fetchedStatus() == status ? "" : "; fwd-status=" + from.fetchedStatus())
                + (leads ? "; stored" : "; stored; collapsed");
    }

    private void begin(byte[] bytes, boolean unknownLength, long age, String cacheStatus) {
        answerHead = bytes;
        boolean chunked = body.begin(unknownLength && connection.wantsChunks(head));
        keep = connection.keeps(head) && !(unknownLength && !connection.endsBodies(head));
        ByteBuf out = connection.buffer(bytes.length + 320);
        worker.answers.fetched(
                out,
                bytes,
                age,
                cacheStatus + owner(cacheStatus),
                chunked,
                keep,
                head.minorVersion());
        connection.responding(startNanos);
        connection.write(out);
        connection.flushLater();
    }

    /** Which member was asked before the origin, and what it had (RFC 9211 section 2.8). */
    private String owner(String cacheStatus) {
        String said = fetch == null || cacheStatus.contains("detail=") ? null : fetch.ownerSaid();
        return said == null ? "" : "; detail=\"" + said + "\"";
    }

    @Override
    public void grown() {
        pump();
    }

    @Override
    public void pump() {
        if (over) {
            return;
        }
        FillReader from = arrival;
        if (from != null) {
            switch (from.move(connection, body)) {
                case WAITING -> {
                    return;
                }
                case BROKEN -> {
                    broken();
                    return;
                }
                case READ -> {
                    if (!overflowed) {
                        last();
                        return;
                    }
                    arrival = null;
                    from.release();
                }
            }
        }
        if (passage.move()) {
            if (passage.hasEnded()) {
                last();
            } else if (fetch != null && connection.isWritable()) {
                goesOn();
                readFurther();
                fetch.resume();
            }
        }
    }

    @Override
    public void answered(ResponseHead answer) {
        Invalidation.after(worker.services.purger(), plan, answer);
    }

    @Override
    public void trailers(Fields fields) {
        if (!over && connection.takesTrailers(head)) {
            trailers = TrailerFields.ofAnswer(fields);
        }
    }

    private void last() {
        body.last(trailers);
        finish();
    }

    @Override
    public void stored(StoredResponse response, boolean validated) {
        if (validated) {
            outcome = CacheOutcome.REVALIDATED;
        }
        whole(
                response,
                reason + (validated ? "; fwd-status=304" : "") + (leads ? "" : "; collapsed"));
    }

    @Override
    public void stale(StoredResponse response, int originStatus) {
        if (!leads && CacheDirectives.parse(head.fields().joined(Field.CACHE_CONTROL)).noCache) {
            // Another's stale answer is not what this client asked for: it shall hear the error
            // itself.
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
        ResponseExcerpt excerpt = ResponseExcerpt.of(head, response);
        if (excerpt == null) {
            for (ByteBuf run : runs) {
                run.release();
            }
            released();
            return;
        }
        status = excerpt.status();
        long now = worker.services.clock().steadyMillis();
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
    public void restored(StoredResponse response) {
        if (!over) {
            end();
            connection.lookAgain(head, startNanos, response);
        }
        response.letGo();
    }

    @Override
    public void failed(OriginFailure failure) {
        if (over) {
            return;
        }
        end();
        worker.access.note(null, plan.known() != null, false);
        connection.failed(head, failure, startNanos, asked());
    }

    @Override
    public void passHead(ResponseHead answer) {
        if (over) {
            return;
        }
        status = answer.status();
        // What could be kept and is not, because its owner keeps it, was missed here all the same.
        outcome = fetch != null && fetch.isUnkept() ? CacheOutcome.MISS : CacheOutcome.PASS;
        boolean isHead = head.methodIs("HEAD");
        withBody = answer.hasBody(isHead);
        boolean unknown = withBody && answer.contentLength() < 0;
        boolean announced = answer.contentLength() >= 0 && status != 204;
        byte[] bytes = EndToEndFields.head(
                answer,
                announced ? answer.contentLength() : -1,
                worker.services.clock().wallMillis(),
                worker.services.cache().settings().stripped());
        if (unknown && connection.takesTrailers(head)) {
            HeadBuffer more = new HeadBuffer(bytes.length + 64).add(bytes);
            TrailerFields.announce(more, answer.fields());
            bytes = more.toArray();
        }
        String age = answer.fields().first(Field.AGE);
        long seconds = age == null ? -1 : Ascii.decimal(Ascii.bytes(age), 0, age.length());
        begin(bytes, unknown, seconds, reason);
        passes();
    }

    @Override
    public boolean passBody(ByteBuf slice) {
        if (over) {
            return true;
        }
        if (arrival != null || !passage.isOpen()) {
            passage.hold(slice);
            pump();
        } else {
            passage.write(slice);
        }
        boolean more = over || arrival == null && passage.isOpen();
        if (!more) {
            heldUp();
        }
        return more;
    }

    @Override
    public void passEnd() {
        if (!over) {
            passage.end();
            pump();
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
        if (!over) {
            passes();
        }
        if (arrival != null) {
            arrival.cutShort();
        }
    }
}
