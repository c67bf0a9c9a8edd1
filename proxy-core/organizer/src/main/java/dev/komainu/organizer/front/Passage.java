package dev.komainu.organizer.front;

import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.Peer;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.StreamEvents;
import dev.komainu.organizer.line.StreamTaker;
import dev.komainu.organizer.line.endpoint.KeptBody;
import dev.komainu.organizer.line.endpoint.Line;
import dev.komainu.organizer.page.AtHand;
import dev.komainu.organizer.page.PageWord;
import dev.komainu.organizer.route.Candidate;
import dev.komainu.organizer.route.Decision;
import dev.komainu.organizer.route.HopPath;
import dev.komainu.organizer.route.MemberId;
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
 * One exchange on its way through this organizer: hears the client (a browser, a proxy, a peer), asks whom the table names, and asks another
 * mirror when that cannot answer and nobody can notice: not a byte of an answer came, what was said of the body is still here, and
 * the method is safe or no server has seen anything of the request. It keeps the table it began with. On its loop.
 *
 * <p>What a peer asks, a server of this member answers when one serves it: that peer has chosen already. Else it moved, and goes on.
 */
final class Passage implements StreamEvents {

    /** Of a request's body, kept so that it can be sent again. */
    private static final int MOST_KEPT = 64 << 10;

    /** Tunnels do not ask who wants them: whoever may ask here may have them. */
    static final Peer HERE = new Peer(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), Set.of());

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
    private final Mirrors mirrors;
    /** What the peer that asks says of itself; absent: it takes no pushes. */
    private final @Nullable PageWord asker;

    private @Nullable PageSight sight;
    private final KeptBody kept = new KeptBody();
    private @Nullable Attempt attempt;
    private @Nullable StreamEvents tunnel;
    private @Nullable Refusal last;
    private String lastOf = "";
    private int owedToClient;
    private boolean clientSaidAll;
    private boolean clientOver;

    private Passage(
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
        this.safe = ends && ServerAsk.SAFE.contains(String.valueOf(head.method()));
        this.mirrors = new Mirrors(at.routing(), head, safe, forCache, way.seen());
        this.asker = ofPeer ? at.pages().prefetch().taken(head) : null;
    }

    /**
     * Takes a request.
     *
     * @param client may hear the answer before this returns
     * @param ofPeer it came over a line
     * @return who hears the rest of the request
     */
    static StreamEvents take(FrontLoop at, Http2Headers head, boolean ends, LineStream client, boolean ofPeer) {
        return take(at, head, ends, client, ofPeer, false, member -> {});
    }

    /**
     * The same for the proxy of this process, which asks servers, and no other caches.
     *
     * @param chosen told which member answers, before its answer
     */
    static StreamEvents takeForCache(
            FrontLoop at, Http2Headers head, boolean ends, LineStream client, Consumer<MemberId> chosen) {
        return take(at, head, ends, client, false, true, chosen);
    }

    private static StreamEvents take(
            FrontLoop at,
            Http2Headers head,
            boolean ends,
            LineStream client,
            boolean ofPeer,
            boolean forCache,
            Consumer<MemberId> chosen) {
        at.counts().count(ofPeer ? FrontCounts.Kind.PEER_REQUESTS : FrontCounts.Kind.REQUESTS);
        if (head.contains(Heads.PROTOCOL)) {
            at.counts().count(FrontCounts.Kind.TUNNELS);
        }
        HopPath way = HopPath.of(Heads.via(head), at.routing().cluster());
        Passage made = new Passage(at, head, ends, client, ofPeer, forCache, chosen, way);
        if (way.isLoopAt(at.routing().self())) {
            made.refuse(Refusal.LOOP, at.routing().self().text());
        } else {
            head.add(
                    Heads.VIA,
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
            FromHand.answer(at.pages(), at.loop(), head, endsAtHead, client, () -> !clientOver, this::next);
        }
    }

    /** What it may change is not given to others as it was before (RFC 9111 section 4.4). */
    private void changes() {
        AtHand hand = at.pages().prefetch().hand();
        if (hand != null && !hand.isEmpty() && !ServerAsk.SAFE.contains(String.valueOf(head.method()))) {
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
                giveUp(Refusal.ALL_DOWN);
            }
            return;
        }
        switch (mirrors.next()) {
            case Decision.Ask ask -> ask(ask.candidate());
            case Decision.Nobody nobody ->
                giveUp(
                        switch (nobody.why()) {
                            case NO_ROUTE -> Refusal.NO_ROUTE;
                            case ALL_DOWN -> Refusal.ALL_DOWN;
                            // They had it before us, and could not.
                            case ALL_EXCLUDED -> Refusal.LOOP;
                        });
        }
    }

    private void giveUp(Refusal why) {
        Refusal told = last;
        refuse(told == null ? why : told, told == null ? at.routing().self().text() : lastOf);
    }

    private void ask(Candidate candidate) {
        mirrors.asks(candidate);
        boolean isOwn = candidate.member().equals(at.routing().self());
        if (isOwn
                && !head.contains(Heads.PROTOCOL)
                && at.isHere(candidate.route().prefix())) {
            askHere();
            return;
        }
        boolean isOwnTunnel = isOwn && head.contains(Heads.PROTOCOL);
        if (isOwnTunnel && ofPeer) {
            // Who asked hears of a refusal, and knows the other mirrors.
            answeredBy(at.tunnels());
            return;
        }
        Attempt made = new Attempt(this, candidate.member(), at.routing().outlooks(), client);
        attempt = made;
        at.routing().outlooks().began(candidate.member());
        if (isOwnTunnel) {
            at.counts().count(FrontCounts.Kind.OWN);
            made.asks(InnerStream.open(at.loop(), made, answer -> at.tunnels().take(head, endsAtHead, answer, HERE)));
        } else if (isOwn) {
            LocalServer server = at.routing().server(candidate.route().prefix());
            if (server == null) {
                made.failed(Refusal.NO_ROUTE);
                return;
            }
            at.counts().count(FrontCounts.Kind.OWN);
            sight = PageSight.of(at.pages(), at.servers(), head, endsAtHead, asker, client);
            ServerAsk ask = new ServerAsk(at.servers(), at.routing(), server, head, endsAtHead, made);
            made.asks(ask);
            ask.start();
        } else {
            Line line = at.lines().to(candidate.member(), candidate.line());
            if (line == null) {
                made.failed(Refusal.LINE_DOWN);
                return;
            }
            at.counts().count(FrontCounts.Kind.FORWARDED);
            at.pages()
                    .prefetch()
                    .tell(
                            head,
                            !ofPeer && !forCache && Prefetch.isPlain(head, endsAtHead) && Prefetch.isGet(head),
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
    private void answeredBy(StreamTaker taker) {
        at.counts().count(FrontCounts.Kind.OWN);
        StreamEvents made = taker.take(head, endsAtHead, client, HERE);
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
        StreamEvents through = tunnel;
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
        StreamEvents through = tunnel;
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
        Attempt now = attempt;
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
        StreamEvents through = tunnel;
        Attempt now = attempt;
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
        StreamEvents through = tunnel;
        Attempt now = attempt;
        if (through != null) {
            through.ended(how);
        } else if (now != null && how.reason() != StreamEnd.Reason.COMPLETE) {
            attempt = null;
            at.counts().count(FrontCounts.Kind.GIVEN_UP);
            now.giveUp();
        }
    }

    private void refuse(Refusal why, String member) {
        attempt = null;
        kept.forget();
        at.counts().refused(why);
        if (!clientOver) {
            client.head(at.routing().refusal(why, member), true);
            settleUpload();
        }
    }

    // What the member asked says, as its attempt tells it.

    boolean asks(Attempt which) {
        return attempt == which;
    }

    /** Not a byte of an answer came from it, and none will. */
    void failed(Attempt which, Refusal why) {
        attempt = null;
        last = why;
        lastOf = which.member().text();
        boolean may = kept.isWhole() && (safe || why.isUntouched()) && mirrors.mayAskMore() && !clientOver;
        if (may && why != Refusal.MALFORMED_REQUEST) {
            at.counts().count(FrontCounts.Kind.RETRIED);
            next();
        } else {
            refuse(why, lastOf);
        }
    }

    /** From here on nothing can be repeated. */
    void answers(Attempt which, Http2Headers fields) {
        kept.forget();
        chosen.accept(which.member());
        at.counts().count(FrontCounts.Kind.ANSWERED);
        fields.add(
                Heads.VIA,
                HopPath.entry(
                        ofPeer ? "2.0" : "1.1",
                        at.routing().self(),
                        at.routing().cluster()));
        if (!ofPeer && !forCache) {
            changes();
        }
        PageSight seen = sight;
        if (seen != null) {
            seen.answered(fields);
        }
    }

    /** A member will answer what this request's page needs. */
    StreamEvents promised(MemberId member, Http2Headers fields, LineStream stream) {
        return Arrival.of(at.pages(), member, Prefetch.url(head), fields, stream);
    }

    /** It has room for more of the request. */
    void hasRoom() {
        settleUpload();
    }

    /** It is over: with all said, or broken off. */
    void over(boolean whole, long bytes) {
        attempt = null;
        PageSight seen = sight;
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
