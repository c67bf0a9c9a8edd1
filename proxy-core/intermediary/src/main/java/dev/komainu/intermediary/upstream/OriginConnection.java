package dev.komainu.intermediary.upstream;

import dev.komainu.intermediary.buffer.ReceiveShare;
import dev.komainu.intermediary.connection.BodyPace;
import dev.komainu.intermediary.connection.DeadlineList;
import dev.komainu.intermediary.message.BodyReader;
import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.message.ResponseHead;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to an origin: one request at a time, never pipelined, so an answer can never be
 * taken for another request's (response desync). A byte that nobody asked for closes it.
 */
public final class OriginConnection extends ChannelInboundHandlerAdapter
        implements UpstreamExchange {

    private enum State {
        PARKED,
        AWAITING_HEAD,
        READING_BODY,
        CLOSED
    }

    private static final Logger LOG = LoggerFactory.getLogger(OriginConnection.class);
    /** 1xx answers to one request; nobody sends so many, and each is written to the client. */
    private static final int MOST_INTERIMS = 16;

    private static final byte LF = '\n';

    /** Reading this many bytes away is cheaper than another connection. */
    private static final int MOST_UNWANTED = 64 * 1024;

    private final OriginPool pool;
    private final ServerPool lane;
    private final Channel channel;
    private final BodyReader body = new BodyReader();
    private final DeadlineList.Entry deadline = new DeadlineList.Entry() {
        @Override
        protected void expired() {
            timeUp();
        }
    };
    private final BodyPace pace;
    private final @Nullable ReceiveShare intake;
    private final int tlsGeneration;
    /**
     * Where the present request waits: as long as was in force when it was lent this connection.
     */
    private DeadlineList awaiting;

    private State state = State.PARKED;
    private @Nullable OriginListener events;
    private @Nullable ByteBuf pending;
    /** From its first answer on: thousands may wait for a slow origin's. */
    private @Nullable ResponseHead head;

    private boolean headRequest;
    private boolean used;
    private boolean closeTold;
    private boolean answered;
    private boolean requestComplete;
    private long unwanted;
    private boolean last;
    private int interims;
    private int headLookedAt;

    /**
     * @param intake its share of the budget; absent when there is none
     * @param tlsGeneration of the pool when it was secured
     */
    OriginConnection(
            OriginPool pool,
            ServerPool lane,
            Channel channel,
            @Nullable ReceiveShare intake,
            int tlsGeneration) {
        this.intake = intake;
        this.pool = pool;
        this.lane = lane;
        this.channel = channel;
        this.tlsGeneration = tlsGeneration;
        this.awaiting = pool.awaiting();
        this.pace = pool.pace(this::tooSlow);
    }

    /** Lends this connection for one request. */
    void lend(OriginListener to) {
        DeadlineList.remove(deadline);
        events = to;
        state = State.AWAITING_HEAD;
        answered = false;
        requestComplete = false;
        interims = 0;
        headLookedAt = 0;
        awaiting = pool.awaiting();
        pool.judge(pace);
        if (intake != null) {
            intake.wake();
        }
        readAtMost(Integer.MAX_VALUE);
        to.connected(this);
    }

    @Override
    public boolean isReused() {
        return used;
    }

    public UpstreamServer server() {
        return lane.server;
    }

    @Override
    public String peerName() {
        return lane.server.toString();
    }

    ServerPool lane() {
        return lane;
    }

    @Override
    public @Nullable ReceiveShare receiveShare() {
        return intake;
    }

    int tlsGeneration() {
        return tlsGeneration;
    }

    @Override
    public InetSocketAddress address() {
        return (InetSocketAddress) channel.remoteAddress();
    }

    /** Gives it back unused: who asked for it needs it no more. */
    public void returnUnused() {
        events = null;
        state = State.PARKED;
        pool.park(this);
    }

    /** No other request follows the one now to be sent. */
    public void closeAfterResponse() {
        last = true;
    }

    @Override
    public void send(ByteBuf request, boolean isHead, boolean complete) {
        headRequest = isHead;
        requestComplete = complete;
        pool.counts().requests++;
        lane.counts.requests.increment();
        awaiting.append(deadline, System.nanoTime());
        channel.writeAndFlush(request, channel.voidPromise());
    }

    @Override
    public boolean sendBody(ByteBuf part, boolean last) {
        requestComplete |= last;
        awaiting.append(deadline, System.nanoTime());
        channel.writeAndFlush(part, channel.voidPromise());
        return channel.isWritable();
    }

    @Override
    public void setReading(boolean on) {
        if (on) {
            awaiting.append(deadline, System.nanoTime());
        } else {
            DeadlineList.remove(deadline);
            pace.pause();
            if (intake != null) {
                intake.onPause();
            }
        }
        channel.config().setAutoRead(on);
    }

    @Override
    public void readAtMost(int bytes) {
        if (channel.config().getRecvByteBufAllocator() instanceof BoundedReads reads) {
            reads.most(bytes);
        }
    }

    /** Closes. */
    @Override
    public void abort() {
        events = null;
        close();
    }

    /**
     * The answer is not wanted, its connection is: what is left is read away when it is short, else
     * the connection is closed.
     */
    @Override
    public void discardRest() {
        events = null;
        unwanted = 0;
        ResponseHead told = head;
        if (told == null || told.contentLength() > MOST_UNWANTED || body.endsAtClose()) {
            close();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        pool.counts().receivedBytes += in.readableBytes();
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
                    long now = System.nanoTime();
                    awaiting.append(deadline, now);
                    pace.received(in.readableBytes(), now);
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
        OriginListener to = events;
        if (to == null) {
            close();
            return false;
        }
        answered = true;
        // One that drips in is read at the ends of its lines and when it has doubled, not anew for
        // each byte.
        int size = in.readableBytes();
        if (size < 2 * headLookedAt
                && in.indexOf(in.readerIndex() + headLookedAt, in.writerIndex(), LF) < 0) {
            return false;
        }
        headLookedAt = size;
        ResponseHead answer = head;
        if (answer == null) {
            answer = new ResponseHead();
            head = answer;
        }
        switch (answer.read(in)) {
            case INCOMPLETE -> {
                return false;
            }
            case FAULT -> {
                fail(
                        502,
                        "malformed-answer",
                        "The origin's answer is malformed: " + answer.fault().reason());
                return false;
            }
            case COMPLETE -> {
                in.skipBytes(answer.length());
                headLookedAt = 0;
            }
        }
        if (answer.status() == 101) {
            fail(502, "unasked-upgrade", "The origin switched protocols without being asked");
            return false;
        }
        if (answer.status() < 200) {
            if (++interims > MOST_INTERIMS) {
                fail(
                        502,
                        "endless-interims",
                        "The origin sent more than " + MOST_INTERIMS + " interim answers");
                return false;
            }
            to.informational(answer);
            return state == State.AWAITING_HEAD;
        }
        if (!answer.hasBody(headRequest)) {
            body.beginLength(0);
        } else if (answer.isChunked()) {
            body.beginChunked();
        } else if (answer.contentLength() >= 0) {
            body.beginLength(answer.contentLength());
        } else {
            body.beginUntilClose();
        }
        if (surplus(in)) {
            return false;
        }
        state = State.READING_BODY;
        if (intake != null) {
            // An origin that thought for long was idle meanwhile.
            intake.wake();
        }
        to.head(answer);
        if (state == State.READING_BODY && body.isDone()) {
            finish(in);
            return false;
        }
        return state == State.READING_BODY;
    }

    /**
     * Longer than it said: which part was meant is unknown, so none of it is trusted (RFC 9112
     * section 6.3).
     */
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
            } else {
                unwanted += slice.readableBytes();
                if (unwanted > MOST_UNWANTED) {
                    close();
                }
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
            // Longer than it said: which part was meant is unknown, so none of it is trusted (RFC
            // 9112 6.3).
            fail(502, "surplus-bytes", "The origin sent more than it announced");
            return;
        }
        OriginListener to = events;
        events = null;
        used = true;
        ResponseHead told = head;
        boolean reusable = told != null
                && told.keepAlive()
                && requestComplete
                && !last
                && !body.endsAtClose()
                && channel.isActive();
        state = State.PARKED;
        DeadlineList.remove(deadline);
        pace.pause();
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
            Fields trailers = body.trailers();
            if (trailers != null) {
                to.trailers(trailers);
            }
            to.end();
        }
    }

    private void fail(int status, String code, String message) {
        OriginListener to = events;
        events = null;
        boolean before = !answered;
        // A parked connection that its peer closed in the very moment of its use says nothing of
        // the server.
        if (lane.health != null && to != null && !(before && used && status != 504)) {
            lane.health.failed(System.nanoTime());
        }
        close();
        if (to != null) {
            pool.counts().failures++;
            lane.counts.failures.increment();
            to.failed(new OriginFailure(status, code, message, before));
        }
    }

    private void tooSlow() {
        if (state == State.READING_BODY) {
            fail(504, "slow-body", "The origin's answer comes too slowly");
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
            fail(
                    502,
                    "closed-early",
                    "The origin closed the connection before its answer was complete");
        }
        close();
        if (pending != null) {
            pending.release();
            pending = null;
        }
        pool.closed(this);
    }

    /**
     * Under TLS, only its closing alert is an end: anybody on the way can close the connection (RFC
     * 9112 section 9.8).
     */
    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof SslCloseCompletionEvent told && told.isSuccess()) {
            closeTold = true;
        }
    }

    /**
     * A reset is no end: a body that only its close would end is then incomplete (RFC 9112 section
     * 8).
     */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (!(cause instanceof IOException || cause.getCause() instanceof IOException)) {
            LOG.error("An answer of {} ended by a fault of this program", lane.server, cause);
        }
        if (state == State.AWAITING_HEAD || state == State.READING_BODY) {
            fail(502, "reset", "The connection to the origin broke");
        }
        close();
    }

    private void close() {
        state = State.CLOSED;
        DeadlineList.remove(deadline);
        pace.pause();
        pool.unpark(this);
        channel.close();
    }

    DeadlineList.Entry deadline() {
        return deadline;
    }

    boolean isOpen() {
        return state != State.CLOSED && channel.isActive();
    }

    void discard() {
        close();
    }
}
