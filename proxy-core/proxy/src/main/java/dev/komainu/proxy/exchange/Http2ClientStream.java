package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.connection.DeadlineList;
import dev.komainu.intermediary.message.Ascii;
import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.message.MessageFault;
import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.intermediary.upstream.Origin;
import dev.komainu.telemetry.record.ProxyExchange.CacheOutcome;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * One stream of an HTTP/2 connection: one request and its response (RFC 9113 section 8.1).
 *
 * <pre>
 *   request:  HEADERS ──► (DATA …) ──► END_STREAM          the body reaches the origin as it accepts it
 *   response: (HEADERS 1xx) ──► HEADERS ──► (DATA …) ──► END_STREAM
 *   broken:   RST_STREAM from either side, at any time
 * </pre>
 *
 * The HEADERS of a response wait for the first byte of its body or the end of the turn, so that a
 * response without a body is one frame. At most {@value #ROOM} bytes and the part that crossed that
 * limit wait for the client's windows; responses from memory wait whole, as views of the cache.
 */
final class Http2ClientStream extends FramedStream {

    private static final int ROOM = 64 * 1024;
    private static final byte[] ESTABLISHED =
            Ascii.bytes("HTTP/1.1 200 Connection established\r\n\r\n");

    private final Http2Session session;
    private final Http2Stream stream;
    private final StreamUpload upload;
    private @Nullable StreamTunnel tunnel;
    private @Nullable PendingData lastPart;
    /** A request of which it is not known yet whether it has a body. */
    private @Nullable Http2Headers awaited;

    private int queued;
    private int room = ROOM;
    private boolean isMoving;
    private boolean isUnflushed;
    private final DeadlineList.Entry stall = new DeadlineList.Entry() {
        @Override
        protected void expired() {
            check();
        }
    };
    private final DeadlineList.Entry bodyDeadline = new DeadlineList.Entry() {
        @Override
        protected void expired() {
            bodyTimeout();
        }
    };
    private DeadlineList sending;
    private long sentBytes;
    private long sentBefore;
    private int checks;

    Http2ClientStream(Http2Session session, LoopContext context, Http2Stream stream) {
        super(context, session.peer());
        this.session = session;
        this.stream = stream;
        this.sending = context.sending.current();
        this.upload = new StreamUpload(session, context, stream, this);
    }

    int id() {
        return stream.id();
    }

    Http2Session session() {
        return session;
    }

    // The request.

    /**
     * Starts the exchange of a request.
     *
     * @param headBytes the size of the head as text
     */
    void receiveRequest(RequestHead head, int headBytes, boolean ends) {
        upload.begin(ends);
        context.tally.requests++;
        accounting.received(headBytes);
        exchange.start(head, context.time.nanos());
    }

    void receiveMalformed(MessageFault fault, boolean ends) {
        upload.begin(ends);
        context.tally.requests++;
        context.tally.malformed++;
        respondFault(fault);
    }

    private void respondFault(MessageFault fault) {
        context.tally.errors++;
        context.tally.responses++;
        ByteBuf out = buffer(512);
        context.headWriter.message(
                out, fault.status(), fault.reason() + " (" + fault.section() + ")", false, true, 1);
        write(out);
        accounting.malformed(fault.status());
        end();
    }

    /** Keeps a request until its body's first byte or the end of its stream arrives. */
    void awaitBody(Http2Headers fields) {
        awaited = fields;
        context.heads.current().append(bodyDeadline, System.nanoTime());
    }

    /**
     * Starts a kept request.
     *
     * @return whether the bytes may be processed
     */
    private boolean startAwaited(ByteBuf bytes, boolean ends) {
        Http2Headers fields = awaited;
        if (fields == null) {
            return true;
        }
        if (!bytes.isReadable() && !ends) {
            return false;
        }
        awaited = null;
        DeadlineList.remove(bodyDeadline);
        session.start(this, fields, !bytes.isReadable());
        return bytes.isReadable();
    }

    private void bodyTimeout() {
        awaited = null;
        context.tally.slowBodies++;
        context.tally.requests++;
        respondFault(MessageFault.SLOW_BODY);
        flushLater();
    }

    /**
     * Receives body bytes.
     *
     * @return the number of bytes that are consumed; the upload returns the others to the window
     *     later
     */
    int data(ByteBuf bytes, boolean ends) {
        if (!startAwaited(bytes, ends)) {
            return 0;
        }
        if (tunnel != null) {
            if (ends) {
                upload.end();
            }
            tunnel.data(bytes, ends);
            return 0;
        }
        accounting.received(bytes.readableBytes());
        return upload.data(bytes, ends);
    }

    /** Receives the request's trailers, which end it. */
    void trailers(@Nullable Fields fields) {
        upload.setTrailers(fields);
        data(Unpooled.EMPTY_BUFFER, true);
    }

    /** Reports whether END_STREAM was received. */
    boolean isRequestComplete() {
        return upload.isComplete();
    }

    @Nullable
    FetchedResponse delivery() {
        return delivery;
    }

    @Override
    public boolean permitted() {
        return session.permitted();
    }

    @Override
    public InetAddress client() {
        return session.peer().getAddress();
    }

    // The response.

    @Override
    public boolean isWritable() {
        return !closed && queued < room;
    }

    @Override
    public void limitPendingBytes(int bytes) {
        room = Math.min(ROOM, bytes);
    }

    @Override
    public ByteBuf buffer(int size) {
        return session.allocate(size);
    }

    @Override
    void send(Http2ResponseFields head, boolean ends) {
        session.writeHeaders(stream, head, ends);
    }

    @Override
    void send(ByteBuf bytes) {
        append(bytes);
    }

    private PendingData append(ByteBuf bytes) {
        sendHead(false);
        queued += bytes.readableBytes();
        PendingData part = new PendingData(this, bytes);
        lastPart = part;
        session.enqueue(stream, part);
        return part;
    }

    @Override
    void end() {
        if (closed || ended) {
            return;
        }
        ended = true;
        noteUnflushed();
        if (unsentHead != null && trailers == null) {
            sendHead(true);
            sentAll();
            return;
        }
        PendingData last = lastPart;
        if (last == null || trailers != null) {
            last = append(Unpooled.EMPTY_BUFFER);
        }
        last.last(trailers);
    }

    /** Records that a part was sent. */
    void sent(int bytes) {
        queued -= bytes;
        sentBytes += bytes;
        if (queued == 0 && !ended) {
            lastPart = null;
        }
        if (!isMoving) {
            isMoving = true;
            session.streamProgressed(this);
        }
    }

    void sendTrailers(Http2Headers fields) {
        session.writeTrailers(stream, fields);
    }

    /**
     * Ends the stream after END_STREAM was sent. The rest of the request is not read (RFC 9113
     * section 8.1).
     */
    void sentAll() {
        session.closeLocal(stream);
        if (!closed && !upload.isComplete() && tunnel == null) {
            session.reset(stream, Http2Error.NO_ERROR);
        }
    }

    /** Writes a waiting head before the turn's flush. */
    void flushing() {
        isUnflushed = false;
        sendHead(false);
    }

    /** Starts to watch for a stall when bytes are left after the turn's flush. */
    void flushed(long nowNanos) {
        accounting.flushed(nowNanos);
        if (queued > 0 && !closed && !stall.isWaiting()) {
            checks = 0;
            sentBefore = sentBytes;
            sending = context.sending.current();
            sending.append(stall, nowNanos);
        }
    }

    /**
     * Checks for progress as often as {@link StallDetector} does: nothing sent between that many
     * checks is a stall.
     */
    private void check() {
        if (queued == 0 || closed) {
            return;
        }
        checks = sentBytes == sentBefore ? checks + 1 : 0;
        sentBefore = sentBytes;
        if (checks < StallDetector.CHECKS) {
            sending.append(stall, context.time.nanos());
            return;
        }
        FetchedResponse response = delivery;
        delivery = null;
        if (response != null) {
            response.abandon();
        }
        session.stalled(stream);
    }

    /** Continues after the flush: there is room again. */
    void pump() {
        isMoving = false;
        FetchedResponse response = delivery;
        if (response != null && isWritable()) {
            response.pump();
        } else if (tunnel != null && isWritable()) {
            tunnel.resume();
        }
    }

    @Override
    public void flushLater() {
        noteUnflushed();
        session.flushLater();
    }

    @Override
    void noteUnflushed() {
        if (!isUnflushed) {
            isUnflushed = true;
            session.unflushed(this);
        }
    }

    @Override
    public boolean keepsAlive(RequestHead head) {
        // A client that a reload has excluded gets GOAWAY beside this response.
        session.permitted();
        return true;
    }

    @Override
    public void finishHit(
            RequestHead head, int status, CacheOutcome outcome, long startNanos, boolean keep) {
        accounting.recordHit(head, status, outcome, startNanos);
        end();
    }

    /** Sends the written bytes as far as the windows allow, then resets the stream. */
    @Override
    public void breakOff() {
        delivery = null;
        sendHead(false);
        session.breakOff(stream);
    }

    @Override
    public void tunnel(RequestHead head, Origin target, long startNanos) {
        StreamTunnel started =
                new StreamTunnel(context, this, accounting, head.detached(), target, startNanos);
        tunnel = started;
        started.dial();
    }

    /** Responds with an error: the target of the tunnel could not be connected. */
    void dialFailed(RequestHead head, int status, String message, long startNanos) {
        tunnel = null;
        respond(head, status, message, CacheOutcome.ERROR, startNanos);
        flushLater();
    }

    void established(long startNanos) {
        responding(startNanos);
        ByteBuf out = buffer(ESTABLISHED.length);
        out.writeBytes(ESTABLISHED);
        write(out);
        flushLater();
    }

    /** Returns bytes to the client's window; the target has accepted them. */
    void consumed(int bytes) {
        if (!closed && bytes > 0) {
            session.consumed(stream, bytes);
        }
    }

    /** Ends the stream's output: the target has sent its end. The client may still send. */
    void endTunnel() {
        end();
        flushLater();
    }

    void resetTunnel(Http2Error error) {
        session.reset(stream, error);
        session.flushLater();
    }

    /** Handles the end of input of the client's connection. */
    void inputEnded() {
        if (tunnel != null) {
            tunnel.inputEnded();
        }
    }

    /** Resets the tunnel after a fault of this program, or for lack of memory. */
    void failTunnel(Throwable cause) {
        ExchangeAccounting.unexpected(session.peer(), cause);
        resetTunnel(Http2Error.INTERNAL_ERROR);
    }

    @Override
    public void uploadReady() {
        upload.open();
    }

    /** Ends an exchange whose upload is too slow. */
    void uploadTooSlow() {
        FetchedResponse response = delivery;
        if (response == null) {
            return;
        }
        context.tally.slowBodies++;
        boolean started = response.hasBegun();
        delivery = null;
        if (started) {
            response.abandon();
            session.reset(stream, Http2Error.CANCEL);
        } else {
            // The request counts as abandoned; the error response counts as one more request that
            // is refused.
            response.abandon();
            context.tally.requests++;
            respondFault(MessageFault.SLOW_BODY);
        }
        flushLater();
    }

    /**
     * Releases everything: the stream is complete, or reset by either side, or the connection is
     * closed.
     */
    void close() {
        closed = true;
        DeadlineList.remove(stall);
        DeadlineList.remove(bodyDeadline);
        awaited = null;
        upload.close();
        unsentHead = null;
        lastPart = null;
        FetchedResponse response = delivery;
        delivery = null;
        if (response != null) {
            response.abandon();
        }
        if (tunnel != null) {
            tunnel.close();
        }
    }
}
