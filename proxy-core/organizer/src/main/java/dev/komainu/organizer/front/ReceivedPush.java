package dev.komainu.organizer.front;

import dev.komainu.intermediary.caching.Freshness;
import dev.komainu.intermediary.message.Field;
import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.message.ResponseHead;
import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.MemberFields;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.StreamListener;
import dev.komainu.organizer.page.PageCounts;
import dev.komainu.organizer.page.PageLearner;
import dev.komainu.organizer.page.PageRequestHint;
import dev.komainu.organizer.page.PushStore;
import dev.komainu.organizer.page.ShareabilityRule;
import dev.komainu.organizer.page.WholeResponse;
import dev.komainu.organizer.route.Candidate;
import dev.komainu.organizer.route.MemberId;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;

/** One object that a member pushes: it is received completely and then stored. Used on its loop. */
final class ReceivedPush implements StreamListener {

    private final PageServices pages;
    private final PushStore.Arriving arriving;
    private final LineStream stream;
    private final Http2Headers promised;
    private final long promisedWallMillis;
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private @Nullable Http2Headers head;
    private @Nullable Freshness freshness;
    private boolean varies;
    private @Nullable String etag;
    private @Nullable String modified;
    private boolean ended;

    private ReceivedPush(
            PageServices pages,
            PushStore.Arriving arriving,
            LineStream stream,
            Http2Headers promised) {
        this.pages = pages;
        this.arriving = arriving;
        this.stream = stream;
        this.promised = promised;
        this.promisedWallMillis = pages.prefetch().clock().wallMillis();
    }

    /**
     * Handles the promise of a push.
     *
     * @param page URL of the page for which it is promised
     * @return the receiver of the pushed response; an unwanted push is refused at once
     */
    static StreamListener of(
            PageServices pages,
            MemberId member,
            String page,
            Http2Headers promised,
            LineStream stream) {
        PushStore store = pages.prefetch().pushStore();
        CharSequence hint = promised.get(MemberFields.PAGE);
        long number = hint == null ? -1 : PageRequestHint.number(hint);
        PushStore.Arriving arriving =
                store == null || number < 0 || !serves(pages.routing(), member, promised)
                        ? null
                        : store.expect(page, Prefetch.url(promised), member.text(), number);
        if (arriving == null) {
            pages.prefetch().counts().count(PageCounts.Kind.REFUSED);
            stream.reset(Http2Error.CANCEL);
            return NOBODY;
        }
        return new ReceivedPush(pages, arriving, stream, promised);
    }

    /**
     * Reports whether the member serves the promised URL. Only such a member is authoritative for
     * the push (RFC 9113 section 8.4.2).
     */
    private static boolean serves(RoutingContext routing, MemberId member, Http2Headers promised) {
        if (!Prefetch.isPlain(promised, true)
                || !Prefetch.isGet(promised)
                || !HeadConversion.isRequestLine(promised)) {
            return false;
        }
        for (Candidate candidate : routing.currentTable()
                .candidates(
                        HeadConversion.host(promised), HeadConversion.pathWithoutQuery(promised))) {
            if (candidate.member().equals(member)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void head(Http2Headers fields, boolean ends) {
        if (ended || HeadConversion.status(fields) < 200) {
            return;
        }
        ResponseHead read = fields.contains(MemberFields.REFUSAL)
                        || HeadConversion.length(fields) > PageLearner.MAX_OBJECT_BYTES
                ? null
                : pages.fields().ofResponse(fields);
        freshness = read == null
                ? null
                : ShareabilityRule.freshness(
                        read, promisedWallMillis, pages.prefetch().clock());
        if (read == null || freshness == null) {
            giveUp();
            return;
        }
        varies = ShareabilityRule.varies(read);
        etag = read.fields().first(Field.ETAG);
        modified = read.fields().first(Field.LAST_MODIFIED);
        Http2Headers stored = new DefaultHttp2Headers(false, 16).setAll(fields);
        stored.remove("age");
        stored.remove("trailer");
        head = stored;
        if (ends) {
            complete();
        }
    }

    @Override
    public void data(ByteBuf bytes, boolean ends) {
        int count = bytes.readableBytes();
        boolean fits = !ended
                && head != null
                && body.size() + count <= PageLearner.MAX_OBJECT_BYTES
                && arriving.received(count);
        if (fits) {
            byte[] part = new byte[count];
            bytes.readBytes(part);
            body.writeBytes(part);
        }
        bytes.release();
        stream.consumed(count);
        if (!ended && !fits) {
            giveUp();
        } else if (!ended && ends) {
            complete();
        }
    }

    @Override
    public void trailers(Http2Headers fields) {
        if (!ended) {
            complete();
        }
    }

    private void complete() {
        Http2Headers finalHead = head;
        Freshness fresh = freshness;
        Fields requestFields = varies ? pages.fields().ofRequest(promised) : null;
        if (finalHead == null || fresh == null || (varies && requestFields == null)) {
            giveUp();
            return;
        }
        ended = true;
        finalHead.set(HeadConversion.LENGTH, Integer.toString(body.size()));
        arriving.arrived(new WholeResponse(
                finalHead,
                body.toByteArray(),
                fresh,
                etag,
                modified,
                requestFields == null ? null : ShareabilityRule.encodings(requestFields)));
    }

    private void giveUp() {
        ended = true;
        arriving.failed();
        stream.reset(Http2Error.CANCEL);
    }

    @Override
    public void writable() {
        // Nothing is sent.
    }

    @Override
    public void ended(StreamEnd end) {
        if (!ended) {
            ended = true;
            arriving.failed();
        }
    }
}
