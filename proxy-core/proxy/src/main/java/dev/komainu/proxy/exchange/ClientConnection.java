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
 * A client's connection: bytes in, exchanges one after the other, answers out in the order of the
 * requests.
 *
 * <p>Reads once, serves every complete request of that read, flushes once. While an exchange is
 * under way the bytes of the next ones wait, at most {@value #MAX_AHEAD} and a read; then reading
 * stops. What waits lies in a buffer of its own size, not in that of the read it came with: ten
 * thousand clients may each have a little waiting here.
 */
public final class ClientConnection extends ChannelInboundHandlerAdapter
        implements ClientStream, ClientSession, UpstreamReads {

    private static final int MAX_AHEAD = 16 * 1024;
    private static final int LEAST_PENDING = 128;
    private static final byte[] CONNECTED =
            Ascii.bytes("HTTP/1.1 200 Connection established\r\n\r\n");

    private final LoopContext worker;
    private final Channel channel;
    private final InetSocketAddress peer;
    /** Whose word {@link #permitted} is. */
    private @Nullable RequestPolicy judgedBy;

    private boolean permitted;
    private final Exchange exchange;
    private final ExchangeAccounting ledger;
    private final Upload upload = new Upload();
    private final DeadlineList.Entry deadline = new DeadlineList.Entry() {
        @Override
        protected void expired() {
            timeUp();
        }
    };
    /** Until it says something; absent then. */
    private DeadlineList.@Nullable Entry silence;

    private boolean hasWaited;
    private final ClientConnectionClose farewell;
    private final StallDetector stall;
    private final BodyPace pace;
    private @Nullable ByteBuf pending;
    private @Nullable HeadProgress dripping;
    private @Nullable FetchedResponse delivery;
    private boolean tunnelling;
    private boolean isAwaitingHead;
    private boolean awaitsBody;
    private boolean reading;
    private boolean inputEnded;
    private boolean unsent;
    private final boolean overTls;
    /** No request was read yet. */
    private boolean mayBeHttp2;

    /** @param overTls whether its bytes come out of TLS */
    public ClientConnection(
            LoopContext worker, Channel channel, InetSocketAddress peer, boolean overTls) {
        this.overTls = overTls;
        this.worker = worker;
        this.channel = channel;
        this.peer = peer;
        this.mayBeHttp2 = worker.policy.streams().enabled();
        this.ledger = new ExchangeAccounting(worker, peer);
        this.exchange = new Exchange(worker, this);
        this.farewell = new ClientConnectionClose(worker.lingering, channel, deadline);
        this.pace =
                new BodyPace(
                        worker.bodies.current(), worker.policy.connections().leastBodyBytes()) {
                    @Override
                    protected void tooSlow() {
                        bodyTooSlow();
                    }
                };
        this.stall = new StallDetector(worker, channel) {
            @Override
            void stalled() {
                writesStalled();
            }
        };
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        worker.tally.clientConnections++;
        worker.connections.add(this);
        worker.buffers.attach(channel, this);
        // The first request's time runs from the accept: who says nothing for long has none left
        // for dripping.
        isAwaitingHead = true;
        worker.heads.current().append(deadline, System.nanoTime());
        DeadlineList.Entry waiting = new DeadlineList.Entry() {
            @Override
            protected void expired() {
                channel.close();
            }
        };
        silence = waiting;
        worker.isSilent(waiting, hasWaited);
    }

    /** Before it is active: it waited for its place, and could have sent its request. */
    public void hasWaited() {
        hasWaited = true;
    }

    private void breakSilence() {
        DeadlineList.Entry waiting = silence;
        if (waiting != null) {
            silence = null;
            DeadlineList.remove(waiting);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        breakSilence();
        if (tunnelling && pending == null && ctx.pipeline().last() != this) {
            ctx.fireChannelRead(in);
            return;
        }
        if (farewell.isLingering() || farewell.isDue() && delivery == null) {
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
        ByteBuf much = pending;
        if (much != null && much.capacity() > 4 * Math.max(LEAST_PENDING, much.readableBytes())) {
            int size = Math.max(LEAST_PENDING, 2 * much.readableBytes());
            pending = ctx.alloc().directBuffer(size).writeBytes(much);
            much.release();
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
        if (tunnelling) {
            reading = false;
            ctx.fireChannelReadComplete();
            return;
        }
        reading = false;
        flushNow();
        long now = System.nanoTime();
        ledger.flushed(now);
        expect(now);
    }

    /** Serves what is pending as far as it goes. */
    private void proceed() {
        ByteBuf in = pending;
        while (in != null && in.isReadable() && !farewell.isLingering() && !tunnelling) {
            if (delivery != null) {
                upload(in, delivery);
                break;
            } else if (farewell.isDue() || !channel.isWritable() || !serve(in)) {
                break;
            }
        }
        if (in != null && in == pending && !in.isReadable()) {
            in.release();
            pending = null;
        }
        if (inputEnded && delivery == null && !tunnelling && channel.isWritable()) {
            // What is still pending will never be a request.
            farewell.afterThis();
        }
        // A peer that sends ahead of its answers is heard no further than this.
        boolean ahead = delivery != null || !channel.isWritable();
        boolean listen = farewell.isLingering()
                || !tunnelling
                        && (pending == null || !ahead || pending.readableBytes() < MAX_AHEAD);
        if (channel.config().isAutoRead() != listen) {
            channel.config().setAutoRead(listen);
        }
    }

    /** @return false when no further request can be served now */
    private boolean serve(ByteBuf in) {
        if (mayBeHttp2 && isHttp2(in)) {
            return false;
        }
        HeadProgress begun = dripping;
        if (begun != null && !begun.isDue(in)) {
            return false;
        }
        RequestHead head = worker.head;
        head.setReceivedOver(overTls, false);
        RequestHead.Outcome outcome = head.read(in);
        if (outcome != RequestHead.Outcome.INCOMPLETE) {
            dripping = null;
        } else if (begun == null) {
            dripping = new HeadProgress();
            dripping.isDue(in);
        }
        switch (outcome) {
            case INCOMPLETE -> {
                awaitHead();
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
                if (!opens(in, head)) {
                    return false;
                }
                in.skipBytes(head.length());
            }
        }
        isAwaitingHead = false;
        mayBeHttp2 = false;
        awaitsBody = false;
        DeadlineList.remove(deadline);
        worker.tally.requests++;
        ledger.received(head.length());
        // An exchange that was handed on may be through already: what is pending is looked at again
        // either way.
        exchange.walk(head, System.nanoTime());
        return !farewell.isDue();
    }

    /** @return true when these bytes are not HTTP/1's, or not yet */
    private boolean isHttp2(ByteBuf first) {
        Http2Negotiation.Preface preface = Http2Negotiation.look(first);
        isAwaitingHead |= preface == Http2Negotiation.Preface.PERHAPS;
        if (preface == Http2Negotiation.Preface.YES) {
            handOver(first);
        }
        return preface != Http2Negotiation.Preface.NO;
    }

    /** The connection goes on as HTTP/2 and is counted there. */
    private void handOver(ByteBuf first) {
        DeadlineList.remove(deadline);
        pending = null;
        worker.connections.remove(this);
        worker.tally.clientConnections--;
        Http2Negotiation.open(worker, channel, peer);
        ChannelHandlerContext mine = channel.pipeline().context(this);
        mine.fireChannelRead(first);
        channel.pipeline().remove(this);
    }

    /**
     * Whoever speaks neither protocol would read an answer in either as more of what it does not
     * understand.
     */
    private void closeUnanswered() {
        worker.tally.requests++;
        worker.tally.malformed++;
        worker.tally.errors++;
        ledger.malformed(0);
        farewell.afterThis();
        farewell.closeFlushed();
    }

    /**
     * A request with a body begins with the body's first bytes: sooner an origin would only hold a
     * connection for it, and see a head that breaks off when they are no body. Who waits for 100
     * (Continue) is not waited for.
     */
    private boolean opens(ByteBuf in, RequestHead head) {
        if (!head.hasBody() || head.expectsContinue()) {
            return true;
        }
        switch (upload.opening(in, head.length(), head)) {
            case GOES_ON -> {
                return true;
            }
            case FAULT -> refuse(upload.fault());
            case NO_ROOM -> {
                awaitsBody = true;
                awaitHead();
            }
        }
        return false;
    }

    private void awaitHead() {
        if (!deadline.isWaiting() || !isAwaitingHead) {
            isAwaitingHead = true;
            worker.heads.current().append(deadline, System.nanoTime());
        }
    }

    private void refuse(MessageFault fault) {
        worker.tally.malformed++;
        answerFault(fault);
    }

    private void bodyTooSlow() {
        if (delivery != null && !upload.isComplete()) {
            worker.tally.slowBodies++;
            answerFault(MessageFault.SLOW_BODY);
        }
    }

    private void answerFault(MessageFault fault) {
        worker.tally.requests++;
        worker.tally.errors++;
        if (delivery != null && delivery.hasBegun()) {
            // Half an answer is out already: an error page would be read as its body.
            abandonDelivery();
            breakOff();
            return;
        }
        worker.tally.responses++;
        ByteBuf out = buffer(512);
        worker.answers.own(
                out,
                fault.status(),
                fault.reason() + " (" + fault.section() + ")",
                false,
                false,
                1);
        farewell.afterThis();
        abandonDelivery();
        write(out);
        ledger.malformed(fault.status());
        linger();
    }

    // What an exchange asks of where it came from.

    @Override
    public boolean permitted() {
        if (judgedBy != worker.policy) {
            judgedBy = worker.policy;
            permitted = judgedBy.clients().permits(peer.getAddress());
        }
        return permitted;
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
    public void ahead(int bytes) {
        worker.buffers.limitReadAhead(channel, bytes);
    }

    @Override
    public ByteBuf buffer(int size) {
        return channel.alloc().directBuffer(size);
    }

    @Override
    public void write(ByteBuf bytes) {
        ledger.sent(bytes.readableBytes());
        stall.wrote(bytes.readableBytes());
        unsent = true;
        channel.write(bytes, channel.voidPromise());
    }

    @Override
    public void flushLater() {
        if (!reading) {
            worker.flushLater(this);
        }
    }

    @Override
    public void flushNow() {
        if (farewell.isDue() && delivery == null && !farewell.isLingering()) {
            if (isMorePending() && !inputEnded) {
                linger();
            } else {
                farewell.closeFlushed();
            }
        } else if (unsent) {
            // Only then: TLS would make a record of nothing.
            unsent = false;
            channel.flush();
        }
        if (!tunnelling) {
            stall.flushed();
        }
    }

    @Override
    public boolean keeps(RequestHead head) {
        return head.keepAlive()
                && permitted()
                && !worker.isDraining()
                && !farewell.isDue()
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
    public void answered(
            RequestHead head, int status, CacheOutcome outcome, long startNanos, boolean keep) {
        ledger.answered(head, status, outcome, startNanos);
        if (!keep) {
            farewell.afterThis();
        }
    }

    @Override
    public void own(
            RequestHead head, int status, String message, CacheOutcome outcome, long startNanos) {
        boolean keep = keeps(head) && !head.hasBody();
        ByteBuf out = buffer(512 + message.length());
        worker.answers.own(out, status, message, head.methodIs("HEAD"), keep, head.minorVersion());
        responding(startNanos);
        write(out);
        ledger.count(head, status, outcome, null, startNanos);
        if (!keep) {
            farewell.afterThis();
            if (head.hasBody()) {
                linger();
            }
        }
    }

    @Override
    public void delivering(FetchedResponse by, RequestHead head) {
        delivery = by;
        upload.begin(head);
        if (head.hasBody()) {
            pace.setLimit(worker.bodies.current(), worker.policy.connections().leastBodyBytes());
        }
    }

    @Override
    public ExchangeAccounting ledger() {
        return ledger;
    }

    /** The next request may be served. */
    @Override
    public void delivered(boolean keep) {
        boolean unread = !upload.isComplete();
        delivery = null;
        if (!keep || unread) {
            farewell.afterThis();
        }
        if (unread) {
            linger();
        } else {
            goOn();
        }
    }

    /** Resets the connection. */
    @Override
    public void breakOff() {
        delivery = null;
        farewell.breakOff();
    }

    @Override
    public void lookAgain(RequestHead head, long startNanos) {
        delivery = null;
        exchange.again(head, startNanos);
        if (delivery == null) {
            goOn();
        }
    }

    @Override
    public void lookAgain(RequestHead head, long startNanos, StoredResponse restored) {
        delivery = null;
        exchange.again(head, startNanos, restored);
        if (delivery == null) {
            goOn();
        }
    }

    /** Between two exchanges: send what is written, serve what waits, else wait. */
    private void goOn() {
        flushLater();
        if (!reading) {
            proceed();
            expect(System.nanoTime());
        }
    }

    @Override
    public void failed(
            RequestHead head, OriginFailure failure, long startNanos, UpstreamInfo asked) {
        boolean unread = !upload.isComplete();
        delivery = null;
        boolean keep = keeps(head) && !unread;
        ByteBuf out = buffer(512 + failure.message().length());
        worker.answers.own(
                out,
                failure.status(),
                failure.message(),
                head.methodIs("HEAD"),
                keep,
                head.minorVersion());
        responding(startNanos);
        write(out);
        ledger.count(head, failure.status(), CacheOutcome.ERROR, asked, startNanos);
        if (!keep) {
            farewell.afterThis();
        }
        if (unread) {
            linger();
        } else {
            goOn();
        }
    }

    /** From the answer on, this connection belongs to a tunnel. */
    @Override
    public void tunnel(RequestHead head, Origin target, long startNanos) {
        RequestHead own = head.detached();
        tunnelling = true;
        DeadlineList.remove(stall);
        channel.config().setAutoRead(false);
        DeadlineList.remove(deadline);
        worker.tally.inFlight++;
        worker.origins().connectUnpooled(target, (dialled, failure) -> {
            if (dialled == null || !channel.isActive()) {
                worker.tally.inFlight--;
                tunnelling = false;
                if (dialled != null) {
                    dialled.close();
                }
                if (!channel.isActive()) {
                    ledger.abandoned(
                            own, CacheOutcome.TUNNEL, UpstreamInfo.none(target), startNanos);
                } else if (failure != null) {
                    own(own, failure.status(), failure.message(), CacheOutcome.ERROR, startNanos);
                    farewell.afterThis();
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
                    channel, dialled, () -> tunnelEnded(own, reached, startNanos, relay[0]));
            relay[0].begin(early);
        });
    }

    private void tunnelEnded(RequestHead head, UpstreamInfo target, long startNanos, Tunnel relay) {
        worker.tally.inFlight--;
        ledger.tunnelled(relay.upBytes(), relay.downBytes());
        ledger.count(head, 200, CacheOutcome.TUNNEL, target, startNanos);
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
        ledger.received(moved);
        switch (outcome) {
            case FAULT -> refuse(upload.fault());
            case NO_ROOM -> {
                pace.pause();
                channel.config().setAutoRead(false);
            }
            case GOES_ON -> {
                if (upload.isComplete()) {
                    pace.pause();
                } else if (inputEnded && upload.isOpen()) {
                    brokenOff();
                } else if (moved > 0) {
                    pace.received(moved, System.nanoTime());
                }
            }
        }
    }

    // How connections end.

    /**
     * Idle, or in the middle of a head, the connection waits for its client; otherwise the client
     * waits for us.
     */
    private void expect(long nowNanos) {
        if (farewell.isLingering() || farewell.isDue()) {
            return;
        }
        if (delivery != null) {
            if (upload.isComplete()) {
                DeadlineList.remove(deadline);
            } else {
                worker.uploads.current().append(deadline, nowNanos);
            }
        } else if (pending == null) {
            isAwaitingHead = false;
            worker.idles(deadline, nowNanos);
        }
    }

    /**
     * Whether what the client was promised would be lost if its own end were taken for the
     * connection's.
     */
    public boolean owesAnswer() {
        return !tunnelling
                && (unsent
                        || delivery != null && upload.isComplete()
                        || pending != null && delivery == null && !channel.isWritable());
    }

    private void timeUp() {
        if (farewell.isLingering()) {
            channel.close();
            return;
        }
        if (isAwaitingHead && awaitsBody) {
            worker.tally.slowBodies++;
            answerFault(MessageFault.SLOW_BODY);
            return;
        }
        if (isAwaitingHead) {
            worker.tally.headTimeouts++;
            if (pending != null) {
                ledger.malformed(0);
            }
        } else if ((unsent || stall.hasLeft()) && delivery == null) {
            // It is not idle: its last answer leaves with this turn, or it still takes that,
            // slowly.
            worker.idles(deadline, System.nanoTime());
            return;
        }
        abandonDelivery();
        channel.close();
    }

    private void writesStalled() {
        worker.tally.stalledWrites++;
        abandonDelivery();
        farewell.breakOff();
    }

    private void linger() {
        farewell.linger();
        if (pending != null) {
            pending.skipBytes(pending.readableBytes());
        }
    }

    @Override
    public void closeIfIdle() {
        if (delivery == null
                && !tunnelling
                && pending == null
                && channel.unsafe().outboundBuffer() != null
                && channel.isWritable()) {
            farewell.afterThis();
            farewell.closeFlushed();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (tunnelling) {
            ctx.fireUserEventTriggered(event);
            return;
        }
        // In TLS the client's last word is close_notify; without it its end comes as the socket's
        // (RFC 8446 section 6.1).
        if (event instanceof ChannelInputShutdownEvent
                || event == SslCloseCompletionEvent.SUCCESS) {
            inputEnded = true;
            // Else what is pending may complete the upload when the origin takes it, or be requests
            // that wait their turn.
            boolean idle = delivery == null && (pending == null || channel.isWritable());
            if (idle
                    || delivery != null
                            && !upload.isComplete()
                            && (pending == null || upload.isOpen())) {
                brokenOff();
            }
        }
    }

    /** Nobody is owed an answer, or the request will never be complete. */
    private void brokenOff() {
        abandonDelivery();
        farewell.afterThis();
        farewell.closeFlushed();
        stall.flushed();
    }

    @Override
    public @Nullable ReceiveShare receiveShare() {
        return delivery == null ? null : delivery.feed().receiveShare();
    }

    @Override
    public boolean hasSingleReader() {
        return delivery != null && delivery.feed().hasSingleReader();
    }

    private void abandonDelivery() {
        FetchedResponse had = delivery;
        delivery = null;
        if (had != null) {
            had.abandon();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (tunnelling) {
            ctx.fireChannelWritabilityChanged();
        } else if (channel.isWritable()) {
            if (delivery != null) {
                delivery.pump();
            } else if (!reading && pending != null) {
                proceed();
                worker.flushLater(this);
            }
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        DeadlineList.remove(deadline);
        DeadlineList.remove(stall);
        breakSilence();
        pace.pause();
        abandonDelivery();
        farewell.afterThis();
        if (worker.connections.remove(this)) {
            worker.tally.clientConnections--;
            worker.left(peer.getAddress());
            worker.buffers.detach(channel);
        }
        if (pending != null) {
            pending.release();
            pending = null;
        }
        ctx.fireChannelInactive();
    }

    /**
     * A reset by the client, mostly. The channel is closed; what follows is told by
     * channelInactive.
     */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        Throwable first = cause instanceof DecoderException && cause.getCause() != null
                ? cause.getCause()
                : cause;
        if (!(first instanceof java.io.IOException)) {
            ledger.unexpected(cause);
        }
        channel.close();
    }
}
