package dev.komainu.organizer.line.quic;

import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.SendWindow;
import dev.komainu.organizer.line.SendingListener;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.StreamListener;
import dev.komainu.organizer.line.connection.SendPriority;
import dev.komainu.organizer.line.connection.StreamReceiver;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.quic.QuicStreamChannel;
import io.netty.handler.codec.quic.QuicStreamChannelConfig;
import io.netty.handler.codec.quic.QuicStreamFrame;
import io.netty.handler.codec.quic.QuicStreamPriority;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An exchange on one stream of a QUIC connection, at either end. What is said waits for its turn
 * ({@link QuicSendQueue}); what comes is told at once.
 *
 * <p>Both directions always end with FIN, also when they are given up: then a RESET frame stands
 * before it, or, where FIN was said already, a message beside the streams tells
 * ({@link QuicControlStream}). QUIC's own resets are not used: Netty tells nobody of STOP_SENDING
 * while nothing is written, and never forgets a stream that ended by them. On the connection's
 * event loop.
 */
final class QuicStream extends ChannelInboundHandlerAdapter
        implements LineStream, QuicFrames.Events {

    private final QuicConnection connection;
    private final QuicFrames frames = new QuicFrames();
    private final QuicSendQueue sending;
    private final StreamReceiver reader;
    private @Nullable QuicStreamChannel channel;
    /** -1: not known yet. */
    private long id = -1;

    private boolean isPromised;
    /** What goes behind it, and is as urgent as it was once it is sent. */
    private final List<QuicStream> promises = new ArrayList<>(0);

    private long returned;
    /** What is being read is the last. */
    private boolean lastRead;

    private boolean headCame;
    private boolean saidAll;
    private boolean finWritten;
    /** It is isOver() for its owner, and what was said before is still sent. */
    private boolean lingers;

    private boolean heardAll;

    QuicStream(QuicConnection connection, StreamListener events) {
        this.connection = connection;
        this.sending = new QuicSendQueue(connection, this);
        this.reader = new StreamReceiver(events);
    }

    /** One that the peer promises; it may not be here yet. */
    static QuicStream toCome(QuicConnection connection, long id) {
        QuicStream made = new QuicStream(connection, StreamListener.NOBODY);
        made.id = id;
        made.saidAll = true;
        made.sending.saysNothing();
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
            added.config().setAutoRead(isPromised || isOver());
            sending.end();
        }
    }

    /** The promise came. */
    void promised(StreamListener hears) {
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

    QuicStreamChannel channel() {
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
        return reader.isOver();
    }

    /**
     * Whose bytes go first, here and among what QUIC has taken and not sent yet, or sends again
     * after a loss.
     */
    void ranks(int of) {
        sending.ranks(of);
        channel().updatePriority(new QuicStreamPriority(1 + of, true));
    }

    /** A window of the peer is open, or wider. */
    void maySend() {
        sending.await();
    }

    /** The peer takes so many more. */
    void grant(long bytes) {
        sending.grant(bytes);
    }

    @Override
    public @Nullable LineStream promise(Http2Headers head, long bytes, SendingListener hears) {
        if (isOver() || saidAll) {
            return null;
        }
        QuicStream made = connection.promise(
                bytes, hears, Math.min(sending.rank() + 1, SendPriority.RANKS - 1));
        if (made == null) {
            return null;
        }
        try {
            sending.frame(connection.encodePromise(made.id(), head), false);
        } catch (Http2Exception e) {
            made.reset(Http2Error.INTERNAL_ERROR);
            return null;
        }
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
        if (!isOver() && !saidAll) {
            sending.length(SendPriority.length(head));
            fields(head, ends);
        }
    }

    @Override
    public void trailers(Http2Headers fields) {
        if (!isOver() && !saidAll) {
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
        sending.frame(frame, ends);
    }

    @Override
    public void data(ByteBuf bytes, boolean ends) {
        if (isOver() || saidAll) {
            bytes.release();
            return;
        }
        saidAll = ends;
        sending.body(bytes, ends);
    }

    @Override
    public boolean isWritable() {
        return !isOver() && !saidAll && sending.hasRoom();
    }

    /** Its last frame goes to QUIC. */
    void saysFin() {
        if (lingers) {
            tellUnheard(Http2Error.NO_ERROR.code());
            connection.forget(this);
        }
    }

    /**
     * QUIC has what it was given, or never will. @param hasRoomAgain as {@link SendWindow#passedOn}
     * tells
     */
    void wrote(boolean isWith, boolean ends, boolean hasRoomAgain) {
        if (isWith) {
            finWritten |= ends;
            completeIfDone();
        }
        if (hasRoomAgain && !isOver() && !saidAll) {
            reader.events().writable();
        }
    }

    @Override
    public void consumed(int bytes) {
        if (reader.took(bytes)) {
            connection.forget(bytes);
            if (!heardAll && !isOver()) {
                returned += bytes;
                if (returned >= connection.ownWindow() / 2) {
                    giveCredit();
                }
            }
        }
    }

    /** Tells the peer what was taken. */
    void giveCredit() {
        if (returned > 0 && !heardAll && !isOver()) {
            connection.say(QuicControlStream.CREDIT, id(), returned);
            returned = 0;
        }
    }

    @Override
    public void reset(Http2Error why) {
        if (isOver()) {
            return;
        }
        if (why == Http2Error.NO_ERROR && saidAll && !sending.hasEnded()) {
            // It answered in full and hears no more: what it said is still sent.
            lingers = true;
        } else {
            giveUp(why.code());
        }
        over(StreamEnd.CANCELLED);
    }

    /** Takes nothing, says so, and ends what it sends. */
    private void giveUp(long code) {
        if (sending.hasEnded()) {
            tellUnheard(code);
        } else {
            sending.breakOff(code);
        }
    }

    private void tellUnheard(long code) {
        if (!heardAll) {
            connection.say(QuicControlStream.RESET, id(), code);
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
            if (!isOver()) {
                frames.read(ctx.alloc(), frame.content(), this);
            }
            if (ends && !isOver() && !heardAll) {
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
            malformed(
                    Http2Error.PROTOCOL_ERROR,
                    headCame ? "It ends inside a frame" : "It ends without a head");
            return;
        }
        heardAll = true;
        reader.events().data(Unpooled.EMPTY_BUFFER, true);
        completeIfDone();
    }

    @Override
    public void fieldsCame(ByteBuf fields, boolean last) throws Http2Exception {
        if (isOver()) {
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
            reader.events().head(head, ends);
        } else if (headCame && head.status() == null && head.method() == null) {
            heardAll = true;
            reader.events().trailers(head);
        } else {
            malformed(Http2Error.PROTOCOL_ERROR, "Fields where none belong");
        }
        completeIfDone();
    }

    @Override
    public void bytesCame(ByteBuf bytes, boolean last) {
        if (isOver() || heardAll) {
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
        reader.gave(count);
        connection.holds(count);
        reader.events().data(bytes, ends);
        completeIfDone();
    }

    @Override
    public void promiseCame(long stream, ByteBuf fields) throws Http2Exception {
        if (isOver() || heardAll || connection.isServer()) {
            connection.say(QuicControlStream.RESET, stream, Http2Error.CANCEL.code());
            return;
        }
        Http2Headers head = connection.decode(stream, fields);
        QuicStream brings = connection.expected(stream);
        brings.promised(reader.events().promised(head, brings));
    }

    @Override
    public void resetCame(long code) {
        if (!isOver()) {
            over(StreamEnd.reset(code));
            endQuietly();
        }
    }

    /** Told beside the stream: the peer has said all, and hears no more. */
    void unheard(long code) {
        if (isOver()) {
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
        sending.drop();
        if (!sending.hasEnded()) {
            giveUp(Http2Error.CANCEL.code());
        }
    }

    void listener(StreamListener hears) {
        reader.is(hears);
    }

    void malformed(Http2Error code, String why) {
        if (!isOver()) {
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
        if (!isOver() && connection.isThere()) {
            over(StreamEnd.lost("The stream was closed"));
        }
    }

    private void completeIfDone() {
        if (heardAll && finWritten && !isOver()) {
            over(StreamEnd.COMPLETE);
        }
    }

    /** It ends now, whatever is on its way. */
    void over(StreamEnd how) {
        if (isOver()) {
            return;
        }
        connection.forget(reader.ends(how));
        if (!lingers) {
            sending.drop();
        }
        frames.release();
        QuicStreamChannel known = channel;
        if (known != null) {
            // What still comes is thrown away.
            known.config().setAutoRead(true);
        }
        if (!lingers && known != null) {
            connection.forget(this); // one that is not here yet will be
        }
        promises.forEach(one -> one.sending.ranksAs(sending.rank()));
        promises.clear();
        reader.events().ended(how);
        connection.closed();
    }

    /** Its connection is gone, with whatever was still to be sent. */
    void abandon(StreamEnd how) {
        over(how);
        sending.drop();
    }
}
