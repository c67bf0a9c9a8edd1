package dev.komainu.intermediary.upstream;

import dev.komainu.intermediary.buffer.ReceiveShare;
import dev.komainu.intermediary.connection.BodyPace;
import dev.komainu.intermediary.connection.DeadlineList;
import dev.komainu.intermediary.message.BodyReader;
import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.message.ResponseHead;
import dev.komainu.intermediary.transport.BoundedReadChannel;
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
 * A connection to an origin. It carries one request at a time and never pipelines, so that a
 * response cannot be matched with another request (response desync). A byte outside a response
 * closes it.
 */
// Writes without a promise report failures as exceptions; a close is reported by channelInactive.
@SuppressWarnings("FutureReturnValueIgnored")
public final class OriginConnection extends ChannelInboundHandlerAdapter
        implements UpstreamExchange {

    private enum State {
        PARKED,
        AWAITING_HEAD,
        READING_BODY,
        CLOSED
    }

    private static final Logger LOG = LoggerFactory.getLogger(OriginConnection.class);
    /** 1xx responses to one request. Servers send fewer, and each is written to the client. */
    private static final int MAX_INTERIM_RESPONSES = 16;

    private static final byte LF = '\n';

    /** Reading this many bytes and discarding them is cheaper than opening another connection. */
    private static final int MAX_DISCARDED_BYTES = 64 * 1024;

    private final OriginPool pool;
    private final ServerPool serverPool;
    private final Channel channel;
    private final BodyReader body = new BodyReader();
    private final DeadlineList.Entry deadline = new DeadlineList.Entry() {
        @Override
        protected void expired() {
            onDeadline();
        }
    };
    private final BodyPace pace;
    private final @Nullable ReceiveShare receiveShare;
    private final int tlsGeneration;
    /** Whether each turn of reads ends with a notification in the same turn of the loop. */
    private final boolean endsReads;
    /**
     * The list in which the present request waits. Its timeout is the one in force when the request
     * got this connection.
     */
    private DeadlineList awaiting;

    private State state = State.PARKED;
    private @Nullable OriginListener listener;
    private @Nullable ByteBuf pending;
    /** Created with the first response: thousands of connections may wait for a slow origin. */
    private @Nullable ResponseHead head;

    private boolean headRequest;
    private boolean used;
    private boolean closeNotifyReceived;
    private boolean responseStarted;
    private boolean requestComplete;
    private long discardedBytes;
    private boolean lastRequest;
    private int interims;
    private int scannedBytes;

    /**
     * Creates a parked connection.
     *
     * @param receiveShare its share of the buffer budget; absent when it has none
     * @param tlsGeneration the pool's, at the time of the handshake
     */
    OriginConnection(
            OriginPool pool,
            ServerPool serverPool,
            Channel channel,
            @Nullable ReceiveShare receiveShare,
            int tlsGeneration) {
        this.receiveShare = receiveShare;
        this.pool = pool;
        this.serverPool = serverPool;
        this.channel = channel;
        this.endsReads = channel instanceof BoundedReadChannel;
        this.tlsGeneration = tlsGeneration;
        this.awaiting = pool.awaiting();
        this.pace = pool.newPace(this::tooSlow);
    }

    /** Uses this connection for one request. */
    void lend(OriginListener receiver) {
        DeadlineList.remove(deadline);
        listener = receiver;
        state = State.AWAITING_HEAD;
        responseStarted = false;
        requestComplete = false;
        interims = 0;
        scannedBytes = 0;
        awaiting = pool.awaiting();
        pool.limitPace(pace);
        if (receiveShare != null) {
            receiveShare.wake();
        }
        readAtMost(Integer.MAX_VALUE);
        receiver.connected(this);
    }

    @Override
    public boolean isReused() {
        return used;
    }

    public UpstreamServer server() {
        return serverPool.server;
    }

    @Override
    public String peerName() {
        return serverPool.name;
    }

    ServerPool serverPool() {
        return serverPool;
    }

    @Override
    public @Nullable ReceiveShare receiveShare() {
        return receiveShare;
    }

    int tlsGeneration() {
        return tlsGeneration;
    }

    @Override
    public InetSocketAddress address() {
        return (InetSocketAddress) channel.remoteAddress();
    }

    /** Returns the connection to the pool unused: the request needs it no more. */
    public void returnUnused() {
        listener = null;
        state = State.PARKED;
        pool.park(this);
    }

    /** Makes the next request the last one of this connection. */
    public void closeAfterResponse() {
        lastRequest = true;
    }

    @Override
    public void send(ByteBuf request, boolean isHead, boolean complete) {
        headRequest = isHead;
        requestComplete = complete;
        pool.counts().requests++;
        serverPool.counts.requests.increment();
        awaiting.append(deadline, pool.time().nanos());
        channel.writeAndFlush(request, channel.voidPromise());
    }

    @Override
    public boolean sendBody(ByteBuf part, boolean last) {
        requestComplete |= last;
        awaiting.append(deadline, pool.time().nanos());
        channel.writeAndFlush(part, channel.voidPromise());
        return channel.isWritable();
    }

    @Override
    public void setReading(boolean on) {
        if (on) {
            awaiting.append(deadline, pool.time().nanos());
        } else {
            DeadlineList.remove(deadline);
            pace.pause();
            if (receiveShare != null) {
                receiveShare.onPause();
            }
        }
        channel.config().setAutoRead(on);
    }

    @Override
    public void readAtMost(int bytes) {
        if (channel instanceof BoundedReadChannel bounded) {
            bounded.setMaxReadBytes(bytes);
        } else if (channel.config().getRecvByteBufAllocator() instanceof BoundedReads reads) {
            reads.setMaxBytes(bytes);
        }
    }

    @Override
    public void abort() {
        listener = null;
        close();
    }

    /**
     * Gives up the response but not the connection: a short rest of the body is read and discarded.
     * With a long rest the connection closes.
     */
    @Override
    public void discardRest() {
        listener = null;
        discardedBytes = 0;
        ResponseHead responseHead = head;
        if (responseHead == null
                || responseHead.contentLength() > MAX_DISCARDED_BYTES
                || body.endsAtClose()) {
            close();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        pool.readBegins(endsReads);
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
                keepPending(ctx, in);
            } else {
                in.release();
            }
        }
    }

    private void keepPending(ChannelHandlerContext ctx, ByteBuf in) {
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
                    long now = pool.time().nanos();
                    awaiting.append(deadline, now);
                    pace.received(in.readableBytes(), now);
                    if (!readBody(in)) {
                        return;
                    }
                }
                case PARKED -> {
                    // Bytes outside a response.
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
        OriginListener receiver = listener;
        if (receiver == null) {
            close();
            return false;
        }
        responseStarted = true;
        // A head that arrives in small pieces is parsed at line ends and when its size has doubled,
        // not again for each byte.
        int size = in.readableBytes();
        if (size < 2 * scannedBytes
                && in.indexOf(in.readerIndex() + scannedBytes, in.writerIndex(), LF) < 0) {
            return false;
        }
        scannedBytes = size;
        ResponseHead response = head;
        if (response == null) {
            response = new ResponseHead();
            head = response;
        }
        switch (response.read(in)) {
            case INCOMPLETE -> {
                return false;
            }
            case FAULT -> {
                fail(
                        502,
                        "malformed-answer",
                        "The origin's response is malformed: "
                                + response.fault().reason());
                return false;
            }
            case COMPLETE -> {
                in.skipBytes(response.length());
                scannedBytes = 0;
            }
        }
        if (response.status() == 101) {
            fail(502, "unasked-upgrade", "The origin switched protocols without a request");
            return false;
        }
        if (response.status() < 200) {
            if (++interims > MAX_INTERIM_RESPONSES) {
                fail(
                        502,
                        "endless-interims",
                        "The origin sent more than " + MAX_INTERIM_RESPONSES
                                + " interim responses");
                return false;
            }
            receiver.informational(response);
            return state == State.AWAITING_HEAD;
        }
        if (!response.hasBody(headRequest)) {
            body.beginLength(0);
        } else if (response.isChunked()) {
            body.beginChunked();
        } else if (response.contentLength() >= 0) {
            body.beginLength(response.contentLength());
        } else {
            body.beginUntilClose();
        }
        if (surplus(in)) {
            return false;
        }
        state = State.READING_BODY;
        if (receiveShare != null) {
            // An origin that took long for its response was idle meanwhile.
            receiveShare.wake();
        }
        receiver.head(response);
        if (state == State.READING_BODY && body.isDone()) {
            finish(in);
            return false;
        }
        return state == State.READING_BODY;
    }

    /**
     * Fails the response when it is longer than announced: the intended part is unknown, so none of
     * it is trusted (RFC 9112 section 6.3).
     */
    private boolean surplus(ByteBuf in) {
        boolean exceeded = body.isExceededBy(in);
        if (exceeded) {
            fail(502, "surplus-bytes", "The origin sent more bytes than it announced");
        }
        return exceeded;
    }

    private boolean readBody(ByteBuf in) {
        if (surplus(in)) {
            return false;
        }
        BodyReader.Outcome outcome = body.read(in, slice -> {
            if (listener != null) {
                listener.body(slice);
            } else {
                discardedBytes += slice.readableBytes();
                if (discardedBytes > MAX_DISCARDED_BYTES) {
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
                    "The origin's response is malformed: " + body.fault().reason());
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
            // The response is longer than announced: the intended part is unknown, so none of it is
            // trusted (RFC 9112 section 6.3).
            fail(502, "surplus-bytes", "The origin sent more bytes than it announced");
            return;
        }
        OriginListener receiver = listener;
        listener = null;
        used = true;
        ResponseHead responseHead = head;
        boolean reusable = responseHead != null
                && responseHead.keepAlive()
                && requestComplete
                && !lastRequest
                && !body.endsAtClose()
                && channel.isActive();
        state = State.PARKED;
        DeadlineList.remove(deadline);
        pace.pause();
        if (serverPool.health != null) {
            serverPool.health.recordSuccess();
        }
        if (reusable) {
            channel.config().setAutoRead(true);
            pool.park(this);
        } else {
            close();
        }
        if (receiver != null) {
            Fields trailers = body.trailers();
            if (trailers != null) {
                receiver.trailers(trailers);
            }
            receiver.end();
        }
    }

    private void fail(int status, String code, String message) {
        OriginListener receiver = listener;
        listener = null;
        boolean before = !responseStarted;
        // A parked connection that its peer closed at the moment of reuse is no evidence against
        // the server.
        if (serverPool.health != null && receiver != null && !(before && used && status != 504)) {
            serverPool.health.recordFailure(System.nanoTime());
        }
        close();
        if (receiver != null) {
            pool.counts().failures++;
            serverPool.counts.failures.increment();
            receiver.failed(new OriginFailure(status, code, message, before));
        }
    }

    private void tooSlow() {
        if (state == State.READING_BODY) {
            fail(504, "slow-body", "The origin's response arrives too slowly");
        }
    }

    private void onDeadline() {
        if (state == State.PARKED) {
            close();
        } else {
            fail(504, "response-timeout", "The origin sent nothing for too long");
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        pool.readEnds();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (channel.isWritable() && listener != null) {
            listener.writable();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (state == State.READING_BODY
                && (!serverPool.server.secure() || closeNotifyReceived)
                && body.end()) {
            finish(io.netty.buffer.Unpooled.EMPTY_BUFFER);
        } else if (state == State.AWAITING_HEAD || state == State.READING_BODY) {
            fail(
                    502,
                    "closed-early",
                    "The origin closed the connection before its response was complete");
        }
        close();
        if (pending != null) {
            pending.release();
            pending = null;
        }
        pool.closed(this);
    }

    /**
     * Records a TLS close_notify. Under TLS only this alert ends a body: an attacker on the path
     * can close the connection (RFC 9112 section 9.8).
     */
    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof SslCloseCompletionEvent completion && completion.isSuccess()) {
            closeNotifyReceived = true;
        }
    }

    /**
     * Fails the response. A reset does not end a body: a body whose length is unknown is then
     * incomplete (RFC 9112 section 8).
     */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (!(cause instanceof IOException || cause.getCause() instanceof IOException)) {
            LOG.error(
                    "A response from {} failed because of an error in this program",
                    serverPool.server,
                    cause);
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
