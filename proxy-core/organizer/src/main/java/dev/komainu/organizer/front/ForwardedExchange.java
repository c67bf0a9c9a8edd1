package dev.komainu.organizer.front;

import dev.komainu.organizer.line.LinePeer;
import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.StreamAcceptor;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.StreamListener;
import dev.komainu.organizer.line.endpoint.Line;
import dev.komainu.organizer.line.endpoint.ReplayableBody;
import dev.komainu.organizer.page.PageRequestHint;
import dev.komainu.organizer.page.PushStore;
import dev.komainu.organizer.route.Candidate;
import dev.komainu.organizer.route.HopPath;
import dev.komainu.organizer.route.MemberId;
import dev.komainu.organizer.route.RouteDecision;
import dev.komainu.organizer.server.LocalServer;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One exchange on its way through this organizer: hears the client (a browser, a proxy, a peer),
 * asks whom the table names, and asks another mirror when that cannot answer and nobody can notice:
 * not a byte of an answer came, what was said of the body is still here, and the method is safe or
 * no server has seen anything of the request. It keeps the table it began with. On its loop.
 *
 * <p>What a peer asks, a server of this member answers when one serves it: that peer has chosen
 * already. Else it moved, and goes on.
 */
final class ForwardedExchange implements StreamListener {

    /** Of a request's body, kept so that it can be sent again. */
    private static final int MOST_KEPT = 64 << 10;

    /** Tunnels do not ask who wants them: whoever may ask here may have them. */
    static final LinePeer HERE =
            new LinePeer(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), Set.of());

    private final FrontLoop at;
    private final LineStream client;
    private final Http2Headers head;
    private final boolean endsAtHead;
    private final boolean ofPeer;
    /** The proxy of this process asks. */
    private final boolean forCache;
    /** Told which member answers, before its answer. */
    private final Consumer<MemberId> chosen;

    private final boolean safe;
    private final MemberSelection mirrors;
    /** What the peer that asks says of itself; absent: it takes no pushes. */
    private final @Nullable PageRequestHint asker;

    private @Nullable PageObservation sight;
    private final ReplayableBody kept = new ReplayableBody();
    private @Nullable ForwardingAttempt attempt;
    private @Nullable StreamListener tunnel;
    private @Nullable GatewayError last;
    private String lastOf = "";
    private int owedToClient;
    private boolean clientSaidAll;
    private boolean clientOver;

    private ForwardedExchange(
            FrontLoop at,
            Http2Headers head,
            boolean ends,
            LineStream client,
            boolean ofPeer,
            boolean forCache,
            Consumer<MemberId> chosen,
            HopPath way) {
        this.at = at;
        this.client = client;
        this.head = head;
        this.endsAtHead = ends;
        this.clientSaidAll = ends;
        this.ofPeer = ofPeer;
        this.forCache = forCache;
        this.chosen = chosen;
        this.safe = ends && LocalServerRequest.SAFE.contains(String.valueOf(head.method()));
        this.mirrors = new MemberSelection(at.routing(), head, safe, forCache, way.seen());
        this.asker = ofPeer ? at.pages().prefetch().taken(head) : null;
    }

    /**
     * Takes a request.
     *
     * @param client may hear the answer before this returns
     * @param ofPeer it came over a line
     * @return who hears the rest of the request
     */
    static StreamListener take(
            FrontLoop at, Http2Headers head, boolean ends, LineStream client, boolean ofPeer) {
        return take(at, head, ends, client, ofPeer, false, member -> {});
    }

    /**
     * The same for the proxy of this process, which asks servers, and no other caches.
     *
     * @param chosen told which member answers, before its answer
     */
    static StreamListener takeForCache(
            FrontLoop at,
            Http2Headers head,
            boolean ends,
            LineStream client,
            Consumer<MemberId> chosen) {
        return take(at, head, ends, client, false, true, chosen);
    }

    private static StreamListener take(
            FrontLoop at,
            Http2Headers head,
            boolean ends,
            LineStream client,
            boolean ofPeer,
            boolean forCache,
            Consumer<MemberId> chosen) {
        at.counts().count(ofPeer ? FrontCounts.Kind.PEER_REQUESTS : FrontCounts.Kind.REQUESTS);
        if (head.contains(HeadConversion.PROTOCOL)) {
            at.counts().count(FrontCounts.Kind.TUNNELS);
        }
        HopPath way = HopPath.of(HeadConversion.via(head), at.routing().cluster());
        ForwardedExchange made =
                new ForwardedExchange(at, head, ends, client, ofPeer, forCache, chosen, way);
        if (way.isLoopAt(at.routing().self())) {
            made.refuse(GatewayError.LOOP, at.routing().self().text());
        } else {
            head.add(
                    HeadConversion.VIA,
                    HopPath.entry(
                            ofPeer ? "2.0" : "1.1",
                            at.routing().self(),
                            at.routing().cluster()));
            made.begin();
        }
        return made;
    }

    // Whom to ask.

    private void begin() {
        if (ofPeer || forCache) {
            next();
        } else {
            changes();
            PushLookup.answer(
                    at.pages(), at.loop(), head, endsAtHead, client, () -> !clientOver, this::next);
        }
    }

    /** What it may change is not given to others as it was before (RFC 9111 section 4.4). */
    private void changes() {
        PushStore hand = at.pages().prefetch().hand();
        if (hand != null
                && !hand.isEmpty()
                && !LocalServerRequest.SAFE.contains(String.valueOf(head.method()))) {
            hand.changed(Prefetch.url(head));
        }
    }

    private void next() {
        Candidate own = ofPeer ? mirrors.own() : null;
        if (own != null) {
            if (mirrors.isNoneAsked()) {
                ask(own);
            } else {
                // The peer that asked knows the other mirrors, too.
                giveUp(GatewayError.ALL_DOWN);
            }
            return;
        }
        switch (mirrors.next()) {
            case RouteDecision.Ask ask -> ask(ask.candidate());
            case RouteDecision.Nobody nobody ->
                giveUp(
                        switch (nobody.why()) {
                            case NO_ROUTE -> GatewayError.NO_ROUTE;
                            case ALL_DOWN -> GatewayError.ALL_DOWN;
                            // They had it before us, and could not.
                            case ALL_EXCLUDED -> GatewayError.LOOP;
                        });
        }
    }

    private void giveUp(GatewayError why) {
        GatewayError told = last;
        refuse(told == null ? why : told, told == null ? at.routing().self().text() : lastOf);
    }

    private void ask(Candidate candidate) {
        mirrors.asks(candidate);
        boolean isOwn = candidate.member().equals(at.routing().self());
        if (isOwn
                && !head.contains(HeadConversion.PROTOCOL)
                && at.isHere(candidate.route().prefix())) {
            askHere();
            return;
        }
        boolean isOwnTunnel = isOwn && head.contains(HeadConversion.PROTOCOL);
        if (isOwnTunnel && ofPeer) {
            // Who asked hears of a refusal, and knows the other mirrors.
            answeredBy(at.tunnels());
            return;
        }
        ForwardingAttempt made =
                new ForwardingAttempt(this, candidate.member(), at.routing().outlooks(), client);
        attempt = made;
        at.routing().outlooks().began(candidate.member());
        if (isOwnTunnel) {
            at.counts().count(FrontCounts.Kind.OWN);
            made.asks(LocalStream.open(
                    at.loop(), made, answer -> at.tunnels().take(head, endsAtHead, answer, HERE)));
        } else if (isOwn) {
            LocalServer server = at.routing().server(candidate.route().prefix());
            if (server == null) {
                made.failed(GatewayError.NO_ROUTE);
                return;
            }
            at.counts().count(FrontCounts.Kind.OWN);
            sight = PageObservation.of(at.pages(), at.servers(), head, endsAtHead, asker, client);
            LocalServerRequest ask = new LocalServerRequest(
                    at.servers(), at.routing(), server, head, endsAtHead, made);
            made.asks(ask);
            ask.start();
        } else {
            Line line = at.lines().to(candidate.member(), candidate.line());
            if (line == null) {
                made.failed(GatewayError.LINE_DOWN);
                return;
            }
            at.counts().count(FrontCounts.Kind.FORWARDED);
            at.pages()
                    .prefetch()
                    .tell(
                            head,
                            !ofPeer
                                    && !forCache
                                    && Prefetch.isPlain(head, endsAtHead)
                                    && Prefetch.isGet(head),
                            candidate.member().text());
            made.asks(line.open(head, endsAtHead, made));
        }
        LineStream to = made.upstream();
        if (attempt == made && to != null) {
            kept.sayTo(to);
            settleUpload();
        }
    }

    /** The proxy of this process. */
    private void askHere() {
        answeredBy(at.here());
    }

    /** From here on, whatever becomes of it. */
    private void answeredBy(StreamAcceptor taker) {
        at.counts().count(FrontCounts.Kind.OWN);
        StreamListener made = taker.take(head, endsAtHead, client, HERE);
        tunnel = made;
        kept.sayTo(made);
        kept.forget();
    }

    // What the client says.

    @Override
    public void head(Http2Headers fields, boolean ends) {
        throw new IllegalStateException("It began with its head");
    }

    @Override
    public void data(ByteBuf bytes, boolean ends) {
        StreamListener through = tunnel;
        if (through != null) {
            through.data(bytes, ends);
            return;
        }
        clientSaidAll |= ends;
        int count = bytes.readableBytes();
        owedToClient += count;
        if (kept.isWhole() && kept.bytes() + count <= MOST_KEPT) {
            kept.add(bytes.retainedDuplicate(), ends);
        } else {
            kept.forget();
        }
        LineStream to = upstream();
        if (to == null) {
            bytes.release();
        } else {
            to.data(bytes, ends);
        }
        settleUpload();
    }

    @Override
    public void trailers(Http2Headers fields) {
        StreamListener through = tunnel;
        if (through != null) {
            through.trailers(fields);
            return;
        }
        clientSaidAll = true;
        kept.add(fields);
        LineStream to = upstream();
        if (to != null) {
            to.trailers(fields);
        }
        settleUpload();
    }

    private @Nullable LineStream upstream() {
        ForwardingAttempt now = attempt;
        return now == null ? null : now.upstream();
    }

    private void settleUpload() {
        LineStream to = upstream();
        if (owedToClient > 0 && (to == null || clientSaidAll || to.isWritable())) {
            int owed = owedToClient;
            owedToClient = 0;
            client.consumed(owed);
        }
    }

    /** The client has room for more of the answer. */
    @Override
    public void writable() {
        StreamListener through = tunnel;
        ForwardingAttempt now = attempt;
        if (through != null) {
            through.writable();
        } else if (now != null) {
            now.settle();
        }
    }

    @Override
    public void ended(StreamEnd how) {
        clientOver = true;
        kept.forget();
        StreamListener through = tunnel;
        ForwardingAttempt now = attempt;
        if (through != null) {
            through.ended(how);
        } else if (now != null && how.reason() != StreamEnd.Reason.COMPLETE) {
            attempt = null;
            at.counts().count(FrontCounts.Kind.GIVEN_UP);
            now.giveUp();
        }
    }

    private void refuse(GatewayError why, String member) {
        attempt = null;
        kept.forget();
        at.counts().refused(why);
        if (!clientOver) {
            client.head(at.routing().refusal(why, member), true);
            settleUpload();
        }
    }

    // What the member asked says, as its attempt tells it.

    boolean asks(ForwardingAttempt which) {
        return attempt == which;
    }

    /** Not a byte of an answer came from it, and none will. */
    void failed(ForwardingAttempt which, GatewayError why) {
        attempt = null;
        last = why;
        lastOf = which.member().text();
        boolean may = kept.isWhole()
                && (safe || why.isUntouched())
                && mirrors.mayAskMore()
                && !clientOver;
        if (may && why != GatewayError.MALFORMED_REQUEST) {
            at.counts().count(FrontCounts.Kind.RETRIED);
            next();
        } else {
            refuse(why, lastOf);
        }
    }

    /** From here on nothing can be repeated. */
    void answers(ForwardingAttempt which, Http2Headers fields) {
        kept.forget();
        chosen.accept(which.member());
        at.counts().count(FrontCounts.Kind.ANSWERED);
        fields.add(
                HeadConversion.VIA,
                HopPath.entry(
                        ofPeer ? "2.0" : "1.1",
                        at.routing().self(),
                        at.routing().cluster()));
        if (!ofPeer && !forCache) {
            changes();
        }
        PageObservation seen = sight;
        if (seen != null) {
            seen.answered(fields);
        }
    }

    /** A member will answer what this request's page needs. */
    StreamListener promised(MemberId member, Http2Headers fields, LineStream stream) {
        return ReceivedPush.of(at.pages(), member, Prefetch.url(head), fields, stream);
    }

    /** It has room for more of the request. */
    void hasRoom() {
        settleUpload();
    }

    /** It is over: with all said, or broken off. */
    void over(boolean whole, long bytes) {
        attempt = null;
        PageObservation seen = sight;
        if (whole) {
            if (seen != null) {
                seen.over(bytes);
            }
            // What the client still says of its body goes nowhere.
            settleUpload();
        } else {
            at.counts().count(FrontCounts.Kind.BROKEN);
            client.reset(Http2Error.INTERNAL_ERROR);
        }
    }
}
