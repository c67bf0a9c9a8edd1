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
 * DELIVER for every response that is not in memory: carries one response from a fetch to its
 * client, no faster than the client accepts it. There is one per exchange, so that a late
 * notification from a fetch cannot reach the next exchange.
 *
 * <p>A slow client keeps nothing of a fill ({@link FillReader}), because its bytes are in the
 * cache's memory. Of a response that is not stored, it keeps the content of a
 * {@link PassThroughBody}.
 */
final class FetchDelivery implements FetchedResponse, FetchLeader, Fetch.OverflowListener {

    /** Phases of a delivery, by the source of the next bytes. */
    private enum Phase {
        AWAITING_HEAD,
        /** The fill. */
        FILLED,
        /** The rest of a fill that became too long; then the bytes as they arrive. */
        OVERFLOWED,
        /** The bytes as they arrive. */
        PASSED,
        OVER
    }

    private final LoopContext context;
    private final ClientStream connection;
    private final FetchPlan plan;
    private final RequestHead head;
    private final long startNanos;
    private final BodyWriter body;
    private final PassThroughBody passThrough;
    private final String forwardReason;
    private @Nullable Fetch fetch;
    private @Nullable FillReader reader;
    private boolean leads;
    private volatile Phase phase = Phase.AWAITING_HEAD;
    /**
     * The bytes that this response may be read ahead of its client, each way; 0 unless it is passed
     * on.
     */
    private int readAheadBytes;

    private boolean isHeldUp;
    private boolean keep;
    private byte @Nullable [] trailers;
    private int status;
    private byte @Nullable [] responseHead;
    private CacheOutcome outcome = CacheOutcome.MISS;

    FetchDelivery(LoopContext context, ClientStream connection, FetchPlan plan, long startNanos) {
        this.context = context;
        this.connection = connection;
        this.plan = plan;
        this.head = plan.head();
        this.startNanos = startNanos;
        this.body = new BodyWriter(connection);
        this.passThrough = new PassThroughBody(connection, body);
        this.forwardReason = ForwardReason.of(plan, context.services.clock());
    }

    /** The kinds of fetch of an exchange. */
    enum Mode {
        /** A fetch that other exchanges may join, or one that they started. */
        SHARED,
        /** A fetch in progress that provides the requested bytes, else one of its own. */
        JOINING,
        /** A fetch of its own. */
        ALONE
    }

    void fetch(Mode mode) {
        connection.startDelivery(this, head);
        context.tally.inFlight++;
        Fetch started = new Fetch(context.fetching, context.services.inFlight(), plan);
        if (mode == Mode.ALONE) {
            started.skipLookup();
        }
        fetch = started;
        leads = true;
        if (mode != Mode.ALONE && context.services.inFlight().join(plan.key(), this)) {
            follow();
        } else if (mode != Mode.SHARED) {
            started.start(this);
        } else if (!context.services.inFlight().leadOrJoin(started, this)) {
            follow();
        }
    }

    private void follow() {
        leads = false;
        fetch = null;
        outcome = CacheOutcome.COLLAPSED;
    }

    @Override
    public UpstreamReads upstreamReads() {
        return fetch == null ? UpstreamReads.NONE : fetch;
    }

    @Override
    public boolean hasBegun() {
        return status != 0;
    }

    @Override
    public void abandon() {
        if (isOver()) {
            return;
        }
        boolean unanswered = status == 0;
        end();
        if (unanswered) {
            context.access.note(null, plan.known() != null, true);
            connection.abandoned(head, outcome, upstream(), startNanos);
        } else {
            count(true);
        }
        if (leads && fetch != null) {
            fetch.leaderLeft();
        }
    }

    private void end() {
        phase = Phase.OVER;
        context.tally.inFlight--;
        if (reader != null) {
            reader.release();
            reader = null;
        }
        passThrough.release();
        if (readAheadBytes > 0) {
            resumed();
            context.services.readAhead().release(readAheadBytes);
            if (readAheadBytes < ReadAhead.MOST_BYTES) {
                connection.limitPendingBytes(ReadAhead.MOST_BYTES);
            }
            readAheadBytes = 0;
        }
    }

    /**
     * Reserves read-ahead. From here on the bytes are stored nowhere else: a slow client must not
     * make this proxy keep many of them.
     */
    private void reserveReadAhead() {
        readAheadBytes = context.services.readAhead().begin();
        if (readAheadBytes < ReadAhead.MOST_BYTES) {
            applyReadAhead();
        }
    }

    /**
     * Increases the read-ahead when the client has accepted all bytes and more is available than at
     * the start.
     */
    private void extendReadAhead() {
        if (readAheadBytes > 0 && readAheadBytes < ReadAhead.MOST_BYTES) {
            int more = context.services.readAhead().extend(readAheadBytes);
            if (more != readAheadBytes) {
                readAheadBytes = more;
                applyReadAhead();
            }
        }
    }

    private void applyReadAhead() {
        connection.limitPendingBytes(readAheadBytes);
        if (fetch != null) {
            fetch.readAtMost(readAheadBytes);
        }
    }

    private void paused() {
        if (!isHeldUp) {
            isHeldUp = true;
            context.services.readAhead().paused();
        }
    }

    private void resumed() {
        if (isHeldUp) {
            isHeldUp = false;
            context.services.readAhead().resumed();
        }
    }

    private void count(boolean incomplete) {
        context.access.note(responseHead, plan.known() != null, incomplete);
        connection.count(head, status, outcome, upstream(), startNanos);
    }

    private UpstreamInfo upstream() {
        return fetch == null ? UpstreamInfo.none(plan.origin()) : fetch.upstream();
    }

    private void finish() {
        end();
        count(false);
        connection.endDelivery(keep);
    }

    private void breakOff() {
        end();
        count(true);
        connection.breakOff();
    }

    @Override
    public boolean upload(ByteBuf part, boolean last, @Nullable Fields trailers) {
        if (fetch == null) {
            part.release();
            return true;
        }
        return fetch.upload(part, last, trailers);
    }

    @Override
    public EventLoop loop() {
        return context.loop;
    }

    @Override
    public RequestHead request() {
        return head;
    }

    @Override
    public boolean isOver() {
        return phase == Phase.OVER;
    }

    @Override
    public void uploadReady() {
        if (!isOver()) {
            connection.uploadReady();
        }
    }

    @Override
    public void informational(ResponseHead interim) {
        // RFC 9110 section 15.2: never to an HTTP/1.0 client; section 10.1.1: 100 only to a client
        // that waits for it.
        if (isOver()
                || status != 0
                || head.minorVersion() == 0
                || (interim.status() == 100 && !awaitsContinue())) {
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
        if (isOver()) {
            from.release();
            return;
        }
        // Conditions and ranges are evaluated now that the head is here (RFC 9110 section 13.2.2).
        ByteRange part = from.part();
        ResponseExcerpt excerpt = part != null
                ? ResponseExcerpt.part(from, part)
                : !head.methodIs("POST")
                        ? ResponseExcerpt.of(head, from, leads ? from.leaderHead() : from.head())
                        : ResponseExcerpt.all(from);
        status = excerpt.status();
        boolean withBody = !excerpt.pieces().isEmpty();
        phase = Phase.FILLED;
        reader = new FillReader(from, excerpt);
        begin(
                excerpt.head(),
                from.bodyLength() < 0 && withBody,
                from.freshness().initialAgeSeconds() > 0
                        ? from.freshness().ageSeconds(context.services.clock().steadyMillis())
                        : -1,
                storedStatus(from));
        if (withBody) {
            pump();
        } else {
            finish();
        }
    }

    /**
     * Returns the parameters of Cache-Status for a stored response (RFC 9211 sections 2.2 to 2.6).
     */
    private String storedStatus(CacheFill from) {
        if (leads && from.fetchedStatus() == status && forwardReason.equals("fwd=miss")) {
            return "fwd=miss; stored";
        }
        return forwardReason
                + (from.fetchedStatus() == status ? "" : "; fwd-status=" + from.fetchedStatus())
                + (leads ? "; stored" : "; stored; collapsed");
    }

    private void begin(byte[] bytes, boolean unknownLength, long age, String cacheStatus) {
        responseHead = bytes;
        boolean chunked = body.begin(unknownLength && connection.wantsChunks(head));
        keep = connection.keepsAlive(head) && !(unknownLength && !connection.endsBodies(head));
        ByteBuf out = connection.buffer(bytes.length + 320);
        context.headWriter.fetched(
                out,
                bytes,
                age,
                cacheStatus + ownerDetail(cacheStatus),
                chunked,
                keep,
                head.minorVersion());
        connection.responding(startNanos);
        connection.write(out);
        connection.flushLater();
    }

    /**
     * Returns the parameter with the member that was used before the origin and its result (RFC
     * 9211 section 2.8).
     */
    private String ownerDetail(String cacheStatus) {
        String result = fetch == null ? null : fetch.ownerOutcome();
        return result == null || cacheStatus.contains("detail=")
                ? ""
                : "; detail=\"" + result + "\"";
    }

    @Override
    public void grown() {
        pump();
    }

    @Override
    public void pump() {
        if (isOver()) {
            return;
        }
        FillReader from = reader;
        if (from != null) {
            switch (from.move(connection, body)) {
                case WAITING -> {
                    return;
                }
                case BROKEN -> {
                    breakOff();
                    return;
                }
                case READ -> {
                    if (phase != Phase.OVERFLOWED) {
                        endBody();
                        return;
                    }
                    phase = Phase.PASSED;
                    reader = null;
                    from.release();
                }
            }
        }
        if (passThrough.move()) {
            if (passThrough.hasEnded()) {
                endBody();
            } else if (fetch != null && connection.isWritable()) {
                resumed();
                extendReadAhead();
                fetch.resume();
            }
        }
    }

    @Override
    public void headReceived(ResponseHead response) {
        Invalidation.after(context.services.purger(), plan, response);
    }

    @Override
    public void trailers(Fields fields) {
        if (!isOver() && connection.takesTrailers(head)) {
            trailers = TrailerFields.ofResponse(fields);
        }
    }

    private void endBody() {
        body.last(trailers);
        finish();
    }

    @Override
    public void stored(StoredResponse response, boolean validated) {
        if (validated) {
            outcome = CacheOutcome.REVALIDATED;
        }
        deliverWhole(
                response,
                forwardReason
                        + (validated ? "; fwd-status=304" : "")
                        + (leads ? "" : "; collapsed"));
    }

    @Override
    public void stale(StoredResponse response, int originStatus) {
        if (!leads && CacheDirectives.parse(head.fields().joined(Field.CACHE_CONTROL)).noCache) {
            // This client does not accept the stale response of another exchange; it gets the error
            // of its own.
            released();
            return;
        }
        outcome = CacheOutcome.STALE;
        deliverWhole(
                response,
                originStatus == 0
                        ? "fwd=stale; detail=unreachable"
                        : "fwd=stale; fwd-status=" + originStatus + "; detail=stale-if-error");
    }

    private void deliverWhole(StoredResponse response, String cacheStatus) {
        if (isOver()) {
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
        long now = context.services.clock().steadyMillis();
        begin(excerpt.head(), false, response.freshness().ageSeconds(now), cacheStatus);
        excerpt.write(connection, runs);
        finish();
    }

    @Override
    public void released() {
        if (isOver()) {
            return;
        }
        end();
        connection.retry(head, startNanos);
    }

    @Override
    public void restored(StoredResponse response) {
        if (!isOver()) {
            end();
            connection.retry(head, startNanos, response);
        }
        response.releaseRetained();
    }

    @Override
    public void failed(OriginFailure failure) {
        if (isOver()) {
            return;
        }
        end();
        context.access.note(null, plan.known() != null, false);
        connection.failed(head, failure, startNanos, upstream());
    }

    @Override
    public void passHead(ResponseHead response) {
        if (isOver()) {
            return;
        }
        status = response.status();
        // A storable response that is not stored here, because its owner stores it, counts as a
        // miss.
        outcome = fetch != null && fetch.isLeftToOwner() ? CacheOutcome.MISS : CacheOutcome.PASS;
        boolean isHead = head.methodIs("HEAD");
        phase = Phase.PASSED;
        boolean unknown = response.hasBody(isHead) && response.contentLength() < 0;
        boolean announced = response.contentLength() >= 0 && status != 204;
        byte[] bytes = EndToEndFields.head(
                response,
                announced ? response.contentLength() : -1,
                context.services.clock().wallMillis(),
                context.services.cache().settings().stripped());
        if (unknown && connection.takesTrailers(head)) {
            HeadBuffer extended = new HeadBuffer(bytes.length + 64).add(bytes);
            TrailerFields.announce(extended, response.fields());
            bytes = extended.toArray();
        }
        String age = response.fields().first(Field.AGE);
        long seconds = age == null ? -1 : Ascii.decimal(Ascii.bytes(age), 0, age.length());
        begin(bytes, unknown, seconds, forwardReason);
        reserveReadAhead();
    }

    @Override
    public boolean passBody(ByteBuf slice) {
        if (isOver()) {
            return true;
        }
        if (reader != null || !passThrough.isOpen()) {
            passThrough.keep(slice);
            pump();
        } else {
            passThrough.write(slice);
        }
        boolean more = isOver() || (reader == null && passThrough.isOpen());
        if (!more) {
            paused();
        }
        return more;
    }

    @Override
    public void passEnd() {
        if (!isOver()) {
            passThrough.end();
            pump();
        }
    }

    @Override
    public void passBroken() {
        if (!isOver()) {
            breakOff();
        }
    }

    @Override
    public void overflow() {
        if (!isOver()) {
            phase = Phase.OVERFLOWED;
            reserveReadAhead();
        }
        if (reader != null) {
            reader.cutShort();
        }
    }
}
