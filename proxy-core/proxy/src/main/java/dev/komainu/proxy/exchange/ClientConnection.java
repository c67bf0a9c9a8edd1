package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.buffer.ReceiveShare;
import dev.komainu.intermediary.buffer.UpstreamReads;
import dev.komainu.intermediary.connection.BodyPace;
import dev.komainu.intermediary.connection.DeadlineList;
import dev.komainu.intermediary.message.Ascii;
import dev.komainu.intermediary.message.HeadProgress;
import dev.komainu.intermediary.message.MessageFault;
import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.intermediary.tunnel.Tunnel;
import dev.komainu.intermediary.upstream.Origin;
import dev.komainu.intermediary.upstream.OriginFailure;
import dev.komainu.intermediary.upstream.UpstreamInfo;
import dev.komainu.proxy.cache.StoredResponse;
import dev.komainu.telemetry.record.ProxyExchange.CacheOutcome;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A client's HTTP/1 connection: bytes in, exchanges one after the other, responses out in the order
 * of the requests.
 *
 * <p>Reads once, serves every complete request of that read, flushes once. While an exchange is in
 * progress, the bytes of the next ones wait: at most {@value #MAX_AHEAD} and one read; then reading
 * stops. Waiting bytes are copied to a buffer of their own size instead of staying in the buffer of
 * the read: ten thousand clients may each have a few bytes waiting here.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the channel
public final class ClientConnection extends ChannelInboundHandlerAdapter
        implements ClientStream, ClientSession, UpstreamReads {

    /** Phases of a connection, by what it waits for. */
    private enum Phase {
        /** A request's head, or the rest of it. */
        HEAD,
        /** The first bytes of a body whose head is complete. */
        BODY,
        /** An exchange is in progress, or the connection is idle. */
        OPEN,
        TUNNEL;

        /** Reports whether the head timeout limits the client. */
        boolean isBeforeRequest() {
            return this == HEAD || this == BODY;
        }
    }

    private static final int MAX_AHEAD = 16 * 1024;
    private static final int LEAST_PENDING = 128;
    private static final byte[] CONNECTED =
            Ascii.bytes("HTTP/1.1 200 Connection established\r\n\r\n");

    private final LoopContext context;
    private final Channel channel;
    private final InetSocketAddress peer;
    private final ClientPermission permission;
    private final boolean overTls;
    private final boolean hasWaited;
    private final Exchange exchange;
    private final ExchangeAccounting accounting;
    private final Upload upload = new Upload();
    private final DeadlineList.Entry deadline = new DeadlineList.Entry() {
        @Override
        protected void expired() {
            onTimeout();
        }
    };
    /** The entry in the list of silent clients; null after the client has sent bytes. */
    private DeadlineList.@Nullable Entry silence;

    private OpenSessions.@Nullable Entry openSession;
    private final ClientConnectionClose closer;
    private final StallDetector stall;
    private final BodyPace pace;
    private @Nullable ByteBuf pending;
    private @Nullable HeadProgress incompleteHead;
    private @Nullable FetchedResponse delivery;
    private Phase phase = Phase.HEAD;
    /** True until the first request is read: HTTP/2's preface may come in its place. */
    private boolean mayBeHttp2;
    /**
     * True while the bytes of a read are served; responses are flushed once, behind the last one.
     */
    private boolean reading;

    private boolean inputEnded;
    /**
     * True while the client may send more behind its last request: it did not ask for the close.
     */
    private boolean mayFollow;

    private boolean unsent;

    /**
     * Creates the connection.
     *
     * @param overTls whether its bytes come out of TLS
     * @param hasWaited whether it waited for admission, so that it could have sent its request
     */
    public ClientConnection(
            LoopContext context,
            Channel channel,
            InetSocketAddress peer,
            boolean overTls,
            boolean hasWaited) {
        this.overTls = overTls;
        this.hasWaited = hasWaited;
        this.context = context;
        this.channel = channel;
        this.peer = peer;
        this.permission = new ClientPermission(peer.getAddress());
        this.mayBeHttp2 = context.policy.streams().enabled();
        this.accounting = new ExchangeAccounting(context, peer);
        this.exchange = new Exchange(context, this);
        this.closer = new ClientConnectionClose(context.lingering, channel, overTls, deadline);
        this.pace =
                new BodyPace(
                        context.bodies.current(), context.policy.connections().leastBodyBytes()) {
                    @Override
                    protected void tooSlow() {
                        bodyTooSlow();
                    }
                };
        this.stall = new StallDetector(context, channel) {
            @Override
            void stalled() {
                writesStalled();
            }
        };
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        context.tally.clientConnections++;
        openSession = context.connections.add(this);
        context.buffers.attach(channel, this);
        // The first request's timeout runs from the accept: a client that is silent for long has no
        // time left for a slow
        // head.
        long now = System.nanoTime();
        context.heads.current().append(deadline, now);
        DeadlineList.Entry waiting = new DeadlineList.Entry() {
            @Override
            protected void expired() {
                channel.close();
            }
        };
        silence = waiting;
        context.addSilent(waiting, hasWaited, now);
    }

    private void endSilence() {
        DeadlineList.Entry waiting = silence;
        if (waiting != null) {
            silence = null;
            DeadlineList.remove(waiting);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        context.time.update();
        endSilence();
        if (phase == Phase.TUNNEL && pending == null && ctx.pipeline().last() != this) {
            ctx.fireChannelRead(in);
            return;
        }
        if (closer.isLingering() || (closer.isDue() && delivery == null)) {
            in.release();
            return;
        }
        ByteBuf before = pending;
        pending = before == null ? in : joined(ctx, before, in);
        reading = true;
        proceed();
        fit(ctx);
    }

    private void fit(ChannelHandlerContext ctx) {
        ByteBuf large = pending;
        if (large != null
                && large.capacity() > 4 * Math.max(LEAST_PENDING, large.readableBytes())) {
            int size = Math.max(LEAST_PENDING, 2 * large.readableBytes());
            pending = ctx.alloc().directBuffer(size).writeBytes(large);
            large.release();
        }
    }

    private static ByteBuf joined(ChannelHandlerContext ctx, ByteBuf before, ByteBuf in) {
        ByteBuf all = before;
        if (before.writableBytes() < in.readableBytes() || before.refCnt() > 1) {
            all = ctx.alloc().directBuffer(2 * (before.readableBytes() + in.readableBytes()));
            all.writeBytes(before);
            before.release();
        }
        all.writeBytes(in);
        in.release();
        return all;
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (phase == Phase.TUNNEL) {
            reading = false;
            ctx.fireChannelReadComplete();
            return;
        }
        reading = false;
        flushNow();
        if (accounting.hasUnflushed()) {
            accounting.flushed(context.time.update());
        }
        startTimeout(context.time.nanos());
    }

    /** Serves the pending bytes as far as possible. */
    @SuppressWarnings("ReferenceEquality") // the same buffer, not the same bytes
    private void proceed() {
        ByteBuf in = pending;
        while (in != null && in.isReadable() && !closer.isLingering() && phase != Phase.TUNNEL) {
            if (delivery != null) {
                upload(in, delivery);
                break;
            } else if (closer.isDue() || !channel.isWritable() || !serve(in)) {
                break;
            }
        }
        if (in != null && in == pending && !in.isReadable()) {
            in.release();
            pending = null;
        }
        if (inputEnded && delivery == null && phase != Phase.TUNNEL && channel.isWritable()) {
            // The pending bytes cannot become a request.
            closer.closeAfterResponse();
        }
        // A peer that sends ahead of its responses is read no further than this.
        boolean ahead = delivery != null || !channel.isWritable();
        boolean read = closer.isLingering()
                || (phase != Phase.TUNNEL
                        && (pending == null || !ahead || pending.readableBytes() < MAX_AHEAD));
        if (channel.config().isAutoRead() != read) {
            channel.config().setAutoRead(read);
        }
    }

    /**
     * Serves one request.
     *
     * @return false when no further request can be served now
     */
    private boolean serve(ByteBuf in) {
        if (mayBeHttp2 && isHttp2(in)) {
            return false;
        }
        HeadProgress progress = incompleteHead;
        if (progress != null && !progress.isDue(in)) {
            return false;
        }
        RequestHead head = context.head;
        head.setReceivedOver(overTls, false);
        RequestHead.Outcome outcome = head.read(in);
        if (outcome != RequestHead.Outcome.INCOMPLETE) {
            incompleteHead = null;
        } else if (progress == null) {
            incompleteHead = new HeadProgress();
            incompleteHead.isDue(in);
        }
        switch (outcome) {
            case INCOMPLETE -> {
                awaitRequest(Phase.HEAD);
                return false;
            }
            case FAULT -> {
                if (mayBeHttp2 && Http2Negotiation.isNeither(in)) {
                    closeUnanswered();
                } else {
                    refuse(head.fault());
                }
                return false;
            }
            case COMPLETE -> {
                if (!mayStart(in, head)) {
                    return false;
                }
                in.skipBytes(head.length());
            }
        }
        phase = Phase.OPEN;
        mayBeHttp2 = false;
        DeadlineList.remove(deadline);
        context.tally.requests++;
        accounting.received(head.length());
        mayFollow = head.keepAlive() || head.methodIs("CONNECT");
        // An exchange that was handed over may be complete already; the pending bytes are checked
        // again in both cases.
        exchange.start(head, context.time.nanos());
        return !closer.isDue();
    }

    /**
     * Reports whether the first bytes are those of HTTP/2.
     *
     * @return true when they are not HTTP/1's, or this is not known yet
     */
    private boolean isHttp2(ByteBuf first) {
        Http2Negotiation.Preface preface = Http2Negotiation.match(first);
        if (preface == Http2Negotiation.Preface.PERHAPS) {
            phase = Phase.HEAD;
        }
        if (preface == Http2Negotiation.Preface.YES) {
            handOver(first);
        }
        return preface != Http2Negotiation.Preface.NO;
    }

    /** Continues the connection as HTTP/2; it is counted there. */
    private void handOver(ByteBuf first) {
        DeadlineList.remove(deadline);
        pending = null;
        context.connections.remove(openSession);
        context.tally.clientConnections--;
        Http2Negotiation.open(context, channel, peer);
        ChannelHandlerContext own = channel.pipeline().context(this);
        own.fireChannelRead(first);
        channel.pipeline().remove(this);
    }

    /** Closes without a response: a client that uses neither protocol cannot read one. */
    private void closeUnanswered() {
        context.tally.requests++;
        context.tally.malformed++;
        context.tally.errors++;
        accounting.malformed(0);
        closer.closeAfterResponse();
        closer.closeFlushed();
    }

    /**
     * Reports whether the request may start. A request with a body starts with the body's first
     * bytes: otherwise an origin would keep a connection for it, and would see a head that breaks
     * off when the body is invalid. A client that waits for 100 (Continue) sends no bytes before
     * that.
     */
    private boolean mayStart(ByteBuf in, RequestHead head) {
        if (!head.hasBody() || head.expectsContinue()) {
            return true;
        }
        switch (upload.checkStart(in, head.length(), head)) {
            case CONTINUES -> {
                return true;
            }
            case FAULT -> refuse(upload.fault());
            case NO_ROOM -> awaitRequest(Phase.BODY);
        }
        return false;
    }

    /** Waits for more of a request. The time for it runs from its first bytes. */
    private void awaitRequest(Phase awaited) {
        boolean hasBegun = phase.isBeforeRequest() && deadline.isWaiting();
        phase = awaited;
        if (!hasBegun) {
            context.heads.current().append(deadline, context.time.nanos());
        }
    }

    private void refuse(MessageFault fault) {
        context.tally.malformed++;
        respondFault(fault);
    }

    private void bodyTooSlow() {
        if (delivery != null && !upload.isComplete()) {
            context.tally.slowBodies++;
            respondFault(MessageFault.SLOW_BODY);
        }
    }

    private void respondFault(MessageFault fault) {
        context.tally.requests++;
        context.tally.errors++;
        if (delivery != null && delivery.hasBegun()) {
            // A part of the response is sent already: an error page would be read as its body.
            abandonDelivery();
            breakOff();
            return;
        }
        context.tally.responses++;
        ByteBuf out = buffer(512);
        context.headWriter.message(
                out,
                fault.status(),
                fault.reason() + " (" + fault.section() + ")",
                false,
                false,
                1);
        closer.closeAfterResponse();
        abandonDelivery();
        write(out);
        accounting.malformed(fault.status());
        linger();
    }

    // The methods for exchanges.

    @Override
    public boolean permitted() {
        return permission.isGiven(context.policy);
    }

    @Override
    public InetAddress client() {
        return peer.getAddress();
    }

    @Override
    public boolean isWritable() {
        return channel.isWritable();
    }

    @Override
    public void limitPendingBytes(int bytes) {
        context.buffers.limitReadAhead(channel, bytes);
    }

    @Override
    public ByteBuf buffer(int size) {
        return channel.alloc().directBuffer(size);
    }

    @Override
    public void write(ByteBuf bytes) {
        accounting.sent(bytes.readableBytes());
        stall.wrote(bytes.readableBytes());
        unsent = true;
        channel.write(bytes, channel.voidPromise());
    }

    @Override
    public void flushLater() {
        if (!reading) {
            context.flushLater(this);
        }
    }

    @Override
    public void flushNow() {
        if (closer.isDue() && delivery == null && !closer.isLingering()) {
            if (!inputEnded && (mayFollow || isMorePending())) {
                linger();
            } else {
                closer.closeFlushed(unsent);
            }
        } else if (unsent) {
            // Only when bytes are unsent: TLS would otherwise send an empty record.
            unsent = false;
            channel.flush();
        }
        if (phase != Phase.TUNNEL) {
            stall.flushed();
        }
    }

    @Override
    public boolean keepsAlive(RequestHead head) {
        return head.keepAlive()
                && permitted()
                && !context.isDraining()
                && !closer.isDue()
                && !(inputEnded && !isMorePending());
    }

    private boolean isMorePending() {
        return pending != null && pending.isReadable();
    }

    @Override
    public boolean wantsChunks(RequestHead head) {
        return head.minorVersion() > 0;
    }

    @Override
    public void finishHit(
            RequestHead head, int status, CacheOutcome outcome, long startNanos, boolean keep) {
        accounting.recordHit(head, status, outcome, startNanos);
        if (!keep) {
            closer.closeAfterResponse();
        }
    }

    @Override
    public void respond(
            RequestHead head, int status, String message, CacheOutcome outcome, long startNanos) {
        boolean keep = keepsAlive(head) && !head.hasBody();
        ByteBuf out = buffer(512 + message.length());
        context.headWriter.message(
                out, status, message, head.methodIs("HEAD"), keep, head.minorVersion());
        responding(startNanos);
        write(out);
        accounting.count(head, status, outcome, null, startNanos);
        if (!keep) {
            closer.closeAfterResponse();
            if (head.hasBody()) {
                linger();
            }
        }
    }

    @Override
    public void startDelivery(FetchedResponse response, RequestHead head) {
        delivery = response;
        upload.begin(head);
        if (head.hasBody()) {
            pace.setLimit(context.bodies.current(), context.policy.connections().leastBodyBytes());
        }
    }

    @Override
    public ExchangeAccounting accounting() {
        return accounting;
    }

    /** Continues with the next request. */
    @Override
    public void endDelivery(boolean keep) {
        boolean unread = !upload.isComplete();
        delivery = null;
        if (!keep || unread) {
            closer.closeAfterResponse();
        }
        if (unread) {
            linger();
        } else {
            resume();
        }
    }

    /** Resets the connection. */
    @Override
    public void breakOff() {
        delivery = null;
        closer.breakOff();
    }

    @Override
    public void retry(RequestHead head, long startNanos) {
        delivery = null;
        exchange.retry(head, startNanos);
        if (delivery == null) {
            resume();
        }
    }

    @Override
    public void retry(RequestHead head, long startNanos, StoredResponse restored) {
        delivery = null;
        exchange.retry(head, startNanos, restored);
        if (delivery == null) {
            resume();
        }
    }

    /** Continues between two exchanges: sends written bytes, serves pending ones, or waits. */
    private void resume() {
        flushLater();
        if (!reading) {
            proceed();
            startTimeout(context.time.nanos());
        }
    }

    @Override
    public void failed(
            RequestHead head, OriginFailure failure, long startNanos, UpstreamInfo upstream) {
        boolean unread = !upload.isComplete();
        delivery = null;
        boolean keep = keepsAlive(head) && !unread;
        ByteBuf out = buffer(512 + failure.message().length());
        context.headWriter.message(
                out,
                failure.status(),
                failure.message(),
                head.methodIs("HEAD"),
                keep,
                head.minorVersion());
        responding(startNanos);
        write(out);
        accounting.count(head, failure.status(), CacheOutcome.ERROR, upstream, startNanos);
        if (!keep) {
            closer.closeAfterResponse();
        }
        if (unread) {
            linger();
        } else {
            resume();
        }
    }

    /** Turns the connection into a tunnel after the response. */
    @Override
    public void tunnel(RequestHead head, Origin target, long startNanos) {
        RequestHead ownHead = head.detached();
        phase = Phase.TUNNEL;
        DeadlineList.remove(stall);
        channel.config().setAutoRead(false);
        DeadlineList.remove(deadline);
        context.tally.inFlight++;
        context.origins().connectUnpooled(target, (dialled, failure) -> {
            if (dialled == null || !channel.isActive()) {
                context.tally.inFlight--;
                phase = Phase.OPEN;
                if (dialled != null) {
                    dialled.close();
                }
                if (!channel.isActive()) {
                    accounting.abandoned(
                            ownHead, CacheOutcome.TUNNEL, UpstreamInfo.none(target), startNanos);
                } else if (failure != null) {
                    respond(
                            ownHead,
                            failure.status(),
                            failure.message(),
                            CacheOutcome.ERROR,
                            startNanos);
                    closer.closeAfterResponse();
                    linger();
                }
                return;
            }
            UpstreamInfo reached = new UpstreamInfo(
                    target.toString(), (InetSocketAddress) dialled.remoteAddress(), -1);
            responding(startNanos);
            write(Unpooled.wrappedBuffer(CONNECTED));
            channel.flush();
            ByteBuf early = pending == null ? Unpooled.EMPTY_BUFFER : pending;
            pending = null;
            Tunnel[] relay = new Tunnel[1];
            relay[0] = new Tunnel(
                    channel, dialled, () -> tunnelEnded(ownHead, reached, startNanos, relay[0]));
            relay[0].begin(early);
        });
    }

    private void tunnelEnded(RequestHead head, UpstreamInfo target, long startNanos, Tunnel relay) {
        context.tally.inFlight--;
        accounting.tunnelled(relay.upBytes(), relay.downBytes());
        accounting.count(head, 200, CacheOutcome.TUNNEL, target, startNanos);
    }

    @Override
    public void uploadReady() {
        upload.open();
        pace.pause();
        proceed();
        channel.config().setAutoRead(true);
    }

    private void upload(ByteBuf in, FetchedResponse to) {
        int before = in.readableBytes();
        Upload.Outcome outcome = upload.move(in, to);
        int moved = before - in.readableBytes();
        accounting.received(moved);
        switch (outcome) {
            case FAULT -> refuse(upload.fault());
            case NO_ROOM -> {
                pace.pause();
                channel.config().setAutoRead(false);
            }
            case CONTINUES -> {
                if (upload.isComplete()) {
                    pace.pause();
                } else if (inputEnded && upload.isOpen()) {
                    closeIncomplete();
                } else if (moved > 0) {
                    pace.received(moved, System.nanoTime());
                }
            }
        }
    }

    // The end of connections.

    /**
     * Starts the timeout for which the client is responsible: the idle timeout, or that of an
     * upload. While a response is due there is none.
     */
    private void startTimeout(long nowNanos) {
        if (closer.isLingering() || closer.isDue()) {
            return;
        }
        if (delivery != null) {
            if (upload.isComplete()) {
                DeadlineList.remove(deadline);
            } else {
                context.uploads.current().append(deadline, nowNanos);
            }
        } else if (pending == null) {
            phase = Phase.OPEN;
            context.addIdle(deadline, nowNanos);
        }
    }

    /**
     * Reports whether a response would be lost if the client's end of input were taken for the end
     * of the connection.
     */
    public boolean owesResponse() {
        return phase != Phase.TUNNEL
                && (unsent
                        || (delivery != null && upload.isComplete())
                        || (pending != null && delivery == null && !channel.isWritable()));
    }

    private void onTimeout() {
        if (closer.isLingering()) {
            channel.close();
            return;
        }
        if (phase == Phase.BODY) {
            context.tally.slowBodies++;
            respondFault(MessageFault.SLOW_BODY);
            return;
        }
        if (phase.isBeforeRequest()) {
            context.tally.headTimeouts++;
            if (pending != null) {
                accounting.malformed(0);
            }
        } else if ((unsent || stall.hasLeft()) && delivery == null) {
            // Not idle: the last response leaves with this turn, or the client still accepts it,
            // slowly.
            context.addIdle(deadline, System.nanoTime());
            return;
        }
        abandonDelivery();
        channel.close();
    }

    private void writesStalled() {
        context.tally.stalledWrites++;
        abandonDelivery();
        closer.breakOff();
    }

    private void linger() {
        closer.linger();
        if (pending != null) {
            pending.skipBytes(pending.readableBytes());
        }
    }

    @Override
    public void closeIfIdle() {
        if (delivery == null
                && phase != Phase.TUNNEL
                && pending == null
                && channel.unsafe().outboundBuffer() != null
                && channel.isWritable()) {
            closer.closeAfterResponse();
            closer.closeFlushed();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (phase == Phase.TUNNEL) {
            ctx.fireUserEventTriggered(event);
            return;
        }
        // In TLS the client's last message is close_notify; without TLS its end is that of the
        // socket (RFC 8446 section
        // 6.1).
        if (event instanceof ChannelInputShutdownEvent
                || event == SslCloseCompletionEvent.SUCCESS) {
            inputEnded = true;
            // Otherwise pending bytes may complete the upload when the origin accepts them, or be
            // requests that wait.
            boolean idle = delivery == null && (pending == null || channel.isWritable());
            if (idle
                    || (delivery != null
                            && !upload.isComplete()
                            && (pending == null || upload.isOpen()))) {
                closeIncomplete();
            }
        }
    }

    /** Closes the connection: no response is due, or the request cannot become complete. */
    private void closeIncomplete() {
        abandonDelivery();
        closer.closeAfterResponse();
        closer.closeFlushed();
        stall.flushed();
    }

    @Override
    public @Nullable ReceiveShare receiveShare() {
        return delivery == null ? null : delivery.upstreamReads().receiveShare();
    }

    @Override
    public boolean hasSingleReader() {
        return delivery != null && delivery.upstreamReads().hasSingleReader();
    }

    private void abandonDelivery() {
        FetchedResponse previous = delivery;
        delivery = null;
        if (previous != null) {
            previous.abandon();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (phase == Phase.TUNNEL) {
            ctx.fireChannelWritabilityChanged();
        } else if (channel.isWritable()) {
            if (delivery != null) {
                delivery.pump();
            } else if (!reading && pending != null) {
                proceed();
                context.flushLater(this);
            }
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        DeadlineList.remove(deadline);
        DeadlineList.remove(stall);
        endSilence();
        pace.pause();
        abandonDelivery();
        closer.closeAfterResponse();
        if (context.connections.remove(openSession)) {
            context.tally.clientConnections--;
            context.left(peer.getAddress());
            context.buffers.detach(channel);
        }
        if (pending != null) {
            pending.release();
            pending = null;
        }
        ctx.fireChannelInactive();
    }

    /**
     * Closes the channel; in most cases the client has reset the connection.
     * {@link #channelInactive} does the rest.
     */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        Throwable first = cause instanceof DecoderException && cause.getCause() != null
                ? cause.getCause()
                : cause;
        if (!(first instanceof java.io.IOException)) {
            accounting.unexpected(cause);
        }
        channel.close();
    }
}
