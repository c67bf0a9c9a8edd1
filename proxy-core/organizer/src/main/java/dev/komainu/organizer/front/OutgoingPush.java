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
 * One object that is pushed to a peer: it receives the response of this member's server and writes
 * it to the promised stream. The current response decides, not the learnt one: a response that is
 * not shareable is not sent. Used on its loop.
 */
final class OutgoingPush implements StreamListener {

    private static final AsciiString REFERER = AsciiString.cached("referer");
    private static final AsciiString ACCEPT_ENCODING = AsciiString.cached("accept-encoding");
    /**
     * Fields copied from the request for the page. Its other fields may be specific to one client.
     */
    private static final AsciiString[] COPIED_FIELDS = {
        ACCEPT_ENCODING,
        HeadConversion.VIA,
        AsciiString.cached("x-forwarded-for"),
        AsciiString.cached("user-agent")
    };

    private final PageServices pages;
    private final PageLearner learner;
    private final PageLearner.PushCandidate object;
    private @Nullable LineStream peerStream;
    private @Nullable LocalServerRequest serverRequest;
    private boolean headSent;
    private boolean complete;
    private int unconsumed;
    private long sentBytes;

    private OutgoingPush(
            PageServices pages, PageLearner learner, PageLearner.PushCandidate object) {
        this.pages = pages;
        this.learner = learner;
        this.object = object;
    }

    /**
     * Promises the push and sends the request to the server. Does nothing when the push is not
     * possible.
     */
    static void begin(
            PageServices pages,
            ServerConnections servers,
            PageLearner learner,
            PageLearner.PushCandidate object,
            Http2Headers page,
            String url,
            LineStream client) {
        LocalServer server = server(pages.routing(), object.url());
        OutgoingPush push = new OutgoingPush(pages, learner, object);
        LineStream peerStream = server == null
                ? null
                : client.promise(
                        head(object, page)
                                .add(MemberFields.PAGE, PageRequestHint.text(object.number())),
                        object.bytes(),
                        push.new PeerListener());
        if (server == null || peerStream == null) {
            learner.notPushed(object.number());
            return;
        }
        pages.prefetch().counts().count(PageCounts.Kind.PUSHED);
        Http2Headers request = head(object, page).add(REFERER, "http://" + url);
        for (AsciiString name : COPIED_FIELDS) {
            if (!request.contains(name)) {
                request.add(name, page.getAll(name));
            }
        }
        push.peerStream = peerStream;
        LocalServerRequest serverRequest =
                new LocalServerRequest(servers, pages.routing(), server, request, true, push);
        push.serverRequest = serverRequest;
        serverRequest.start();
    }

    private static @Nullable LocalServer server(RoutingContext routing, String url) {
        int slash = url.indexOf('/');
        int query = url.indexOf('?', slash);
        String path = url.substring(slash, query < 0 ? url.length() : query);
        for (Candidate candidate :
                routing.currentTable().candidates(url.substring(0, slash), path)) {
            if (candidate.member().equals(routing.self())) {
                return routing.server(candidate.route().prefix());
            }
        }
        return null;
    }

    private static Http2Headers head(PageLearner.PushCandidate object, Http2Headers page) {
        int slash = object.url().indexOf('/');
        Http2Headers head = new DefaultHttp2Headers(false, 8)
                .method("GET")
                .scheme("http")
                .authority(object.url().substring(0, slash))
                .path(object.url().substring(slash));
        return head.add(ACCEPT_ENCODING, page.getAll(ACCEPT_ENCODING));
    }

    // The server's response.

    @Override
    public void head(Http2Headers fields, boolean ends) {
        LineStream peer = peerStream;
        if (peer == null || HeadConversion.status(fields) < 200) {
            return;
        }
        boolean fits = GatewayError.in(fields) == null
                && HeadConversion.length(fields) <= PageLearner.MAX_OBJECT_BYTES
                && pages.fields().freshness(fields, pages.prefetch().clock().wallMillis()) != null;
        if (!fits) {
            giveUp();
            return;
        }
        headSent = true;
        complete = ends;
        fields.add(
                HeadConversion.VIA,
                HopPath.entry("2.0", pages.routing().self(), pages.routing().cluster()));
        peer.head(fields, ends);
    }

    @Override
    public void data(ByteBuf bytes, boolean ends) {
        LineStream peer = peerStream;
        int count = bytes.readableBytes();
        sentBytes += count;
        if (peer == null || sentBytes > PageLearner.MAX_OBJECT_BYTES) {
            bytes.release();
            giveUp();
            return;
        }
        complete |= ends;
        unconsumed += count;
        pages.prefetch().counts().count(PageCounts.Kind.PUSHED_BYTES, count);
        peer.data(bytes, ends);
        reportConsumed();
    }

    /** Reports bytes as consumed to the server when the peer accepts more. */
    private void reportConsumed() {
        LineStream peer = peerStream;
        LocalServerRequest server = serverRequest;
        if (unconsumed > 0 && server != null && (complete || peer == null || peer.isWritable())) {
            int bytes = unconsumed;
            unconsumed = 0;
            server.consumed(bytes);
        }
    }

    /** Trailers may be dropped (RFC 9110 section 6.5.1). */
    @Override
    public void trailers(Http2Headers fields) {
        data(Unpooled.EMPTY_BUFFER, true);
    }

    @Override
    public void writable() {
        // The request has no body.
    }

    @Override
    public void ended(StreamEnd end) {
        serverRequest = null;
        if (!complete) {
            giveUp();
        }
    }

    private void giveUp() {
        LineStream peer = peerStream;
        if (peer == null) {
            return;
        }
        peerStream = null;
        pages.prefetch().counts().count(PageCounts.Kind.UNFIT);
        // A server that broke off says nothing about the object.
        if (headSent && sentBytes <= PageLearner.MAX_OBJECT_BYTES) {
            learner.notPushed(object.number());
        } else {
            learner.rejectObject(object.number());
        }
        peer.reset(Http2Error.CANCEL);
        stop();
    }

    private void stop() {
        LocalServerRequest server = serverRequest;
        if (server != null) {
            serverRequest = null;
            server.reset(Http2Error.CANCEL);
        }
    }

    /** Events of the peer's stream. */
    private final class PeerListener implements SendingListener {

        @Override
        public void writable() {
            reportConsumed();
        }

        @Override
        public void ended(StreamEnd end) {
            if (peerStream == null) {
                return;
            }
            peerStream = null;
            if (end.reason() != StreamEnd.Reason.COMPLETE) {
                pages.prefetch().counts().count(PageCounts.Kind.DECLINED);
                learner.notPushed(object.number());
            }
            stop();
            reportConsumed();
        }
    }
}
