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
 * One exchange that this organizer forwards: it receives the request of a client (a browser, a
 * proxy or a peer) and sends it to the member that the route table selects. It retries with another
 * mirror while the client cannot notice: no byte of a response was received, the request body
 * received so far is still kept, and the method is safe or no server has seen the request. The
 * exchange uses the route table of its start. Used on its event loop.
 *
 * <p>A request of a peer is answered by a server of this member when this member serves the prefix,
 * because the peer has already chosen this member. If the route has moved meanwhile, the request is
 * forwarded.
 */
final class ForwardedExchange implements StreamListener {

    /** Request body bytes kept for a retry. */
    private static final int MAX_REPLAY_BYTES = 64 << 10;

    /**
     * The peer of local requests. Tunnels are not restricted by the origin of the request: each
     * client that can send requests here may open one.
     */
    static final LinePeer LOCAL_PEER =
            new LinePeer(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), Set.of());

    private final FrontLoop frontLoop;
    private final LineStream client;
    private final Http2Headers head;
    private final boolean endsAtHead;
    private final boolean fromPeer;
    /** Whether the embedding proxy sends the request. */
    private final boolean fromProxy;
    /** Receives the selected member, before its response. */
    private final Consumer<MemberId> onMemberChosen;

    private final boolean safe;
    private final MemberSelection selection;
    /**
     * The hint that the requesting peer sent about its push store; null: the peer accepts no
     * pushes.
     */
    private final @Nullable PageRequestHint peerHint;

    private @Nullable PageObservation observation;
    private final ReplayableBody replay = new ReplayableBody();
    private @Nullable ForwardingAttempt attempt;
    private @Nullable StreamListener delegate;
    private @Nullable GatewayError lastError;
    private String lastErrorMember = "";
    private int unconsumed;
    private boolean requestDone;
    private boolean clientEnded;

    private ForwardedExchange(
            FrontLoop frontLoop,
            Http2Headers head,
            boolean ends,
            LineStream client,
            boolean fromPeer,
            boolean fromProxy,
            Consumer<MemberId> onMemberChosen,
            HopPath hops) {
        this.frontLoop = frontLoop;
        this.client = client;
        this.head = head;
        this.endsAtHead = ends;
        this.requestDone = ends;
        this.fromPeer = fromPeer;
        this.fromProxy = fromProxy;
        this.onMemberChosen = onMemberChosen;
        this.safe = ends && LocalServerRequest.SAFE.contains(String.valueOf(head.method()));
        this.selection =
                new MemberSelection(frontLoop.routing(), head, safe, fromProxy, hops.seen());
        this.peerHint = fromPeer ? frontLoop.pages().prefetch().receiveHint(head) : null;
    }

    /**
     * Accepts a request of a client, or of a listener for another protocol.
     *
     * @param client may receive the response before this method returns
     * @param mayPass whether this client may send this request
     * @return the receiver of the rest of the request
     */
    static StreamListener takeOfClient(
            FrontLoop frontLoop,
            Http2Headers head,
            boolean ends,
            LineStream client,
            boolean mayPass) {
        return take(frontLoop, head, ends, client, false, false, mayPass, member -> {});
    }

    /**
     * Accepts a request of this member itself, such as a tunnel of a service: the sender has
     * checked its client. More parts follow.
     */
    static StreamListener takeOwn(FrontLoop frontLoop, Http2Headers head, LineStream client) {
        return takeOfClient(frontLoop, head, false, client, true);
    }

    /**
     * Accepts a request that was received over a line. Its client is not known here, so it manages
     * no cache.
     */
    static StreamListener takeOfPeer(
            FrontLoop frontLoop, Http2Headers head, boolean ends, LineStream client) {
        boolean mayPass = !HeadConversion.isCacheManagement(head);
        return take(frontLoop, head, ends, client, true, false, mayPass, member -> {});
    }

    /**
     * Accepts a request of the embedding proxy. Such a request goes to servers only, not to other
     * caches.
     *
     * @param onMemberChosen receives the selected member, before its response
     */
    static StreamListener takeForCache(
            FrontLoop frontLoop,
            Http2Headers head,
            boolean ends,
            LineStream client,
            Consumer<MemberId> onMemberChosen) {
        return take(frontLoop, head, ends, client, false, true, true, onMemberChosen);
    }

    private static StreamListener take(
            FrontLoop frontLoop,
            Http2Headers head,
            boolean ends,
            LineStream client,
            boolean fromPeer,
            boolean fromProxy,
            boolean mayPass,
            Consumer<MemberId> onMemberChosen) {
        frontLoop
                .counts()
                .count(fromPeer ? FrontCounts.Kind.PEER_REQUESTS : FrontCounts.Kind.REQUESTS);
        if (head.contains(HeadConversion.PROTOCOL)) {
            frontLoop.counts().count(FrontCounts.Kind.TUNNELS);
        }
        HopPath hops = HopPath.of(HeadConversion.via(head), frontLoop.routing().cluster());
        ForwardedExchange exchange = new ForwardedExchange(
                frontLoop, head, ends, client, fromPeer, fromProxy, onMemberChosen, hops);
        if (hops.isLoopAt(frontLoop.routing().self())) {
            exchange.refuse(GatewayError.LOOP, frontLoop.routing().self().text());
        } else if (!mayPass) {
            exchange.refuse(GatewayError.NOT_ALLOWED, frontLoop.routing().self().text());
        } else {
            head.add(
                    HeadConversion.VIA,
                    HopPath.entry(
                            fromPeer ? "2.0" : "1.1",
                            frontLoop.routing().self(),
                            frontLoop.routing().cluster()));
            exchange.start();
        }
        return exchange;
    }

    // Selection of the member.

    private void start() {
        if (fromPeer || fromProxy) {
            tryNext();
        } else {
            invalidatePushes();
            PushLookup.serve(
                    frontLoop.pages(),
                    frontLoop.loop(),
                    head,
                    endsAtHead,
                    client,
                    () -> !clientEnded,
                    this::tryNext);
        }
    }

    /** Invalidates the stored pushes that this request may change (RFC 9111 section 4.4). */
    private void invalidatePushes() {
        PushStore store = frontLoop.pages().prefetch().pushStore();
        if (store != null
                && !store.isEmpty()
                && !LocalServerRequest.SAFE.contains(String.valueOf(head.method()))) {
            store.invalidate(Prefetch.url(head));
        }
    }

    private void tryNext() {
        Candidate localCandidate = fromPeer ? selection.localCandidate() : null;
        if (localCandidate != null) {
            if (selection.isFirstAttempt()) {
                send(localCandidate);
            } else {
                // The requesting peer retries with the other mirrors itself.
                respondWithError(GatewayError.ALL_DOWN);
            }
            return;
        }
        switch (selection.nextMember()) {
            case RouteDecision.Chosen selected -> send(selected.candidate());
            case RouteDecision.NoMember none ->
                respondWithError(
                        switch (none.reason()) {
                            case NO_ROUTE -> GatewayError.NO_ROUTE;
                            case ALL_DOWN -> GatewayError.ALL_DOWN;
                            // All remaining members already had this request and failed.
                            case ALL_EXCLUDED -> GatewayError.LOOP;
                        });
        }
    }

    private void respondWithError(GatewayError error) {
        GatewayError previous = lastError;
        refuse(
                previous == null ? error : previous,
                previous == null ? frontLoop.routing().self().text() : lastErrorMember);
    }

    private void send(Candidate candidate) {
        selection.recordAttempt(candidate);
        boolean isLocal = candidate.member().equals(frontLoop.routing().self());
        if (isLocal
                && !head.contains(HeadConversion.PROTOCOL)
                && frontLoop.isServedByProxy(candidate.route().prefix())) {
            forwardToProxy();
            return;
        }
        boolean isLocalTunnel = isLocal && head.contains(HeadConversion.PROTOCOL);
        if (isLocalTunnel && fromPeer) {
            // The requesting peer receives the refusal and retries with the other mirrors.
            delegateTo(frontLoop.tunnels());
            return;
        }
        ForwardingAttempt started = new ForwardingAttempt(
                this, candidate.member(), frontLoop.routing().forecasts(), client);
        attempt = started;
        frontLoop.routing().forecasts().started(candidate.member());
        if (isLocalTunnel) {
            frontLoop.counts().count(FrontCounts.Kind.OWN);
            started.setUpstream(LocalStream.open(
                    frontLoop.loop(),
                    started,
                    answer -> frontLoop.tunnels().take(head, endsAtHead, answer, LOCAL_PEER)));
        } else if (isLocal) {
            LocalServer server = frontLoop.routing().server(candidate.route().prefix());
            if (server == null) {
                started.failed(GatewayError.NO_ROUTE);
                return;
            }
            frontLoop.counts().count(FrontCounts.Kind.OWN);
            observation = PageObservation.of(
                    frontLoop.pages(), frontLoop.servers(), head, endsAtHead, peerHint, client);
            LocalServerRequest request = new LocalServerRequest(
                    frontLoop.servers(), frontLoop.routing(), server, head, endsAtHead, started);
            started.setUpstream(request);
            request.start();
        } else {
            Line line = frontLoop.lines().line(candidate.member(), candidate.line());
            if (line == null) {
                started.failed(GatewayError.LINE_DOWN);
                return;
            }
            frontLoop.counts().count(FrontCounts.Kind.FORWARDED);
            frontLoop
                    .pages()
                    .prefetch()
                    .setHint(
                            head,
                            !fromPeer
                                    && !fromProxy
                                    && Prefetch.isPlain(head, endsAtHead)
                                    && Prefetch.isGet(head),
                            candidate.member().text());
            started.setUpstream(line.open(head, endsAtHead, started));
        }
        LineStream to = started.upstream();
        if (attempt == started && to != null) {
            replay.sayTo(to);
            reportConsumed();
        }
    }

    /** Passes the request to the embedding proxy. */
    private void forwardToProxy() {
        delegateTo(frontLoop.proxyAcceptor());
    }

    /** Passes the whole exchange to an acceptor. No retry is possible afterwards. */
    private void delegateTo(StreamAcceptor acceptor) {
        frontLoop.counts().count(FrontCounts.Kind.OWN);
        StreamListener receiver = acceptor.take(head, endsAtHead, client, LOCAL_PEER);
        delegate = receiver;
        replay.sayTo(receiver);
        replay.forget();
    }

    // The request.

    @Override
    public void head(Http2Headers fields, boolean ends) {
        throw new IllegalStateException("The head of the request is already known");
    }

    @Override
    public void data(ByteBuf bytes, boolean ends) {
        StreamListener receiver = delegate;
        if (receiver != null) {
            receiver.data(bytes, ends);
            return;
        }
        requestDone |= ends;
        int count = bytes.readableBytes();
        unconsumed += count;
        if (replay.isWhole() && replay.bytes() + count <= MAX_REPLAY_BYTES) {
            replay.add(bytes.retainedDuplicate(), ends);
        } else {
            replay.forget();
        }
        LineStream to = upstream();
        if (to == null) {
            bytes.release();
        } else {
            to.data(bytes, ends);
        }
        reportConsumed();
    }

    @Override
    public void trailers(Http2Headers fields) {
        StreamListener receiver = delegate;
        if (receiver != null) {
            receiver.trailers(fields);
            return;
        }
        requestDone = true;
        replay.add(fields);
        LineStream to = upstream();
        if (to != null) {
            to.trailers(fields);
        }
        reportConsumed();
    }

    private @Nullable LineStream upstream() {
        ForwardingAttempt current = attempt;
        return current == null ? null : current.upstream();
    }

    private void reportConsumed() {
        LineStream to = upstream();
        if (unconsumed > 0 && (to == null || requestDone || to.isWritable())) {
            int bytes = unconsumed;
            unconsumed = 0;
            client.consumed(bytes);
        }
    }

    /** Resumes the response when the client accepts more bytes. */
    @Override
    public void writable() {
        StreamListener receiver = delegate;
        ForwardingAttempt current = attempt;
        if (receiver != null) {
            receiver.writable();
        } else if (current != null) {
            current.reportConsumed();
        }
    }

    @Override
    public void ended(StreamEnd end) {
        clientEnded = true;
        replay.forget();
        StreamListener receiver = delegate;
        ForwardingAttempt current = attempt;
        if (receiver != null) {
            receiver.ended(end);
        } else if (current != null && end.reason() != StreamEnd.Reason.COMPLETE) {
            attempt = null;
            frontLoop.counts().count(FrontCounts.Kind.GIVEN_UP);
            current.cancel();
        }
    }

    private void refuse(GatewayError error, String member) {
        attempt = null;
        replay.forget();
        frontLoop.counts().refused(error);
        if (!clientEnded) {
            client.head(frontLoop.routing().refusal(error, member), true);
            reportConsumed();
        }
    }

    // Events of the current attempt.

    boolean isCurrent(ForwardingAttempt source) {
        return attempt == source;
    }

    /** Retries or refuses after an attempt that received no byte of a response. */
    void failed(ForwardingAttempt source, GatewayError error) {
        attempt = null;
        lastError = error;
        lastErrorMember = source.member().text();
        boolean mayRetry = replay.isWhole()
                && (safe || error.isUntouched())
                && selection.mayRetry()
                && !clientEnded;
        if (mayRetry && error != GatewayError.MALFORMED_REQUEST) {
            frontLoop.counts().count(FrontCounts.Kind.RETRIED);
            tryNext();
        } else {
            refuse(error, lastErrorMember);
        }
    }

    /** Starts the response. No retry is possible afterwards. */
    void responseStarted(ForwardingAttempt source, Http2Headers fields) {
        replay.forget();
        onMemberChosen.accept(source.member());
        frontLoop.counts().count(FrontCounts.Kind.ANSWERED);
        fields.add(
                HeadConversion.VIA,
                HopPath.entry(
                        fromPeer ? "2.0" : "1.1",
                        frontLoop.routing().self(),
                        frontLoop.routing().cluster()));
        if (!fromPeer && !fromProxy) {
            invalidatePushes();
        }
        PageObservation observed = observation;
        if (observed != null) {
            observed.headReceived(fields);
        }
    }

    /** Accepts a push that the member promises for the page of this request. */
    StreamListener promised(MemberId member, Http2Headers fields, LineStream stream) {
        return ReceivedPush.of(frontLoop.pages(), member, Prefetch.url(head), fields, stream);
    }

    /** Resumes the request body when the upstream accepts more bytes. */
    void upstreamWritable() {
        reportConsumed();
    }

    /** Ends the exchange, with a complete response or with a broken one. */
    void attemptEnded(boolean complete, long bytes) {
        attempt = null;
        PageObservation observed = observation;
        if (complete) {
            if (observed != null) {
                observed.completed(bytes);
            }
            // The rest of the request body is discarded.
            reportConsumed();
        } else {
            frontLoop.counts().count(FrontCounts.Kind.BROKEN);
            client.reset(Http2Error.INTERNAL_ERROR);
        }
    }
}
