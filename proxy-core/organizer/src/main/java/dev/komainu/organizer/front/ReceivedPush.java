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

/** One object that comes from a member unasked: read whole, and put to hand. On its loop. */
final class ReceivedPush implements StreamListener {

    private final PageServices pages;
    private final PushStore.Coming coming;
    private final LineStream stream;
    private final Http2Headers promised;
    private final long promisedWallMillis;
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private @Nullable Http2Headers head;
    private @Nullable Freshness freshness;
    private boolean varies;
    private @Nullable String etag;
    private @Nullable String modified;
    private boolean over;

    private ReceivedPush(
            PageServices pages, PushStore.Coming coming, LineStream stream, Http2Headers promised) {
        this.pages = pages;
        this.coming = coming;
        this.stream = stream;
        this.promised = promised;
        this.promisedWallMillis = pages.prefetch().clock().wallMillis();
    }

    /**
     * A member promises an answer.
     *
     * @param page beside which
     * @return who hears it; what is not wanted is refused at once
     */
    static StreamListener of(
            PageServices pages,
            MemberId member,
            String page,
            Http2Headers promised,
            LineStream stream) {
        PushStore hand = pages.prefetch().hand();
        CharSequence said = promised.get(MemberFields.PAGE);
        long number = said == null ? -1 : PageRequestHint.number(said);
        PushStore.Coming coming =
                hand == null || number < 0 || !serves(pages.routing(), member, promised)
                        ? null
                        : hand.expect(page, Prefetch.url(promised), member.text(), number);
        if (coming == null) {
            pages.prefetch().counts().count(PageCounts.Kind.REFUSED);
            stream.reset(Http2Error.CANCEL);
            return NOBODY;
        }
        return new ReceivedPush(pages, coming, stream, promised);
    }

    /** RFC 9113 section 8.4.2: only who would have been asked for it may push it. */
    private static boolean serves(RoutingContext routing, MemberId member, Http2Headers promised) {
        if (!Prefetch.isPlain(promised, true)
                || !Prefetch.isGet(promised)
                || !HeadConversion.isRequestLine(promised)) {
            return false;
        }
        for (Candidate candidate : routing.tableNow()
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
        if (over || HeadConversion.status(fields) < 200) {
            return;
        }
        ResponseHead read = fields.contains(MemberFields.REFUSAL)
                        || HeadConversion.length(fields) > PageLearner.MOST_OBJECT_BYTES
                ? null
                : pages.fields().ofAnswer(fields);
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
        Http2Headers kept = new DefaultHttp2Headers(false, 16).setAll(fields);
        kept.remove("age");
        kept.remove("trailer");
        head = kept;
        if (ends) {
            done();
        }
    }

    @Override
    public void data(ByteBuf bytes, boolean ends) {
        int count = bytes.readableBytes();
        boolean room = !over
                && head != null
                && body.size() + count <= PageLearner.MOST_OBJECT_BYTES
                && coming.grew(count);
        if (room) {
            byte[] part = new byte[count];
            bytes.readBytes(part);
            body.writeBytes(part);
        }
        bytes.release();
        stream.consumed(count);
        if (!over && !room) {
            giveUp();
        } else if (!over && ends) {
            done();
        }
    }

    @Override
    public void trailers(Http2Headers fields) {
        if (!over) {
            done();
        }
    }

    private void done() {
        Http2Headers whole = head;
        Freshness fresh = freshness;
        Fields asked = varies ? pages.fields().ofRequest(promised) : null;
        if (whole == null || fresh == null || varies && asked == null) {
            giveUp();
            return;
        }
        over = true;
        whole.set(HeadConversion.LENGTH, Integer.toString(body.size()));
        coming.arrived(new WholeResponse(
                whole,
                body.toByteArray(),
                fresh,
                etag,
                modified,
                asked == null ? null : ShareabilityRule.encodings(asked)));
    }

    private void giveUp() {
        over = true;
        coming.failed();
        stream.reset(Http2Error.CANCEL);
    }

    @Override
    public void writable() {
        // Nothing is said.
    }

    @Override
    public void ended(StreamEnd how) {
        if (!over) {
            over = true;
            coming.failed();
        }
    }
}
