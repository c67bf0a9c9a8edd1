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
 * One stream of an HTTP/2 connection: one request and its answer (RFC 9113 section 8.1).
 *
 * <pre>
 *   request:  HEADERS ──► (DATA …) ──► END_STREAM          the body reaches the origin as it takes it
 *   answer:   (HEADERS 1xx) ──► HEADERS ──► (DATA …) ──► END_STREAM
 *   broken:   RST_STREAM from either side, at any time
 * </pre>
 *
 * An answer's HEADERS wait for the first byte of its body or the end of the turn, so that an answer
 * without a body is one frame. What waits for the client's windows is at most {@value #ROOM} bytes
 * and the part that crossed that mark; answers from memory wait whole, as views of the cache.
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
    /** A request that may or may not have a body. */
    private @Nullable Http2Headers held;

    private int queued;
    private int room = ROOM;
    private boolean isMoving;
    private boolean isUnflushed;
    private final DeadlineList.Entry stall = new DeadlineList.Entry() {
        @Override
        protected void expired() {
            look();
        }
    };
    private final DeadlineList.Entry opening = new DeadlineList.Entry() {
        @Override
        protected void expired() {
            neverOpened();
        }
    };
    private DeadlineList sending;
    private long sentBytes;
    private long sentBefore;
    private int looks;

    Http2ClientStream(Http2Session session, LoopContext worker, Http2Stream stream) {
        super(worker, session.peer());
        this.session = session;
        this.stream = stream;
        this.sending = worker.sending.current();
        this.upload = new StreamUpload(session, worker, stream, this);
    }

    int id() {
        return stream.id();
    }

    Http2Session session() {
        return session;
    }

    // The request.

    /** @param headBytes of the head as text */
    void asked(RequestHead head, int headBytes, boolean ends) {
        upload.begin(ends);
        worker.tally.requests++;
        ledger.received(headBytes);
        exchange.walk(head, System.nanoTime());
    }

    void refused(MessageFault fault, boolean ends) {
        upload.begin(ends);
        worker.tally.requests++;
        worker.tally.malformed++;
        answerFault(fault);
    }

    private void answerFault(MessageFault fault) {
        worker.tally.errors++;
        worker.tally.responses++;
        ByteBuf out = buffer(512);
        worker.answers.own(
                out, fault.status(), fault.reason() + " (" + fault.section() + ")", false, true, 1);
        write(out);
        ledger.malformed(fault.status());
        end();
    }

    /** The request begins with its body's first byte, or with the word that there is none. */
    void hold(Http2Headers fields) {
        held = fields;
        worker.heads.current().append(opening, System.nanoTime());
    }

    /** @return whether the request may go on */
    private boolean opens(ByteBuf bytes, boolean ends) {
        Http2Headers fields = held;
        if (fields == null) {
            return true;
        }
        if (!bytes.isReadable() && !ends) {
            return false;
        }
        held = null;
        DeadlineList.remove(opening);
        session.ask(this, fields, !bytes.isReadable());
        return bytes.isReadable();
    }

    private void neverOpened() {
        held = null;
        worker.tally.slowBodies++;
        worker.tally.requests++;
        answerFault(MessageFault.SLOW_BODY);
        flushLater();
    }

    /** @return how many of the bytes are done with; of the others the upload tells when they are */
    int data(ByteBuf bytes, boolean ends) {
        if (!opens(bytes, ends)) {
            return 0;
        }
        if (tunnel != null) {
            if (ends) {
                upload.end();
            }
            tunnel.data(bytes, ends);
            return 0;
        }
        ledger.received(bytes.readableBytes());
        return upload.data(bytes, ends);
    }

    /** The request's trailers, which end it. */
    void trailers(@Nullable Fields fields) {
        upload.behind(fields);
        data(Unpooled.EMPTY_BUFFER, true);
    }

    /** END_STREAM came. */
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

    // The answer.

    @Override
    public boolean isWritable() {
        return !closed && queued < room;
    }

    @Override
    public void ahead(int bytes) {
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

    /** A part went out. */
    void sent(int bytes) {
        queued -= bytes;
        sentBytes += bytes;
        if (queued == 0 && !ended) {
            lastPart = null;
        }
        if (!isMoving) {
            isMoving = true;
            session.moved(this);
        }
    }

    void sendTrailers(Http2Headers fields) {
        session.writeTrailers(stream, fields);
    }

    /**
     * END_STREAM went out. What the client still sends of its request, nobody reads (RFC 9113
     * section 8.1).
     */
    void sentAll() {
        session.closeLocal(stream);
        if (!closed && !upload.isComplete() && tunnel == null) {
            session.reset(stream, Http2Error.NO_ERROR);
        }
    }

    /** The turn's flush comes now. */
    void flushing() {
        isUnflushed = false;
        sendHead(false);
    }

    /** The turn's flush is over. What it left must go on in time. */
    void flushed(long nowNanos) {
        ledger.flushed(nowNanos);
        if (queued > 0 && !closed && !stall.isWaiting()) {
            looks = 0;
            sentBefore = sentBytes;
            sending = worker.sending.current();
            sending.append(stall, nowNanos);
        }
    }

    /** As often as {@link StallDetector} looks: nothing sent between that many looks is a stall. */
    private void look() {
        if (queued == 0 || closed) {
            return;
        }
        looks = sentBytes == sentBefore ? looks + 1 : 0;
        sentBefore = sentBytes;
        if (looks < StallDetector.LOOKS) {
            sending.append(stall, System.nanoTime());
            return;
        }
        FetchedResponse by = delivery;
        delivery = null;
        if (by != null) {
            by.abandon();
        }
        session.stalled(stream);
    }

    /** Behind the flush: there is room again. */
    void pump() {
        isMoving = false;
        FetchedResponse by = delivery;
        if (by != null && isWritable()) {
            by.pump();
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
    public boolean keeps(RequestHead head) {
        // A client that may no longer come is told so beside this answer.
        session.permitted();
        return true;
    }

    @Override
    public void answered(
            RequestHead head, int status, CacheOutcome outcome, long startNanos, boolean keep) {
        ledger.answered(head, status, outcome, startNanos);
        end();
    }

    /** What is written goes out as far as it may, then the stream is reset. */
    @Override
    public void breakOff() {
        delivery = null;
        sendHead(false);
        session.breakOff(stream);
    }

    @Override
    public void tunnel(RequestHead head, Origin target, long startNanos) {
        StreamTunnel mine =
                new StreamTunnel(worker, this, ledger, head.detached(), target, startNanos);
        tunnel = mine;
        mine.dial();
    }

    /** The tunnel's other end could not be had. */
    void undialled(RequestHead head, int status, String message, long startNanos) {
        tunnel = null;
        own(head, status, message, CacheOutcome.ERROR, startNanos);
        flushLater();
    }

    void established(long startNanos) {
        responding(startNanos);
        ByteBuf out = buffer(ESTABLISHED.length);
        out.writeBytes(ESTABLISHED);
        write(out);
        flushLater();
    }

    /** The client's bytes went on. */
    void consumed(int bytes) {
        if (!closed && bytes > 0) {
            session.consumed(stream, bytes);
        }
    }

    /** The tunnel's other end says no more; the client may. */
    void tunnelEnds() {
        end();
        flushLater();
    }

    void tunnelBreaks(Http2Error why) {
        session.reset(stream, why);
        session.flushLater();
    }

    /** The client's connection says no more. */
    void inputEnded() {
        if (tunnel != null) {
            tunnel.inputEnded();
        }
    }

    /** By a fault of this program, or for want of memory. */
    void tunnelFails(Throwable cause) {
        ExchangeAccounting.unexpected(session.peer(), cause);
        tunnelBreaks(Http2Error.INTERNAL_ERROR);
    }

    @Override
    public void uploadReady() {
        upload.open();
    }

    /** The upload comes too slowly. */
    void uploadTooSlow() {
        FetchedResponse by = delivery;
        if (by == null) {
            return;
        }
        worker.tally.slowBodies++;
        boolean begun = by.hasBegun();
        delivery = null;
        if (begun) {
            by.abandon();
            session.reset(stream, Http2Error.CANCEL);
        } else {
            // The request counts as abandoned; what answers it, as one more that is refused.
            by.abandon();
            worker.tally.requests++;
            answerFault(MessageFault.SLOW_BODY);
        }
        flushLater();
    }

    /** The stream is closed: all said, or reset by either side, or the connection is gone. */
    void close() {
        closed = true;
        DeadlineList.remove(stall);
        DeadlineList.remove(opening);
        held = null;
        upload.close();
        unsentHead = null;
        lastPart = null;
        FetchedResponse by = delivery;
        delivery = null;
        if (by != null) {
            by.abandon();
        }
        if (tunnel != null) {
            tunnel.close();
        }
    }
}
