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
import org.jspecify.annotations.Nullable;

/**
 * A request of another member of the cluster on a stream of the line between the two members, and
 * its response. On its event loop, which is that of its context.
 *
 * <p>A member that sends a request to this one as an object's owner gets {@code 102} when the
 * response must be fetched, so that it can distinguish an owner that works from one that is gone.
 * In place of an error of this proxy's own it gets a refusal ({@link MemberFields#REFUSAL}),
 * because it then sends the request to the origin itself. A member that only forwards a client's
 * request gets the error.
 */
public final class MemberStream extends FramedStream implements ClientSession, StreamListener {

    private static final AsciiString WORKING = AsciiString.cached("102");

    private OpenSessions.@Nullable Entry openSession;
    private final LineStream stream;
    private final LinePeer peer;
    private final boolean asOwner;
    private final Deque<ByteBuf> upload = new ArrayDeque<>(0);
    private boolean uploadEnds;
    private boolean uploading;

    private MemberStream(LoopContext context, LineStream stream, LinePeer peer, boolean asOwner) {
        super(context, peer.address());
        this.stream = stream;
        this.peer = peer;
        this.asOwner = asOwner;
    }

    /**
     * Accepts a request.
     *
     * @param context the context of the stream's loop
     * @param head the request's fields; ownership passes to this stream
     * @param ends whether it has no body
     * @return the listener for the rest of the request
     */
    public static StreamListener accept(
            LoopContext context,
            Http2Headers head,
            boolean ends,
            LineStream stream,
            LinePeer peer) {
        MemberStream memberStream =
                new MemberStream(context, stream, peer, head.contains(MemberFields.OWNER));
        head.remove(MemberFields.OWNER);
        head.remove(MemberFields.HEARD);
        memberStream.openSession = context.connections.add(memberStream);
        memberStream.begin(head, ends);
        return memberStream;
    }

    private void begin(Http2Headers fields, boolean ends) {
        context.tally.requests++;
        context.tally.memberRequests++;
        ByteBuf text = context.requestText.clear();
        String fault =
                RequestHeadText.write(fields, ends, context.policy.routes().isForward(), text);
        context.head.setReceivedOver("https".contentEquals(String.valueOf(fields.scheme())), true);
        if (fault != null || context.head.read(text) != RequestHead.Outcome.COMPLETE) {
            context.tally.malformed++;
            context.tally.errors++;
            context.tally.responses++;
            accounting.malformed(400);
            refuse(400);
            return;
        }
        accounting.received(text.readableBytes());
        exchange.start(context.head, System.nanoTime());
    }

    @Override
    public boolean isMember() {
        return true;
    }

    /** Returns true: the member has checked its client. */
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
        accounting.received(bytes.readableBytes());
        upload.add(bytes);
        move();
    }

    /** Ends the body; the trailers are dropped, because no receiver behind needs them. */
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
        FetchedResponse response = delivery;
        while (!upload.isEmpty() && (response == null ? ended : uploading)) {
            ByteBuf next = upload.remove();
            int count = next.readableBytes();
            if (response == null) {
                next.release();
            } else {
                uploading = response.upload(next, uploadEnds && upload.isEmpty());
            }
            stream.consumed(count);
        }
    }

    // The response.

    @Override
    public boolean isWritable() {
        return !closed && stream.isWritable();
    }

    /** Does nothing: the line limits the bytes that may wait. */
    @Override
    public void limitPendingBytes(int bytes) {}

    @Override
    public ByteBuf buffer(int size) {
        return context.fetching.allocator().directBuffer(size);
    }

    @Override
    void send(Http2ResponseFields head, boolean ends) {
        stream.head(head.fields(), ends);
    }

    @Override
    void send(ByteBuf bytes) {
        stream.data(bytes, false);
    }

    /** The line flushes on its own. */
    @Override
    void noteUnflushed() {}

    @Override
    void end() {
        if (closed || ended) {
            return;
        }
        ended = true;
        Http2Headers pendingTrailers = trailers;
        if (pendingTrailers != null) {
            sendHead(false);
            stream.trailers(pendingTrailers);
        } else if (unsentHead != null) {
            sendHead(true);
        } else {
            stream.data(Unpooled.EMPTY_BUFFER, true);
        }
        move();
    }

    /** Sends a refusal in place of a response of an origin. */
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
    public boolean keepsAlive(RequestHead head) {
        return true;
    }

    @Override
    public void finishHit(
            RequestHead head, int status, CacheOutcome outcome, long startNanos, boolean keep) {
        accounting.recordHit(head, status, outcome, startNanos);
        accounting.flushed(System.nanoTime());
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
    public void startDelivery(FetchedResponse response, RequestHead head) {
        super.startDelivery(response, head);
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

    /** Refuses CONNECT: other traffic uses the line's own tunnels. */
    @Override
    public void tunnel(RequestHead head, Origin target, long startNanos) {
        respond(
                head,
                501,
                "A cache of the cluster does not serve CONNECT",
                CacheOutcome.ERROR,
                startNanos);
    }

    // The line.

    @Override
    public void writable() {
        FetchedResponse response = delivery;
        if (response != null) {
            response.pump();
        }
    }

    @Override
    public void ended(StreamEnd how) {
        closed = true;
        context.connections.remove(openSession);
        unsentHead = null;
        FetchedResponse response = delivery;
        delivery = null;
        if (response != null) {
            response.abandon();
        }
        upload.forEach(ByteBuf::release);
        upload.clear();
    }

    /** Does nothing: the stream ends with its response. */
    @Override
    public void closeIfIdle() {}
}
