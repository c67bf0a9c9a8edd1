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
 * An exchange on one stream of a QUIC connection, at either end. Outgoing frames wait for their
 * turn ({@link QuicSendQueue}); incoming frames are delivered at once.
 *
 * <p>Both directions always end with FIN, also when the stream is reset: then a RESET frame
 * precedes FIN, or, where FIN was sent already, a message of the control stream reports it
 * ({@link QuicControlStream}). QUIC's own resets are not used: Netty does not report STOP_SENDING
 * while nothing is written, and never removes a stream that ended by a reset. On the connection's
 * event loop.
 */
// A failed write or timer is reported by the stream's and the connection's end.
@SuppressWarnings("FutureReturnValueIgnored")
final class QuicStream extends ChannelInboundHandlerAdapter
        implements LineStream, QuicFrames.Listener {

    private final QuicConnection connection;
    private final QuicFrames frames = new QuicFrames();
    private final QuicSendQueue sendQueue;
    private final StreamReceiver receiver;
    private @Nullable QuicStreamChannel channel;
    /** -1: not known yet. */
    private long id = -1;

    private boolean isPromised;
    /** Promised streams, which are sent after this one, and get its urgency once it is sent. */
    private final List<QuicStream> promises = new ArrayList<>(0);

    private long uncreditedBytes;
    /** The current read is the last one. */
    private boolean isLastRead;

    private boolean headReceived;
    private boolean outputEnded;
    private boolean finWritten;
    /** The stream is over for its owner, and the bytes sent before are still being sent. */
    private boolean lingers;

    private boolean inputEnded;

    QuicStream(QuicConnection connection, StreamListener events) {
        this.connection = connection;
        this.sendQueue = new QuicSendQueue(connection, this);
        this.receiver = new StreamReceiver(events);
    }

    /** Creates a stream that the peer promised; it may not have come yet. */
    static QuicStream awaited(QuicConnection connection, long id) {
        QuicStream created = new QuicStream(connection, StreamListener.NOBODY);
        created.id = id;
        created.outputEnded = true;
        created.sendQueue.sendNothing();
        return created;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        QuicStreamChannel added = (QuicStreamChannel) ctx.channel();
        boolean promised = id >= 0;
        channel = added;
        id = added.streamId();
        // FIN comes with the last bytes, not after them.
        ((QuicStreamChannelConfig) added.config()).setReadFrames(true);
        if (promised) {
            // The stream may come before its promise: then reading waits for the promise.
            added.config().setAutoRead(isPromised || isOver());
            sendQueue.end();
        }
    }

    /** Handles the promise of this stream. */
    void promised(StreamListener listener) {
        isPromised = true;
        listener(listener);
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

    /** Marks a promised stream, on which the peer sends nothing. */
    void markInputEnded() {
        inputEnded = true;
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
        return receiver.isOver();
    }

    /** Sets the urgency, here and in QUIC: among its unsent and its retransmitted bytes. */
    void setRank(int newRank) {
        sendQueue.setRank(newRank);
        channel().updatePriority(new QuicStreamPriority(1 + newRank, true));
    }

    /** Handles a window of the peer that is open, or wider. */
    void windowOpened() {
        sendQueue.schedule();
    }

    /** Adds bytes that the peer allows. */
    void addCredit(long bytes) {
        sendQueue.addCredit(bytes);
    }

    @Override
    public @Nullable LineStream promise(Http2Headers head, long bytes, SendingListener listener) {
        if (isOver() || outputEnded) {
            return null;
        }
        QuicStream created = connection.promise(
                bytes, listener, Math.min(sendQueue.rank() + 1, SendPriority.RANKS - 1));
        if (created == null) {
            return null;
        }
        try {
            sendQueue.frame(connection.encodePromise(created.id(), head), false);
        } catch (Http2Exception e) {
            created.reset(Http2Error.INTERNAL_ERROR);
            return null;
        }
        promises.add(created);
        return created;
    }

    // The sending half.

    @Override
    public EventLoop loop() {
        return connection.loop();
    }

    @Override
    public void head(Http2Headers head, boolean ends) {
        if (!isOver() && !outputEnded) {
            sendQueue.length(SendPriority.length(head));
            fields(head, ends);
        }
    }

    @Override
    public void trailers(Http2Headers fields) {
        if (!isOver() && !outputEnded) {
            fields(fields, true);
        }
    }

    private void fields(Http2Headers fields, boolean ends) {
        ByteBuf frame;
        try {
            frame = connection.encode(id(), fields);
        } catch (Http2Exception e) {
            malformed(Http2Error.INTERNAL_ERROR, "Fields cannot be sent: " + e.getMessage());
            return;
        }
        outputEnded = ends;
        sendQueue.frame(frame, ends);
    }

    @Override
    public void data(ByteBuf bytes, boolean ends) {
        if (isOver() || outputEnded) {
            bytes.release();
            return;
        }
        outputEnded = ends;
        sendQueue.body(bytes, ends);
    }

    @Override
    public boolean isWritable() {
        return !isOver() && !outputEnded && sendQueue.hasRoom();
    }

    /** Handles the pass-on of the last frame to QUIC. */
    void finPassedOn() {
        if (lingers) {
            reportReset(Http2Error.NO_ERROR.code());
            connection.remove(this);
        }
    }

    /**
     * Handles the end of a write.
     *
     * @param isAccepted true: QUIC has the bytes; false: it will never have them
     * @param hasRoomAgain as {@link SendWindow#passedOn} returns it
     */
    void written(boolean isAccepted, boolean ends, boolean hasRoomAgain) {
        if (isAccepted) {
            finWritten |= ends;
            completeIfDone();
        }
        if (hasRoomAgain && !isOver() && !outputEnded) {
            receiver.listener().writable();
        }
    }

    @Override
    public void consumed(int bytes) {
        if (receiver.consumed(bytes)) {
            connection.removeUnread(bytes);
            if (!inputEnded && !isOver()) {
                uncreditedBytes += bytes;
                if (uncreditedBytes >= connection.ownWindow() / 2) {
                    sendCredit();
                }
            }
        }
    }

    /** Reports consumed bytes to the peer. */
    void sendCredit() {
        if (uncreditedBytes > 0 && !inputEnded && !isOver()) {
            connection.sendMessage(QuicControlStream.CREDIT, id(), uncreditedBytes);
            uncreditedBytes = 0;
        }
    }

    @Override
    public void reset(Http2Error why) {
        if (isOver()) {
            return;
        }
        if (why == Http2Error.NO_ERROR && outputEnded && !sendQueue.hasEnded()) {
            // The response is complete, and the rest of the request is not read: frames sent before
            // are still sent.
            lingers = true;
        } else {
            giveUp(why.code());
        }
        over(StreamEnd.CANCELLED);
    }

    /** Reads nothing more, reports that, and ends the output. */
    private void giveUp(long code) {
        if (sendQueue.hasEnded()) {
            reportReset(code);
        } else {
            sendQueue.abort(code);
        }
    }

    private void reportReset(long code) {
        if (!inputEnded) {
            connection.sendMessage(QuicControlStream.RESET, id(), code);
        }
    }

    // The receiving half.

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        QuicStreamFrame frame = (QuicStreamFrame) message;
        try {
            connection.received(frame.content().readableBytes());
            boolean ends = frame.hasFin();
            isLastRead = ends;
            if (!isOver()) {
                frames.read(ctx.alloc(), frame.content(), this);
            }
            if (ends && !isOver() && !inputEnded) {
                endInput();
            }
        } catch (Http2Exception | IllegalArgumentException e) {
            malformed(Http2Error.PROTOCOL_ERROR, String.valueOf(e.getMessage()));
        } finally {
            frame.release();
        }
    }

    private void endInput() {
        if (frames.isInside() || !headReceived) {
            malformed(
                    Http2Error.PROTOCOL_ERROR,
                    headReceived
                            ? "The stream ends inside a frame"
                            : "The stream ends without a head");
            return;
        }
        inputEnded = true;
        receiver.listener().data(Unpooled.EMPTY_BUFFER, true);
        completeIfDone();
    }

    @Override
    public void onFields(ByteBuf fields, boolean last) throws Http2Exception {
        if (isOver()) {
            return;
        }
        Http2Headers head = connection.decode(id(), fields);
        boolean ends = last && isLastRead;
        if (!headReceived && connection.isServer()) {
            headReceived = true;
            inputEnded = ends;
            if (head.method() == null) {
                malformed(Http2Error.PROTOCOL_ERROR, "A request without a method");
            } else {
                connection.requested(this, head, ends);
            }
        } else if (head.status() != null && !connection.isServer()) {
            headReceived = true;
            inputEnded = ends;
            receiver.listener().head(head, ends);
        } else if (headReceived && head.status() == null && head.method() == null) {
            inputEnded = true;
            receiver.listener().trailers(head);
        } else {
            malformed(Http2Error.PROTOCOL_ERROR, "Unexpected fields");
        }
        completeIfDone();
    }

    @Override
    public void onData(ByteBuf bytes, boolean last) {
        if (isOver() || inputEnded) {
            bytes.release();
            return;
        }
        if (!headReceived) {
            bytes.release();
            malformed(Http2Error.PROTOCOL_ERROR, "A body before its head");
            return;
        }
        boolean ends = last && isLastRead;
        inputEnded = ends;
        int count = bytes.readableBytes();
        receiver.received(count);
        connection.addUnread(count);
        receiver.listener().data(bytes, ends);
        completeIfDone();
    }

    @Override
    public void onPromise(long stream, ByteBuf fields) throws Http2Exception {
        if (isOver() || inputEnded || connection.isServer()) {
            connection.sendMessage(QuicControlStream.RESET, stream, Http2Error.CANCEL.code());
            return;
        }
        Http2Headers head = connection.decode(stream, fields);
        QuicStream promisedStream = connection.expected(stream);
        promisedStream.promised(receiver.listener().promised(head, promisedStream));
    }

    @Override
    public void onReset(long code) {
        if (!isOver()) {
            over(StreamEnd.reset(code));
            endOutput();
        }
    }

    /**
     * Handles a reset by the control stream: the peer's output has ended, and it reads nothing
     * more.
     */
    void peerStoppedReading(long code) {
        if (isOver()) {
            return;
        }
        if (code == Http2Error.NO_ERROR.code()) {
            // The peer answered in full, and its response may still be under way (RFC 9113 section
            // 8.1).
            outputEnded = true;
            endOutput();
            completeIfDone();
        } else {
            onReset(code);
        }
    }

    private void endOutput() {
        sendQueue.drop();
        if (!sendQueue.hasEnded()) {
            giveUp(Http2Error.CANCEL.code());
        }
    }

    void listener(StreamListener listener) {
        receiver.setListener(listener);
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
        // When the connection ends, {@link #abandon} ends its streams.
        if (!isOver() && connection.isActive()) {
            over(StreamEnd.lost("The stream was closed"));
        }
    }

    private void completeIfDone() {
        if (inputEnded && finWritten && !isOver()) {
            over(StreamEnd.COMPLETE);
        }
    }

    /** Ends the stream now, whatever is under way. */
    void over(StreamEnd how) {
        if (isOver()) {
            return;
        }
        connection.removeUnread(receiver.end(how));
        if (!lingers) {
            sendQueue.drop();
        }
        frames.release();
        QuicStreamChannel known = channel;
        if (known != null) {
            // Bytes that still come are discarded.
            known.config().setAutoRead(true);
        }
        if (!lingers && known != null) {
            connection.remove(this); // a stream that has not come yet is removed when it comes
        }
        promises.forEach(other -> other.sendQueue.changeRank(sendQueue.rank()));
        promises.clear();
        receiver.listener().ended(how);
        connection.closed();
    }

    /** Ends the stream of a closed connection, and discards its output. */
    void abandon(StreamEnd how) {
        over(how);
        sendQueue.drop();
    }
}
