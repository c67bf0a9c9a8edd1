package dev.komainu.proxy.exchange;

import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.MemberFields;
import dev.komainu.organizer.line.Peer;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.StreamEvents;
import dev.komainu.proxy.cache.StoredResponse;
import dev.komainu.proxy.fetch.TrailerFields;
import dev.komainu.proxy.http.RequestHead;
import dev.komainu.proxy.upstream.Asked;
import dev.komainu.proxy.upstream.Origin;
import dev.komainu.proxy.upstream.OriginFailure;
import dev.komainu.telemetry.record.ProxyExchange.CacheOutcome;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * A request of another member of the cluster, by a stream of the line between the two, and its answer. On its event loop, which is a
 * worker's own.
 *
 * <p>A member that asks this one as an object's owner is told {@code 102} when the answer must be fetched, so that it can tell an owner
 * that works from one that is gone; and in place of an error of this proxy's own that there is none ({@link MemberFields#REFUSAL}), because it asks
 * the origin itself then. A member that only passes on what a client wants is told the error.
 */
public final class MemberStream implements ClientStream, ClientSession, StreamEvents {

    private static final AsciiString WORKING = AsciiString.cached("102");

    private final Worker worker;
    private final LineStream stream;
    private final Peer peer;
    private final boolean asOwner;
    private final Ledger ledger;
    private final Exchange exchange;
    private final Deque<ByteBuf> upload = new ArrayDeque<>(0);
    private @Nullable Delivery delivery;
    private @Nullable AnswerFields unsentHead;
    private @Nullable Http2Headers trailers;
    private boolean uploadEnds;
    private boolean uploading;
    private boolean headWritten;
    private boolean ended;
    private boolean closed;

    private MemberStream(Worker worker, LineStream stream, Peer peer, boolean asOwner) {
        this.worker = worker;
        this.stream = stream;
        this.peer = peer;
        this.asOwner = asOwner;
        this.ledger = new Ledger(worker, peer.address(), true);
        this.exchange = new Exchange(worker, this);
    }

    /**
     * Takes a request.
     *
     * @param worker of the stream's loop
     * @param head given away
     * @param ends it has no body
     * @return who hears the rest of it
     */
    public static StreamEvents take(Worker worker, Http2Headers head, boolean ends, LineStream stream, Peer peer) {
        MemberStream made = new MemberStream(worker, stream, peer, head.contains(MemberFields.OWNER));
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
        String wrong = RequestText.write(fields, ends, worker.policy.routes().isForward(), text);
        worker.head.cameBy("https".contentEquals(String.valueOf(fields.scheme())), true);
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
        Delivery by = delivery;
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
    public void write(ByteBuf bytes) {
        ledger.sent(bytes.readableBytes());
        if (closed || ended) {
            bytes.release();
            return;
        }
        if (!headWritten) {
            AnswerFields head = AnswerFields.read(bytes);
            if (head.informational()) {
                stream.head(head.fields(), false);
            } else {
                headWritten = true;
                unsentHead = head;
            }
        }
        if (bytes.isReadable()) {
            sendHead(false);
            stream.data(bytes, false);
        } else {
            bytes.release();
        }
    }

    private void sendHead(boolean ends) {
        AnswerFields head = unsentHead;
        if (head != null) {
            unsentHead = null;
            stream.head(head.fields(), ends);
        }
    }

    private void end() {
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
    public void trailers(byte[] lines) {
        trailers = AnswerFields.trailers(lines);
    }

    @Override
    public boolean takesTrailers(RequestHead head) {
        return TrailerFields.areAccepted(head);
    }

    /** The line flushes by itself. */
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
    public boolean wantsChunks(RequestHead head) {
        return false;
    }

    @Override
    public boolean endsBodies(RequestHead head) {
        return true;
    }

    @Override
    public void answered(RequestHead head, int status, CacheOutcome outcome, long startNanos, boolean keep) {
        ledger.answered(head, status, outcome, startNanos);
        ledger.flushed(System.nanoTime());
        end();
    }

    @Override
    public void own(RequestHead head, int status, String message, CacheOutcome outcome, long startNanos) {
        responding(startNanos);
        error(head, status, message);
        ledger.count(head, status, outcome, null, startNanos);
        end();
    }

    private void error(RequestHead head, int status, String message) {
        if (asOwner) {
            refuse(status);
            return;
        }
        ByteBuf out = buffer(512 + message.getBytes(StandardCharsets.UTF_8).length);
        worker.answers.own(out, status, message, head.methodIs("HEAD"), true, 1);
        write(out);
    }

    @Override
    public void delivering(Delivery by, RequestHead head) {
        delivery = by;
        if (asOwner) {
            stream.head(new DefaultHttp2Headers(false, 2).status(WORKING), false);
        }
    }

    @Override
    public Ledger ledger() {
        return ledger;
    }

    @Override
    public void delivered(boolean keep) {
        delivery = null;
        end();
    }

    @Override
    public void breakOff() {
        delivery = null;
        sendHead(false);
        stream.reset(Http2Error.INTERNAL_ERROR);
    }

    @Override
    public void lookAgain(RequestHead head, long startNanos) {
        delivery = null;
        exchange.again(head, startNanos);
    }

    @Override
    public void lookAgain(RequestHead head, long startNanos, StoredResponse restored) {
        delivery = null;
        exchange.again(head, startNanos, restored);
    }

    @Override
    public void failed(RequestHead head, OriginFailure failure, long startNanos, Asked asked) {
        delivery = null;
        responding(startNanos);
        error(head, failure.status(), failure.message());
        ledger.count(head, failure.status(), CacheOutcome.ERROR, asked, startNanos);
        end();
    }

    /** The line's own tunnels carry what is no HTTP. */
    @Override
    public void tunnel(RequestHead head, Origin target, long startNanos) {
        own(head, 501, "CONNECT is not for a cache of the cluster", CacheOutcome.ERROR, startNanos);
    }

    // The line.

    @Override
    public void writable() {
        Delivery by = delivery;
        if (by != null) {
            by.pump();
        }
    }

    @Override
    public void ended(StreamEnd how) {
        closed = true;
        worker.connections.remove(this);
        unsentHead = null;
        Delivery by = delivery;
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
