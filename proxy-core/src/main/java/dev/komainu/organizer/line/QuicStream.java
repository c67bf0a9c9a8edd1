package dev.komainu.organizer.line;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.quic.DefaultQuicStreamFrame;
import io.netty.handler.codec.quic.QuicStreamChannel;
import io.netty.handler.codec.quic.QuicStreamChannelConfig;
import io.netty.handler.codec.quic.QuicStreamFrame;
import io.netty.handler.codec.quic.QuicStreamPriority;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An exchange on one stream of a QUIC connection, at either end. What is said waits here until it is this stream's turn ({@link Turns}) and
 * the peer's window has room; what comes is told at once.
 *
 * <p>Both directions always end with FIN, also when they are given up: then a RESET frame stands before it, or, where FIN was said
 * already, a message beside the streams tells ({@link QuicAside}). QUIC's own resets are not used: Netty tells nobody of STOP_SENDING while nothing is written, and
 * never forgets a stream that ended by them. On the connection's event loop.
 */
final class QuicStream extends ChannelInboundHandlerAdapter implements LineStream, QuicFrames.Events {

    /** What is to be sent: a whole HEADERS frame, or bytes of the body. */
    private record Part(ByteBuf bytes, boolean isBody, boolean ends) {}

    private final QuicConnection connection;
    private final QuicFrames frames = new QuicFrames();
    private final Deque<Part> pending = new ArrayDeque<>(2);
    private StreamEvents events;
    private @Nullable QuicStreamChannel channel;
    /** -1: not known yet. */
    private long id = -1;

    private boolean isPromised;
    /** What goes behind it, and is as urgent as it was once it is sent. */
    private final List<QuicStream> promises = new ArrayList<>(0);

    private int rank = Precedence.USUAL;
    private long length = -1;
    private long sentBody;
    private long granted;
    private final Room room = new Room();
    private boolean inTurns;
    private int place;
    private long untaken;
    private long returned;
    /** What is being read is the last. */
    private boolean lastRead;

    private boolean headCame;
    private boolean saidAll;
    private boolean finGiven;
    private boolean finWritten;
    /** It is over for its owner, and what was said before is still sent. */
    private boolean lingers;

    private boolean heardAll;
    private boolean over;
    private StreamEnd ended = StreamEnd.COMPLETE;

    QuicStream(QuicConnection connection, StreamEvents events) {
        this.connection = connection;
        this.events = events;
    }

    /** One that the peer promises; it may not be here yet. */
    static QuicStream toCome(QuicConnection connection, long id) {
        QuicStream made = new QuicStream(connection, StreamEvents.NOBODY);
        made.id = id;
        made.saidAll = true;
        made.finGiven = true;
        return made;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        QuicStreamChannel added = (QuicStreamChannel) ctx.channel();
        boolean promised = id >= 0;
        channel = added;
        id = added.streamId();
        // The end comes with the last bytes, not behind them.
        ((QuicStreamChannelConfig) added.config()).setReadFrames(true);
        if (promised) {
            // It may be here before the promise: then it waits for that.
            added.config().setAutoRead(isPromised || over);
            write(Unpooled.EMPTY_BUFFER, 0, true);
        }
    }

    /** The promise came. */
    void promised(StreamEvents hears) {
        isPromised = true;
        listener(hears);
        QuicStreamChannel known = channel;
        if (known != null) {
            known.config().setAutoRead(true);
        }
    }

    boolean isPromised() {
        return isPromised;
    }

    void refuseUnpromised() {
        if (!isPromised) {
            reset(Http2Error.CANCEL);
        }
    }

    /** The peer says nothing on it: it is promised this stream. */
    void heardFromTheStart() {
        heardAll = true;
    }

    private QuicStreamChannel channel() {
        QuicStreamChannel known = channel;
        if (known == null) {
            throw new IllegalStateException("Not on a connection yet");
        }
        return known;
    }

    long id() {
        return id;
    }

    boolean isOver() {
        return over;
    }

    /** Whose bytes go first, here and among what QUIC has taken and not sent yet, or sends again after a loss. */
    void ranks(int of) {
        rank = of;
        channel().updatePriority(new QuicStreamPriority(1 + of, true));
    }

    /**
     * As urgent as that from now on, for what waits here. QUIC is not told: it would send this beside what it has taken of the other,
     * instead of behind.
     */
    private void ranksAs(int of) {
        rank = of;
        if (inTurns) {
            connection.turns().remove(this, place);
            inTurns = false;
            await(connection.turns());
        }
    }

    @Override
    public @Nullable LineStream promise(Http2Headers head, long bytes, SendingEvents hears) {
        if (over || saidAll) {
            return null;
        }
        QuicStream made = connection.promise(bytes, hears, Math.min(rank + 1, Precedence.RANKS - 1));
        if (made == null) {
            return null;
        }
        try {
            pending.add(new Part(connection.encodePromise(made.id(), head), false, false));
        } catch (Http2Exception e) {
            made.reset(Http2Error.INTERNAL_ERROR);
            return null;
        }
        await(connection.turns());
        promises.add(made);
        return made;
    }

    // This side's half.

    @Override
    public EventLoop loop() {
        return connection.loop();
    }

    @Override
    public void head(Http2Headers head, boolean ends) {
        if (!over && !saidAll) {
            length = Precedence.length(head);
            fields(head, ends);
        }
    }

    @Override
    public void trailers(Http2Headers fields) {
        if (!over && !saidAll) {
            fields(fields, true);
        }
    }

    private void fields(Http2Headers fields, boolean ends) {
        ByteBuf frame;
        try {
            frame = connection.encode(id(), fields);
        } catch (Http2Exception e) {
            malformed(Http2Error.INTERNAL_ERROR, "Fields that cannot be sent: " + e.getMessage());
            return;
        }
        saidAll = ends;
        pending.add(new Part(frame, false, ends));
        await(connection.turns());
    }

    @Override
    public void data(ByteBuf bytes, boolean ends) {
        if (over || saidAll) {
            bytes.release();
            return;
        }
        saidAll = ends;
        room.took(bytes.readableBytes());
        pending.add(new Part(bytes, true, ends));
        await(connection.turns());
    }

    @Override
    public boolean isWritable() {
        return !over && !saidAll && room.isThere();
    }

    private long window() {
        return connection.peerWindow() + granted - sentBody;
    }

    private boolean canSend() {
        Part first = pending.peek();
        return first != null && (!first.isBody || !first.bytes.isReadable() || window() > 0);
    }

    /** Waits for its turn, when there is something that may be sent. */
    void await(Turns<QuicStream> turns) {
        if (!inTurns && canSend()) {
            inTurns = true;
            place = turns.add(this, rank, length, sentBody);
            connection.sendLater();
        }
    }

    /** The peer takes so many more. */
    void grant(long bytes) {
        granted += bytes;
        await(connection.turns());
    }

    /**
     * It is its turn.
     *
     * @param most bytes of the body that may go
     */
    void turn(int most) {
        inTurns = false;
        if (!canSend()) {
            return;
        }
        CompositeByteBuf out = Line.BUFFERS.compositeDirectBuffer(16);
        int body = 0;
        boolean ends = false;
        while (canSend() && out.numComponents() < 15) {
            Part first = pending.element();
            int count = first.bytes.readableBytes();
            if (first.isBody) {
                count = (int) Math.min(Math.min(count, most - body), window());
                if (count == 0 && first.bytes.isReadable()) {
                    break;
                }
                if (count > 0) {
                    ByteBuf begin = Line.BUFFERS.directBuffer(5);
                    QuicFrames.begin(begin, QuicFrames.DATA, count);
                    out.addComponent(true, begin);
                }
                body += count;
                sentBody += count;
            }
            if (count == first.bytes.readableBytes()) {
                pending.remove();
                ends = first.ends;
                out.addComponent(true, first.bytes);
            } else {
                out.addComponent(true, first.bytes.readRetainedSlice(count));
            }
        }
        write(out, body, ends);
        await(connection.turns());
    }

    private void write(ByteBuf out, int body, boolean ends) {
        finGiven |= ends;
        if (ends && lingers) {
            tellUnheard(Http2Error.NO_ERROR.code());
            connection.forget(this);
        }
        connection.write(channel(), new DefaultQuicStreamFrame(out, ends)).addListener(done -> {
            boolean hasRoomAgain = room.passedOn(body);
            if (done.isSuccess()) {
                connection.sent(body);
                finWritten |= ends;
                completeIfDone();
            }
            if (hasRoomAgain && !over && !saidAll) {
                events.writable();
            }
        });
    }

    @Override
    public void consumed(int bytes) {
        if (untaken >= bytes) {
            untaken -= bytes;
            connection.forget(bytes);
            if (!heardAll && !over) {
                returned += bytes;
                if (returned >= connection.ownWindow() / 2) {
                    giveCredit();
                }
            }
        }
    }

    /** Tells the peer what was taken. */
    void giveCredit() {
        if (returned > 0 && !heardAll && !over) {
            connection.say(QuicAside.CREDIT, id(), returned);
            returned = 0;
        }
    }

    @Override
    public void reset(Http2Error why) {
        if (over) {
            return;
        }
        if (why == Http2Error.NO_ERROR && saidAll && !finGiven) {
            // It answered in full and hears no more: what it said is still sent.
            lingers = true;
        } else {
            giveUp(why.code());
        }
        over(StreamEnd.CANCELLED);
    }

    /** Takes nothing, says so, and ends what it sends: heads that wait go before, bytes do not. */
    private void giveUp(long code) {
        if (finGiven) {
            tellUnheard(code);
            return;
        }
        CompositeByteBuf out = Line.BUFFERS.compositeDirectBuffer(16);
        for (Part part = pending.peek(); part != null && !part.isBody; part = pending.peek()) {
            out.addComponent(true, pending.remove().bytes);
        }
        dropPending();
        ByteBuf frame = Line.BUFFERS.directBuffer(6);
        QuicFrames.begin(frame, QuicFrames.RESET, 4);
        write(out.addComponent(true, frame.writeInt((int) code)), 0, true);
    }

    private void tellUnheard(long code) {
        if (!heardAll) {
            connection.say(QuicAside.RESET, id(), code);
        }
    }

    private void dropPending() {
        for (Part part = pending.poll(); part != null; part = pending.poll()) {
            part.bytes.release();
        }
    }

    // The other side's.

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        QuicStreamFrame frame = (QuicStreamFrame) message;
        try {
            connection.received(frame.content().readableBytes());
            boolean ends = frame.hasFin();
            lastRead = ends;
            if (!over) {
                frames.read(ctx.alloc(), frame.content(), this);
            }
            if (ends && !over && !heardAll) {
                ends();
            }
        } catch (Http2Exception | IllegalArgumentException e) {
            malformed(Http2Error.PROTOCOL_ERROR, String.valueOf(e.getMessage()));
        } finally {
            frame.release();
        }
    }

    private void ends() {
        if (frames.isInside() || !headCame) {
            malformed(Http2Error.PROTOCOL_ERROR, headCame ? "It ends inside a frame" : "It ends without a head");
            return;
        }
        heardAll = true;
        events.data(Unpooled.EMPTY_BUFFER, true);
        completeIfDone();
    }

    @Override
    public void fieldsCame(ByteBuf fields, boolean last) throws Http2Exception {
        if (over) {
            return;
        }
        Http2Headers head = connection.decode(id(), fields);
        boolean ends = last && lastRead;
        if (!headCame && connection.isServer()) {
            headCame = true;
            heardAll = ends;
            if (head.method() == null) {
                malformed(Http2Error.PROTOCOL_ERROR, "A request without a method");
            } else {
                connection.asked(this, head, ends);
            }
        } else if (head.status() != null && !connection.isServer()) {
            headCame = true;
            heardAll = ends;
            events.head(head, ends);
        } else if (headCame && head.status() == null && head.method() == null) {
            heardAll = true;
            events.trailers(head);
        } else {
            malformed(Http2Error.PROTOCOL_ERROR, "Fields where none belong");
        }
        completeIfDone();
    }

    @Override
    public void bytesCame(ByteBuf bytes, boolean last) {
        if (over || heardAll) {
            bytes.release();
            return;
        }
        if (!headCame) {
            bytes.release();
            malformed(Http2Error.PROTOCOL_ERROR, "A body before its head");
            return;
        }
        boolean ends = last && lastRead;
        heardAll = ends;
        int count = bytes.readableBytes();
        untaken += count;
        connection.holds(count);
        events.data(bytes, ends);
        completeIfDone();
    }

    @Override
    public void promiseCame(long stream, ByteBuf fields) throws Http2Exception {
        if (over || heardAll || connection.isServer()) {
            connection.say(QuicAside.RESET, stream, Http2Error.CANCEL.code());
            return;
        }
        Http2Headers head = connection.decode(stream, fields);
        QuicStream brings = connection.expected(stream);
        brings.promised(events.promised(head, brings));
    }

    @Override
    public void resetCame(long code) {
        if (!over) {
            over(StreamEnd.reset(code));
            endQuietly();
        }
    }

    /** Told beside the stream: the peer has said all, and hears no more. */
    void unheard(long code) {
        if (over) {
            return;
        }
        if (code == Http2Error.NO_ERROR.code()) {
            // It answered in full, and its answer may still be under way (RFC 9113 section 8.1).
            saidAll = true;
            endQuietly();
            completeIfDone();
        } else {
            resetCame(code);
        }
    }

    private void endQuietly() {
        dropPending();
        if (!finGiven) {
            giveUp(Http2Error.CANCEL.code());
        }
    }

    void listener(StreamEvents hears) {
        if (over) {
            hears.ended(ended);
        }
        events = hears;
    }

    void malformed(Http2Error code, String why) {
        if (!over) {
            giveUp(code.code());
            over(new StreamEnd(StreamEnd.Reason.MALFORMED, code.code(), why));
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        malformed(Http2Error.INTERNAL_ERROR, String.valueOf(cause.getMessage()));
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        // Of a connection that ends it is told otherwise.
        if (!over && connection.isThere()) {
            over(StreamEnd.lost("The stream was closed"));
        }
    }

    private void completeIfDone() {
        if (heardAll && finWritten && !over) {
            over(StreamEnd.COMPLETE);
        }
    }

    /** It ends now, whatever is on its way. */
    void over(StreamEnd how) {
        if (over) {
            return;
        }
        over = true;
        ended = how;
        if (!lingers) {
            dropPending();
        }
        frames.release();
        if (how.reason() != StreamEnd.Reason.COMPLETE) {
            // Whoever holds what came before throws it away.
            connection.forget(untaken);
            untaken = 0;
        }
        QuicStreamChannel known = channel;
        if (known != null) {
            // What still comes is thrown away.
            known.config().setAutoRead(true);
        }
        if (!lingers && known != null) {
            connection.forget(this); // one that is not here yet will be
        }
        promises.forEach(one -> one.ranksAs(rank));
        promises.clear();
        events.ended(how);
        connection.closed();
    }

    /** Its connection is gone, with whatever was still to be sent. */
    void abandon(StreamEnd how) {
        over(how);
        dropPending();
    }
}
