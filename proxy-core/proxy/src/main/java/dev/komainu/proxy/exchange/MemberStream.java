package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.intermediary.upstream.Origin;
import dev.komainu.organizer.line.LinePeer;
import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.MemberFields;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.StreamListener;
import dev.komainu.telemetry.record.ProxyExchange.CacheOutcome;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A request of another member of the cluster, by a stream of the line between the two, and its
 * answer. On its event loop, which is a worker's own.
 *
 * <p>A member that asks this one as an object's owner is told {@code 102} when the answer must be
 * fetched, so that it can tell an owner that works from one that is gone; and in place of an error
 * of this proxy's own that there is none ({@link MemberFields#REFUSAL}), because it asks the origin
 * itself then. A member that only passes on what a client wants is told the error.
 */
public final class MemberStream extends FramedStream implements ClientSession, StreamListener {

    private static final AsciiString WORKING = AsciiString.cached("102");

    private final LineStream stream;
    private final LinePeer peer;
    private final boolean asOwner;
    private final Deque<ByteBuf> upload = new ArrayDeque<>(0);
    private boolean uploadEnds;
    private boolean uploading;

    private MemberStream(LoopContext worker, LineStream stream, LinePeer peer, boolean asOwner) {
        super(worker, peer.address());
        this.stream = stream;
        this.peer = peer;
        this.asOwner = asOwner;
    }

    /**
     * Takes a request.
     *
     * @param worker of the stream's loop
     * @param head given away
     * @param ends it has no body
     * @return who hears the rest of it
     */
    public static StreamListener take(
            LoopContext worker, Http2Headers head, boolean ends, LineStream stream, LinePeer peer) {
        MemberStream made =
                new MemberStream(worker, stream, peer, head.contains(MemberFields.OWNER));
        head.remove(MemberFields.OWNER);
        head.remove(MemberFields.HEARD);
        worker.connections.add(made);
        made.begin(head, ends);
        return made;
    }

    private void begin(Http2Headers fields, boolean ends) {
        worker.tally.requests++;
        worker.tally.memberRequests++;
        ByteBuf text = worker.requestText.clear();
        String wrong =
                RequestHeadText.write(fields, ends, worker.policy.routes().isForward(), text);
        worker.head.setReceivedOver("https".contentEquals(String.valueOf(fields.scheme())), true);
        if (wrong != null || worker.head.read(text) != RequestHead.Outcome.COMPLETE) {
            worker.tally.malformed++;
            worker.tally.errors++;
            worker.tally.responses++;
            ledger.malformed(400);
            refuse(400);
            return;
        }
        ledger.received(text.readableBytes());
        exchange.walk(worker.head, System.nanoTime());
    }

    @Override
    public boolean isMember() {
        return true;
    }

    /** Whom a member lets ask, may. */
    @Override
    public boolean permitted() {
        return true;
    }

    @Override
    public InetAddress client() {
        return peer.address().getAddress();
    }

    // The request's body.

    @Override
    public void head(Http2Headers fields, boolean ends) {
        throw new IllegalStateException("A request has one head");
    }

    @Override
    public void data(ByteBuf bytes, boolean ends) {
        uploadEnds |= ends;
        ledger.received(bytes.readableBytes());
        upload.add(bytes);
        move();
    }

    /** Nobody behind waits for them. */
    @Override
    public void trailers(Http2Headers fields) {
        data(Unpooled.EMPTY_BUFFER, true);
    }

    @Override
    public void uploadReady() {
        uploading = true;
        move();
    }

    private void move() {
        FetchedResponse by = delivery;
        while (!upload.isEmpty() && (by == null ? ended : uploading)) {
            ByteBuf next = upload.remove();
            int count = next.readableBytes();
            if (by == null) {
                next.release();
            } else {
                uploading = by.upload(next, uploadEnds && upload.isEmpty());
            }
            stream.consumed(count);
        }
    }

    // The answer.

    @Override
    public boolean isWritable() {
        return !closed && stream.isWritable();
    }

    /** What may wait here is the line's to say. */
    @Override
    public void ahead(int bytes) {}

    @Override
    public ByteBuf buffer(int size) {
        return worker.fetching.allocator().directBuffer(size);
    }

    @Override
    void send(Http2ResponseFields head, boolean ends) {
        stream.head(head.fields(), ends);
    }

    @Override
    void send(ByteBuf bytes) {
        stream.data(bytes, false);
    }

    /** The line flushes by itself. */
    @Override
    void noteUnflushed() {}

    @Override
    void end() {
        if (closed || ended) {
            return;
        }
        ended = true;
        Http2Headers behind = trailers;
        if (behind != null) {
            sendHead(false);
            stream.trailers(behind);
        } else if (unsentHead != null) {
            sendHead(true);
        } else {
            stream.data(Unpooled.EMPTY_BUFFER, true);
        }
        move();
    }

    /** There is no answer of an origin's. */
    private void refuse(int status) {
        ended = true;
        stream.head(
                new DefaultHttp2Headers(false, 4)
                        .status(Integer.toString(status))
                        .add("content-length", "0")
                        .add(MemberFields.REFUSAL, "not-fetched"),
                true);
        move();
    }

    @Override
    public void flushLater() {
        sendHead(false);
    }

    @Override
    public void flushNow() {
        sendHead(false);
    }

    @Override
    public boolean keeps(RequestHead head) {
        return true;
    }

    @Override
    public void answered(
            RequestHead head, int status, CacheOutcome outcome, long startNanos, boolean keep) {
        ledger.answered(head, status, outcome, startNanos);
        ledger.flushed(System.nanoTime());
        end();
    }

    @Override
    void error(RequestHead head, int status, String message) {
        if (asOwner) {
            refuse(status);
        } else {
            super.error(head, status, message);
        }
    }

    @Override
    public void delivering(FetchedResponse by, RequestHead head) {
        super.delivering(by, head);
        if (asOwner) {
            stream.head(new DefaultHttp2Headers(false, 2).status(WORKING), false);
        }
    }

    @Override
    public void breakOff() {
        delivery = null;
        sendHead(false);
        stream.reset(Http2Error.INTERNAL_ERROR);
    }

    /** The line's own tunnels carry what is no HTTP. */
    @Override
    public void tunnel(RequestHead head, Origin target, long startNanos) {
        own(head, 501, "CONNECT is not for a cache of the cluster", CacheOutcome.ERROR, startNanos);
    }

    // The line.

    @Override
    public void writable() {
        FetchedResponse by = delivery;
        if (by != null) {
            by.pump();
        }
    }

    @Override
    public void ended(StreamEnd how) {
        closed = true;
        worker.connections.remove(this);
        unsentHead = null;
        FetchedResponse by = delivery;
        delivery = null;
        if (by != null) {
            by.abandon();
        }
        upload.forEach(ByteBuf::release);
        upload.clear();
    }

    /** It ends with its answer. */
    @Override
    public void closeIfIdle() {}
}
