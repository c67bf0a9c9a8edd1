package dev.komainu.organizer.front;

import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.MemberFields;
import dev.komainu.organizer.line.SendingListener;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.StreamListener;
import dev.komainu.organizer.page.PageCounts;
import dev.komainu.organizer.page.PageLearner;
import dev.komainu.organizer.page.PageRequestHint;
import dev.komainu.organizer.route.Candidate;
import dev.komainu.organizer.route.HopPath;
import dev.komainu.organizer.server.LocalServer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import org.jspecify.annotations.Nullable;

/**
 * One object on its way to a peer that has not asked for it: hears this member's server, tells the
 * promised stream. What the server says now decides, not what was learnt: an answer that is not for
 * everybody does not leave. On its loop.
 */
final class OutgoingPush implements StreamListener {

    private static final AsciiString REFERER = AsciiString.cached("referer");
    private static final AsciiString ACCEPT_ENCODING = AsciiString.cached("accept-encoding");
    /** Of the page's request; what else its asker said is not everybody's. */
    private static final AsciiString[] ALIKE = {
        ACCEPT_ENCODING,
        HeadConversion.VIA,
        AsciiString.cached("x-forwarded-for"),
        AsciiString.cached("user-agent")
    };

    private final PageServices pages;
    private final PageLearner book;
    private final PageLearner.Needed needed;
    private @Nullable LineStream to;
    private @Nullable LocalServerRequest from;
    private boolean begun;
    private boolean saidAll;
    private int owed;
    private long sent;

    private OutgoingPush(PageServices pages, PageLearner book, PageLearner.Needed needed) {
        this.pages = pages;
        this.book = book;
        this.needed = needed;
    }

    /** Promises, and asks the server; where it cannot, does nothing. */
    static void begin(
            PageServices pages,
            ServerConnections servers,
            PageLearner book,
            PageLearner.Needed needed,
            Http2Headers page,
            String url,
            LineStream client) {
        LocalServer server = server(pages.routing(), needed.url());
        OutgoingPush made = new OutgoingPush(pages, book, needed);
        LineStream to = server == null
                ? null
                : client.promise(
                        head(needed, page)
                                .add(MemberFields.PAGE, PageRequestHint.text(needed.number())),
                        needed.bytes(),
                        made.new Peer());
        if (server == null || to == null) {
            book.notPushed(needed.number());
            return;
        }
        pages.prefetch().counts().count(PageCounts.Kind.PUSHED);
        Http2Headers asked = head(needed, page).add(REFERER, "http://" + url);
        for (AsciiString name : ALIKE) {
            if (!asked.contains(name)) {
                asked.add(name, page.getAll(name));
            }
        }
        made.to = to;
        LocalServerRequest from =
                new LocalServerRequest(servers, pages.routing(), server, asked, true, made);
        made.from = from;
        from.start();
    }

    private static @Nullable LocalServer server(RoutingContext routing, String url) {
        int slash = url.indexOf('/');
        int query = url.indexOf('?', slash);
        String path = url.substring(slash, query < 0 ? url.length() : query);
        for (Candidate candidate : routing.tableNow().candidates(url.substring(0, slash), path)) {
            if (candidate.member().equals(routing.self())) {
                return routing.server(candidate.route().prefix());
            }
        }
        return null;
    }

    private static Http2Headers head(PageLearner.Needed needed, Http2Headers page) {
        int slash = needed.url().indexOf('/');
        Http2Headers head = new DefaultHttp2Headers(false, 8)
                .method("GET")
                .scheme("http")
                .authority(needed.url().substring(0, slash))
                .path(needed.url().substring(slash));
        return head.add(ACCEPT_ENCODING, page.getAll(ACCEPT_ENCODING));
    }

    // What the server says.

    @Override
    public void head(Http2Headers fields, boolean ends) {
        LineStream peer = to;
        if (peer == null || HeadConversion.status(fields) < 200) {
            return;
        }
        boolean fits = GatewayError.in(fields) == null
                && HeadConversion.length(fields) <= PageLearner.MOST_OBJECT_BYTES
                && pages.fields().freshness(fields, pages.prefetch().clock().wallMillis()) != null;
        if (!fits) {
            unfit();
            return;
        }
        begun = true;
        saidAll = ends;
        fields.add(
                HeadConversion.VIA,
                HopPath.entry("2.0", pages.routing().self(), pages.routing().cluster()));
        peer.head(fields, ends);
    }

    @Override
    public void data(ByteBuf bytes, boolean ends) {
        LineStream peer = to;
        int count = bytes.readableBytes();
        sent += count;
        if (peer == null || sent > PageLearner.MOST_OBJECT_BYTES) {
            bytes.release();
            unfit();
            return;
        }
        saidAll |= ends;
        owed += count;
        pages.prefetch().counts().count(PageCounts.Kind.PUSHED_BYTES, count);
        peer.data(bytes, ends);
        settle();
    }

    /** Lets the server say more when the peer has room. */
    private void settle() {
        LineStream peer = to;
        LocalServerRequest server = from;
        if (owed > 0 && server != null && (saidAll || peer == null || peer.isWritable())) {
            int taken = owed;
            owed = 0;
            server.consumed(taken);
        }
    }

    /** Fields behind a body may be left out (RFC 9110 section 6.5.1). */
    @Override
    public void trailers(Http2Headers fields) {
        data(Unpooled.EMPTY_BUFFER, true);
    }

    @Override
    public void writable() {
        // The server is told everything at once: there is no body.
    }

    @Override
    public void ended(StreamEnd how) {
        from = null;
        if (!saidAll) {
            unfit();
        }
    }

    private void unfit() {
        LineStream peer = to;
        if (peer == null) {
            return;
        }
        to = null;
        pages.prefetch().counts().count(PageCounts.Kind.UNFIT);
        // A server that broke off says nothing of the object.
        if (begun && sent <= PageLearner.MOST_OBJECT_BYTES) {
            book.notPushed(needed.number());
        } else {
            book.unfit(needed.number());
        }
        peer.reset(Http2Error.CANCEL);
        stop();
    }

    private void stop() {
        LocalServerRequest server = from;
        if (server != null) {
            from = null;
            server.reset(Http2Error.CANCEL);
        }
    }

    /** What the peer says. */
    private final class Peer implements SendingListener {

        @Override
        public void writable() {
            settle();
        }

        @Override
        public void ended(StreamEnd how) {
            if (to == null) {
                return;
            }
            to = null;
            if (how.reason() != StreamEnd.Reason.COMPLETE) {
                pages.prefetch().counts().count(PageCounts.Kind.DECLINED);
                book.notPushed(needed.number());
            }
            stop();
            settle();
        }
    }
}
