package dev.komainu.proxy.upstream;

import dev.komainu.proxy.connection.DeadlineList;
import dev.komainu.proxy.http.BodyReader;
import dev.komainu.proxy.http.ResponseHead;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * One connection to an origin: one request at a time, never pipelined, so an answer can never be taken for another
 * request's (response desync). A byte that nobody asked for closes it.
 */
public final class OriginConnection extends ChannelInboundHandlerAdapter {

    private enum State {
        PARKED,
        AWAITING_HEAD,
        READING_BODY,
        CLOSED
    }

    private final OriginPool pool;
    private final Lane lane;
    private final Channel channel;
    private final ResponseHead head = new ResponseHead();
    private final BodyReader body = new BodyReader();
    private final DeadlineList.Waiting deadline = new DeadlineList.Waiting() {
        @Override
        protected void expired() {
            timeUp();
        }
    };
    private State state = State.PARKED;
    private @Nullable OriginEvents events;
    private @Nullable ByteBuf pending;
    private boolean headRequest;
    private boolean used;
    private boolean closeTold;
    private boolean answered;
    private boolean requestComplete;

    OriginConnection(OriginPool pool, Lane lane, Channel channel) {
        this.pool = pool;
        this.lane = lane;
        this.channel = channel;
    }

    /** Lends this connection for one request. */
    void lend(OriginEvents to) {
        DeadlineList.remove(deadline);
        events = to;
        state = State.AWAITING_HEAD;
        answered = false;
        requestComplete = false;
        to.connected(this);
    }

    /** Whether it served a request before: then its peer may close it at the very moment it is used. */
    public boolean isReused() {
        return used;
    }

    public Server server() {
        return lane.server;
    }

    Lane lane() {
        return lane;
    }

    InetSocketAddress address() {
        return (InetSocketAddress) channel.remoteAddress();
    }

    /** Gives it back unused: who asked for it needs it no more. */
    public void giveBack() {
        events = null;
        state = State.PARKED;
        pool.park(this);
    }

    /** Sends the request's head, and its end when it has no body. Takes over the buffer. */
    public void send(ByteBuf request, boolean isHead, boolean complete) {
        headRequest = isHead;
        requestComplete = complete;
        pool.tally().originRequests++;
        pool.awaiting().append(deadline, System.nanoTime());
        channel.writeAndFlush(request, channel.voidPromise());
    }

    /** Sends body bytes. Takes over the buffer. @return false when the caller should wait for {@code writable} */
    public boolean sendBody(ByteBuf part, boolean last) {
        requestComplete |= last;
        pool.awaiting().append(deadline, System.nanoTime());
        channel.writeAndFlush(part, channel.voidPromise());
        return channel.isWritable();
    }

    /** Stops or resumes reading: what a slow client does not take is not fetched. */
    public void reading(boolean on) {
        if (on) {
            pool.awaiting().append(deadline, System.nanoTime());
        } else {
            DeadlineList.remove(deadline);
        }
        channel.config().setAutoRead(on);
    }

    /** Gives the request up: closes, and tells nobody. */
    public void abort() {
        events = null;
        close();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        pool.tally().receivedFromOriginBytes += in.readableBytes();
        if (pending != null) {
            pending.writeBytes(in);
            in.release();
            in = pending;
            pending = null;
        }
        try {
            read(in);
        } finally {
            if (in.isReadable() && (state == State.AWAITING_HEAD || state == State.READING_BODY)) {
                keep(ctx, in);
            } else {
                in.release();
            }
        }
    }

    private void keep(ChannelHandlerContext ctx, ByteBuf in) {
        ByteBuf copy = ctx.alloc().directBuffer(Math.max(1024, in.readableBytes() * 2));
        pending = copy.writeBytes(in);
        in.release();
    }

    private void read(ByteBuf in) {
        while (in.isReadable()) {
            switch (state) {
                case AWAITING_HEAD -> {
                    if (!readHead(in)) {
                        return;
                    }
                }
                case READING_BODY -> {
                    pool.awaiting().append(deadline, System.nanoTime());
                    if (!readBody(in)) {
                        return;
                    }
                }
                case PARKED -> {
                    // Surplus bytes: whatever they are, they answer nothing.
                    close();
                    return;
                }
                case CLOSED -> {
                    return;
                }
            }
        }
    }

    private boolean readHead(ByteBuf in) {
        OriginEvents to = events;
        if (to == null) {
            close();
            return false;
        }
        answered = true;
        switch (head.read(in)) {
            case INCOMPLETE -> {
                return false;
            }
            case FAULT -> {
                fail(
                        502,
                        "malformed-answer",
                        "The origin's answer is malformed: " + head.fault().reason());
                return false;
            }
            case COMPLETE -> in.skipBytes(head.length());
        }
        if (head.status() == 101) {
            fail(502, "unasked-upgrade", "The origin switched protocols without being asked");
            return false;
        }
        if (head.status() < 200) {
            to.informational(head);
            return state == State.AWAITING_HEAD;
        }
        if (!head.hasBody(headRequest)) {
            body.beginLength(0);
        } else if (head.isChunked()) {
            body.beginChunked();
        } else if (head.contentLength() >= 0) {
            body.beginLength(head.contentLength());
        } else {
            body.beginUntilClose();
        }
        if (surplus(in)) {
            return false;
        }
        state = State.READING_BODY;
        to.head(head);
        if (state == State.READING_BODY && body.isDone()) {
            finish(in);
            return false;
        }
        return state == State.READING_BODY;
    }

    /** Longer than it said: which part was meant is unknown, so none of it is trusted (RFC 9112 section 6.3). */
    private boolean surplus(ByteBuf in) {
        boolean exceeded = body.isExceededBy(in);
        if (exceeded) {
            fail(502, "surplus-bytes", "The origin sent more than it announced");
        }
        return exceeded;
    }

    private boolean readBody(ByteBuf in) {
        if (surplus(in)) {
            return false;
        }
        BodyReader.Outcome outcome = body.read(in, slice -> {
            if (events != null) {
                events.body(slice);
            }
        });
        if (state != State.READING_BODY) {
            return false;
        }
        if (outcome == BodyReader.Outcome.FAULT) {
            fail(
                    502,
                    "malformed-answer",
                    "The origin's answer is malformed: " + body.fault().reason());
            return false;
        }
        if (outcome == BodyReader.Outcome.DONE) {
            finish(in);
            return false;
        }
        return false;
    }

    private void finish(ByteBuf in) {
        if (in.isReadable()) {
            // Longer than it said: which part was meant is unknown, so none of it is trusted (RFC 9112 6.3).
            fail(502, "surplus-bytes", "The origin sent more than it announced");
            return;
        }
        OriginEvents to = events;
        events = null;
        used = true;
        boolean reusable = head.keepAlive() && requestComplete && !body.endsAtClose() && channel.isActive();
        state = State.PARKED;
        DeadlineList.remove(deadline);
        if (lane.health != null) {
            lane.health.succeeded();
        }
        if (reusable) {
            channel.config().setAutoRead(true);
            pool.park(this);
        } else {
            close();
        }
        if (to != null) {
            to.end();
        }
    }

    private void fail(int status, String code, String message) {
        OriginEvents to = events;
        events = null;
        boolean before = !answered;
        // A parked connection that its peer closed in the very moment of its use says nothing of the server.
        if (lane.health != null && to != null && !(before && used && status != 504)) {
            lane.health.failed(System.nanoTime());
        }
        close();
        if (to != null) {
            pool.tally().originFailures++;
            to.failed(new OriginFailure(status, code, message, before));
        }
    }

    private void timeUp() {
        if (state == State.PARKED) {
            close();
        } else {
            fail(504, "response-timeout", "The origin sent nothing for too long");
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        pool.flushed();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (channel.isWritable() && events != null) {
            events.writable();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (state == State.READING_BODY && (!lane.server.secure() || closeTold) && body.end()) {
            finish(io.netty.buffer.Unpooled.EMPTY_BUFFER);
        } else if (state == State.AWAITING_HEAD || state == State.READING_BODY) {
            fail(502, "closed-early", "The origin closed the connection before its answer was complete");
        }
        close();
        if (pending != null) {
            pending.release();
            pending = null;
        }
        pool.closed(this);
    }

    /** Under TLS, only its closing alert is an end: anybody on the way can close the connection (RFC 9112 section 9.8). */
    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof SslCloseCompletionEvent told && told.isSuccess()) {
            closeTold = true;
        }
    }

    /** A reset is no end: a body that only its close would end is then incomplete (RFC 9112 section 8). */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (state == State.AWAITING_HEAD || state == State.READING_BODY) {
            fail(502, "reset", "The connection to the origin broke");
        }
        close();
    }

    private void close() {
        state = State.CLOSED;
        DeadlineList.remove(deadline);
        pool.unpark(this);
        channel.close();
    }

    DeadlineList.Waiting deadline() {
        return deadline;
    }

    boolean isOpen() {
        return state != State.CLOSED && channel.isActive();
    }

    void discard() {
        close();
    }
}
