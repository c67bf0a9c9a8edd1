package dev.komainu.organizer.front;

import dev.komainu.organizer.line.Line;
import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.Peer;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.StreamEvents;
import dev.komainu.organizer.route.Candidate;
import dev.komainu.organizer.route.Choice;
import dev.komainu.organizer.route.Decision;
import dev.komainu.organizer.route.HopPath;
import dev.komainu.organizer.route.MemberId;
import dev.komainu.organizer.route.Outlooks;
import dev.komainu.organizer.route.RouteTable;
import dev.komainu.organizer.route.Wanted;
import dev.komainu.organizer.server.LocalServer;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * One exchange on its way through this organizer: hears the client (a browser, a proxy, a peer), asks whom the table names, and asks another
 * mirror when that cannot answer and nobody can notice: not a byte of an answer came, what was said of the body is still here, and
 * the method is safe or no server has seen anything of the request. It keeps the table it began with. On its loop.
 *
 * <p>What a peer asks, a server of this member answers when one serves it: that peer has chosen already. Else it moved, and goes on.
 */
final class Passage implements StreamEvents {

    /** Members asked for one request. */
    private static final int MOST_ATTEMPTS = 4;
    /** Of a request's body, kept so that it can be sent again. */
    private static final int MOST_KEPT = 64 << 10;

    /** Tunnels do not ask who wants them: whoever may ask here may have them. */
    private static final Peer HERE = new Peer(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), Set.of());

    /** A part of the body. */
    private record Part(ByteBuf bytes, boolean ends) {}

    private final FrontLoop at;
    private final LineStream client;
    private final Http2Headers head;
    private final boolean endsAtHead;
    private final boolean ofPeer;
    private final RouteTable table;
    private final String host;
    private final String path;
    private final boolean safe;
    private final Set<MemberId> excluded;
    private final Deque<Part> kept = new ArrayDeque<>(0);
    private @Nullable Http2Headers keptTrailers;
    private int keptBytes;
    private boolean keepsAll = true;
    private int attempts;
    private @Nullable Attempt attempt;
    private @Nullable StreamEvents tunnel;
    private @Nullable Refusal last;
    private String lastOf = "";
    private int owedToClient;
    private boolean clientSaidAll;
    private boolean clientOver;

    private Passage(FrontLoop at, Http2Headers head, boolean ends, LineStream client, boolean ofPeer, HopPath way) {
        this.at = at;
        this.client = client;
        this.head = head;
        this.endsAtHead = ends;
        this.clientSaidAll = ends;
        this.ofPeer = ofPeer;
        this.table = at.table();
        this.host = Heads.host(head);
        this.path = Heads.path(head);
        this.safe = ends && ServerAsk.SAFE.contains(String.valueOf(head.method()));
        this.excluded = new HashSet<>(way.seen());
    }

    /**
     * Takes a request.
     *
     * @param client may hear the answer before this returns
     * @param ofPeer it came over a line
     * @return who hears the rest of the request
     */
    static StreamEvents take(FrontLoop at, Http2Headers head, boolean ends, LineStream client, boolean ofPeer) {
        at.counts().count(ofPeer ? FrontCounts.Kind.PEER_REQUESTS : FrontCounts.Kind.REQUESTS);
        if (head.contains(Heads.PROTOCOL)) {
            at.counts().count(FrontCounts.Kind.TUNNELS);
        }
        HopPath way = HopPath.of(Heads.via(head), at.cluster());
        Passage made = new Passage(at, head, ends, client, ofPeer, way);
        if (way.isLoopAt(at.self())) {
            made.refuse(Refusal.LOOP, at.self().text());
        } else {
            head.add(Heads.VIA, HopPath.entry(ofPeer ? "2.0" : "1.1", at.self(), at.cluster()));
            made.next();
        }
        return made;
    }

    // Whom to ask.

    private void next() {
        Candidate own = ofPeer ? own() : null;
        if (own != null) {
            if (attempts > 0) {
                // The peer that asked knows the other mirrors, too.
                giveUp(Refusal.ALL_DOWN);
            } else {
                ask(own);
            }
            return;
        }
        Decision decision = choose(safe);
        if (!safe && decision instanceof Decision.Nobody none && none.why() == Decision.WhyNot.ALL_DOWN) {
            // Nothing of it was sent yet. Were it never to try who may be back, a member asked nothing safe would stay
            // away.
            decision = choose(true);
        }
        switch (decision) {
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

    private Decision choose(boolean mayProbe) {
        Wanted wanted = new Wanted(
                host, path, excluded, mayProbe, ThreadLocalRandom.current().nextDouble());
        return Choice.of(table, wanted, at.outlooks()::of);
    }

    private @Nullable Candidate own() {
        for (Candidate candidate : table.candidates(host, Heads.pathWithoutQuery(head))) {
            if (candidate.member().equals(at.self())) {
                return candidate;
            }
        }
        return null;
    }

    private void giveUp(Refusal why) {
        Refusal told = last;
        refuse(told == null ? why : told, told == null ? at.self().text() : lastOf);
    }

    private void ask(Candidate candidate) {
        attempts++;
        excluded.add(candidate.member());
        boolean isOwn = candidate.member().equals(at.self());
        if (isOwn && head.contains(Heads.PROTOCOL)) {
            askForTunnel();
            return;
        }
        Attempt made = new Attempt(candidate.member());
        attempt = made;
        at.outlooks().began(candidate.member());
        if (isOwn) {
            LocalServer server = at.server(candidate.route().prefix());
            if (server == null) {
                made.failed(Refusal.NO_ROUTE);
                return;
            }
            at.counts().count(FrontCounts.Kind.OWN);
            ServerAsk ask = new ServerAsk(at, server, head, endsAtHead, made);
            made.upstream = ask;
            ask.start();
        } else {
            Line line = at.line(candidate.member(), candidate.line());
            if (line == null) {
                made.failed(Refusal.LINE_DOWN);
                return;
            }
            at.counts().count(FrontCounts.Kind.FORWARDED);
            made.upstream = line.open(head, endsAtHead, made);
        }
        LineStream to = made.upstream;
        if (attempt == made && to != null) {
            kept.forEach(part -> to.data(part.bytes().retainedDuplicate(), part.ends()));
            Http2Headers behind = keptTrailers;
            if (behind != null) {
                to.trailers(behind);
            }
            settleUpload();
        }
    }

    /** Who dials it answers it from here on, whatever becomes of it. */
    private void askForTunnel() {
        at.counts().count(FrontCounts.Kind.OWN);
        StreamEvents made = at.tunnels().take(head, endsAtHead, client, HERE);
        tunnel = made;
        kept.forEach(part -> made.data(part.bytes().retainedDuplicate(), part.ends()));
        forget();
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
        if (keepsAll && keptBytes + count <= MOST_KEPT) {
            kept.add(new Part(bytes.retainedDuplicate(), ends));
            keptBytes += count;
        } else {
            forget();
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
        keptTrailers = fields;
        LineStream to = upstream();
        if (to != null) {
            to.trailers(fields);
        }
        settleUpload();
    }

    private @Nullable LineStream upstream() {
        Attempt now = attempt;
        return now == null ? null : now.upstream;
    }

    /** It cannot be repeated any more. */
    private void forget() {
        keepsAll = false;
        kept.forEach(part -> part.bytes().release());
        kept.clear();
        keptTrailers = null;
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
        forget();
        StreamEvents through = tunnel;
        Attempt now = attempt;
        if (through != null) {
            through.ended(how);
        } else if (now != null && how.reason() != StreamEnd.Reason.COMPLETE) {
            attempt = null;
            at.counts().count(FrontCounts.Kind.GIVEN_UP);
            now.finish(Outlooks.Ending.GIVEN_UP);
            LineStream to = now.upstream;
            if (to != null) {
                to.reset(Http2Error.CANCEL);
            }
        }
    }

    private void refuse(Refusal why, String member) {
        attempt = null;
        forget();
        at.counts().refused(why);
        if (!clientOver) {
            client.head(at.refusal(why, member), true);
            settleUpload();
        }
    }

    /** One member asked, and what it says. */
    private final class Attempt implements StreamEvents {

        private final MemberId member;
        private @Nullable LineStream upstream;
        private boolean answered;
        private boolean saidAll;
        private boolean finished;
        private int owed;

        Attempt(MemberId member) {
            this.member = member;
        }

        private void finish(Outlooks.Ending ending) {
            if (!finished) {
                finished = true;
                at.outlooks().ended(member, ending);
            }
        }

        /** Not a byte of an answer came, and none will. */
        private void failed(Refusal why) {
            // A server that does not take connections is left out until it is tried again; one slow or broken answer
            // says nothing of the next.
            finish(
                    why.isUntouched() && why != Refusal.LOOP && why != Refusal.MALFORMED_REQUEST
                                    || why == Refusal.LINE_LOST
                            ? Outlooks.Ending.UNREACHED
                            : Outlooks.Ending.GIVEN_UP);
            attempt = null;
            last = why;
            lastOf = member.text();
            boolean may = keepsAll && (safe || why.isUntouched()) && attempts < MOST_ATTEMPTS && !clientOver;
            if (may && why != Refusal.MALFORMED_REQUEST) {
                at.counts().count(FrontCounts.Kind.RETRIED);
                next();
            } else {
                refuse(why, lastOf);
            }
        }

        @Override
        public void head(Http2Headers fields, boolean ends) {
            if (attempt != this) {
                return;
            }
            Refusal why = Refusal.in(fields);
            if (why != null) {
                LineStream from = upstream;
                failed(why);
                if (from != null) {
                    from.reset(Http2Error.CANCEL);
                }
                return;
            }
            if (Heads.status(fields) >= 200) {
                answered = true;
                saidAll = ends;
                forget();
                at.counts().count(FrontCounts.Kind.ANSWERED);
                fields.add(Heads.VIA, HopPath.entry(ofPeer ? "2.0" : "1.1", at.self(), at.cluster()));
            }
            client.head(fields, ends);
        }

        @Override
        public void data(ByteBuf bytes, boolean ends) {
            if (attempt != this) {
                bytes.release();
                return;
            }
            saidAll |= ends;
            owed += bytes.readableBytes();
            client.data(bytes, ends);
            settle();
        }

        private void settle() {
            LineStream from = upstream;
            if (owed > 0 && from != null && (saidAll || client.isWritable())) {
                int taken = owed;
                owed = 0;
                from.consumed(taken);
            }
        }

        @Override
        public void trailers(Http2Headers fields) {
            if (attempt == this) {
                saidAll = true;
                client.trailers(fields);
                settle();
            }
        }

        @Override
        public void writable() {
            if (attempt == this) {
                settleUpload();
            }
        }

        @Override
        public void ended(StreamEnd how) {
            if (attempt != this) {
                return;
            }
            if (!answered) {
                failed(
                        switch (how.reason()) {
                            case NO_CONNECTION, REFUSED -> Refusal.LINE_DOWN;
                            case MALFORMED -> Refusal.MALFORMED_ANSWER;
                            default -> Refusal.LINE_LOST;
                        });
                return;
            }
            // A reset says that its server, or the tunnel's other end, broke off; only a lost line says something of
            // the member.
            finish(
                    saidAll
                            ? Outlooks.Ending.ANSWERED
                            : how.reason() == StreamEnd.Reason.LOST
                                    ? Outlooks.Ending.UNREACHED
                                    : Outlooks.Ending.GIVEN_UP);
            upstream = saidAll ? upstream : null;
            if (!saidAll) {
                attempt = null;
                at.counts().count(FrontCounts.Kind.BROKEN);
                client.reset(Http2Error.INTERNAL_ERROR);
            } else {
                settle();
                // What the client still says of its body goes nowhere.
                attempt = null;
                settleUpload();
            }
        }
    }
}
