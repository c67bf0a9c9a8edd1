package dev.komainu.proxy.exchange;

import dev.komainu.proxy.connection.BodyPace;
import dev.komainu.proxy.connection.DeadlineList;
import dev.komainu.proxy.http.Ascii;
import dev.komainu.proxy.http.MessageFault;
import dev.komainu.proxy.http.RequestHead;
import dev.komainu.proxy.tunnel.Tunnel;
import dev.komainu.proxy.upstream.Origin;
import dev.komainu.proxy.upstream.OriginFailure;
import dev.komainu.telemetry.record.ProxyExchange.CacheOutcome;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection: bytes in, exchanges one after the other, answers out in the order of the requests.
 *
 * <p>Reads once, serves every complete request of that read, flushes once. While an exchange is under way the bytes of
 * the next ones wait, at most {@value #MAX_PENDING}; then reading stops.
 */
public final class ClientConnection extends ChannelInboundHandlerAdapter implements ClientStream {

    private static final int MAX_PENDING = 64 * 1024;
    private static final byte[] CONNECTED = Ascii.bytes("HTTP/1.1 200 Connection established\r\n\r\n");

    private final Worker worker;
    private final Channel channel;
    private final InetSocketAddress peer;
    private final boolean permitted;
    private final Exchange exchange;
    private final Ledger ledger;
    private final Upload upload = new Upload();
    private final DeadlineList.Waiting deadline = new DeadlineList.Waiting() {
        @Override
        protected void expired() {
            timeUp();
        }
    };
    private final Farewell farewell;
    private final StallWatch stall;
    private final BodyPace pace;
    private @Nullable ByteBuf pending;
    private @Nullable Delivery delivery;
    private boolean tunnelling;
    private boolean isAwaitingHead;
    private boolean reading;
    private boolean inputEnded;

    public ClientConnection(Worker worker, Channel channel, InetSocketAddress peer) {
        this.worker = worker;
        this.channel = channel;
        this.peer = peer;
        this.permitted = worker.shared.clients().permits(peer.getAddress());
        this.ledger = new Ledger(worker, peer);
        this.exchange = new Exchange(worker, this);
        this.farewell = new Farewell(worker, channel, deadline);
        this.pace = new BodyPace(worker.bodies, worker.shared.connections().leastBodyBytes()) {
            @Override
            protected void tooSlow() {
                bodyTooSlow();
            }
        };
        this.stall = new StallWatch(worker, channel) {
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
        worker.heads.append(deadline, System.nanoTime());
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
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
        ledger.flushed();
        expect(System.nanoTime());
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
        // A peer that sends ahead of its answers is heard no further than this.
        boolean listen =
                farewell.isLingering() || !tunnelling && (pending == null || pending.readableBytes() < MAX_PENDING);
        if (channel.config().isAutoRead() != listen) {
            channel.config().setAutoRead(listen);
        }
    }

    /** @return false when no further request can be served now */
    private boolean serve(ByteBuf in) {
        RequestHead head = worker.head;
        switch (head.read(in)) {
            case INCOMPLETE -> {
                if (!deadline.isWaiting() || !isAwaitingHead) {
                    isAwaitingHead = true;
                    worker.heads.append(deadline, System.nanoTime());
                }
                return false;
            }
            case FAULT -> {
                refuse(head.fault());
                return false;
            }
            case COMPLETE -> in.skipBytes(head.length());
        }
        isAwaitingHead = false;
        DeadlineList.remove(deadline);
        worker.tally.requests++;
        ledger.received(head.length());
        // An exchange that was handed on may be through already: what is pending is looked at again either way.
        exchange.walk(head, System.nanoTime());
        return !farewell.isDue();
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
        worker.answers.own(out, fault.status(), fault.reason() + " (" + fault.section() + ")", false, false, 1);
        write(out);
        farewell.afterThis();
        abandonDelivery();
        linger();
    }

    // What an exchange asks of where it came from.

    @Override
    public boolean permitted() {
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
    public ByteBuf buffer(int size) {
        return channel.alloc().directBuffer(size);
    }

    @Override
    public void write(ByteBuf bytes) {
        ledger.sent(bytes.readableBytes());
        stall.wrote();
        channel.write(bytes, channel.voidPromise());
    }

    @Override
    public void flushLater() {
        if (!reading) {
            worker.flushLater(this);
        }
    }

    void flushNow() {
        if (farewell.isDue() && delivery == null && !farewell.isLingering()) {
            farewell.closeFlushed();
        } else {
            channel.flush();
        }
        if (!tunnelling) {
            stall.flushed();
        }
    }

    @Override
    public boolean keeps(RequestHead head) {
        return head.keepAlive() && !worker.isDraining() && !inputEnded && !farewell.isDue();
    }

    @Override
    public boolean wantsChunks(RequestHead head) {
        return head.minorVersion() > 0;
    }

    @Override
    public void answered(RequestHead head, int status, CacheOutcome outcome, long startNanos, boolean keep) {
        ledger.answered(head, status, outcome, startNanos);
        if (!keep) {
            farewell.afterThis();
        }
    }

    @Override
    public void own(RequestHead head, int status, String message, CacheOutcome outcome, long startNanos) {
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
    public void delivering(Delivery by, RequestHead head) {
        delivery = by;
        upload.begin(head);
    }

    @Override
    public void responding(long startNanos) {
        ledger.responding(startNanos);
    }

    @Override
    public void count(
            RequestHead head, int status, CacheOutcome outcome, Origin origin, long startNanos, long originMicros) {
        ledger.originAnswered(originMicros);
        ledger.count(head, status, outcome, origin, startNanos);
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

    /** Between two exchanges: send what is written, serve what waits, else wait. */
    private void goOn() {
        flushLater();
        if (!reading) {
            proceed();
            expect(System.nanoTime());
        }
    }

    @Override
    public void failed(RequestHead head, OriginFailure failure, long startNanos, Origin origin) {
        boolean unread = !upload.isComplete();
        delivery = null;
        boolean keep = keeps(head) && !unread;
        ByteBuf out = buffer(512 + failure.message().length());
        worker.answers.own(out, failure.status(), failure.message(), head.methodIs("HEAD"), keep, head.minorVersion());
        responding(startNanos);
        write(out);
        ledger.count(head, failure.status(), CacheOutcome.ERROR, origin, startNanos);
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
        worker.fetching.origins().dialBare(target, (dialled, failure) -> {
            if (dialled == null || !channel.isActive()) {
                worker.tally.inFlight--;
                tunnelling = false;
                if (dialled != null) {
                    dialled.close();
                } else if (failure != null) {
                    own(own, failure.status(), failure.message(), CacheOutcome.ERROR, startNanos);
                    farewell.afterThis();
                    linger();
                }
                return;
            }
            responding(startNanos);
            write(Unpooled.wrappedBuffer(CONNECTED));
            channel.flush();
            ByteBuf early = pending == null ? Unpooled.EMPTY_BUFFER : pending;
            pending = null;
            Tunnel[] relay = new Tunnel[1];
            relay[0] = new Tunnel(channel, dialled, () -> tunnelEnded(own, target, startNanos, relay[0]));
            relay[0].begin(early);
        });
    }

    private void tunnelEnded(RequestHead head, Origin target, long startNanos, Tunnel relay) {
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

    private void upload(ByteBuf in, Delivery to) {
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
                    pace.took(moved, System.nanoTime());
                }
            }
        }
    }

    // How connections end.

    /** Idle, or in the middle of a head, the connection waits for its client; otherwise the client waits for us. */
    private void expect(long nowNanos) {
        if (farewell.isLingering() || farewell.isDue()) {
            return;
        }
        if (delivery != null) {
            if (upload.isComplete()) {
                DeadlineList.remove(deadline);
            } else {
                worker.idle.append(deadline, nowNanos);
            }
        } else if (pending == null) {
            isAwaitingHead = false;
            worker.idle.append(deadline, nowNanos);
        }
    }

    private void timeUp() {
        if (isAwaitingHead) {
            worker.tally.headTimeouts++;
        } else if (stall.isWaiting() && delivery == null && !farewell.isLingering()) {
            // It is not idle: it still takes its last answer, slowly.
            worker.idle.append(deadline, System.nanoTime());
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

    void closeIfIdle() {
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
        if (event instanceof ChannelInputShutdownEvent) {
            inputEnded = true;
            if (delivery == null || !upload.isComplete() && (pending == null || upload.isOpen())) {
                brokenOff();
            } else {
                // What is pending may complete the upload when the origin takes it.
                farewell.afterThis();
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

    private void abandonDelivery() {
        Delivery had = delivery;
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
        pace.pause();
        abandonDelivery();
        farewell.afterThis();
        if (worker.connections.remove(this)) {
            worker.tally.clientConnections--;
            worker.shared.clientCounts().leave(peer.getAddress());
        }
        if (pending != null) {
            pending.release();
            pending = null;
        }
        ctx.fireChannelInactive();
    }

    /** A reset by the client, mostly. The channel is closed; what follows is told by channelInactive. */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (!(cause instanceof java.io.IOException)) {
            ledger.unexpected(cause);
        }
        channel.close();
    }
}
