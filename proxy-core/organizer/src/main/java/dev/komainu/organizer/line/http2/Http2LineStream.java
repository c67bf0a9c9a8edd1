package dev.komainu.organizer.line.http2;

import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.SendWindow;
import dev.komainu.organizer.line.SendingListener;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.StreamListener;
import dev.komainu.organizer.line.connection.SendPriority;
import dev.komainu.organizer.line.connection.StreamReceiver;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A stream of one HTTP/2 connection, at either end. On the connection's event loop. */
final class Http2LineStream implements LineStream {

    private final Http2LineConnection connection;
    private final Http2Stream stream;
    private final StreamReceiver receiver;
    private int rank = SendPriority.USUAL;
    /** Promised streams, which are sent after this one, and get its urgency once it is sent. */
    private final List<Http2LineStream> promised = new ArrayList<>(0);

    private final SendWindow sendWindow = new SendWindow();
    private boolean outputEnded;
    private boolean inputEnded;
    private @Nullable StreamEnd end;

    Http2LineStream(Http2LineConnection connection, Http2Stream stream, StreamListener listener) {
        this.connection = connection;
        this.stream = stream;
        this.receiver = new StreamReceiver(listener);
    }

    void listener(StreamListener listener) {
        receiver.setListener(listener);
    }

    void setRank(int newRank) {
        rank = newRank;
    }

    void markOutputEnded() {
        outputEnded = true;
    }

    void markInputEnded() {
        inputEnded = true;
    }

    boolean isInputEnded() {
        return inputEnded;
    }

    /**
     * Returns the reason of the coming close; null: both directions ended, or the connection did.
     */
    @Nullable
    StreamEnd end() {
        return end;
    }

    // The sending half.

    @Override
    public EventLoop loop() {
        return connection.loop();
    }

    @Override
    public void head(Http2Headers head, boolean isLast) {
        if (!receiver.isOver() && !outputEnded) {
            outputEnded = isLast;
            connection.writeHead(stream, head, isLast, rank);
        }
    }

    @Override
    public void data(ByteBuf bytes, boolean isLast) {
        if (receiver.isOver() || outputEnded) {
            bytes.release();
            return;
        }
        outputEnded = isLast;
        sendWindow.took(bytes.readableBytes());
        connection.writeData(this, stream, bytes, isLast);
    }

    @Override
    public void trailers(Http2Headers fields) {
        if (!receiver.isOver() && !outputEnded) {
            outputEnded = true;
            connection.writeHead(stream, fields, true, rank);
        }
    }

    @Override
    public boolean isWritable() {
        return !receiver.isOver() && !outputEnded && sendWindow.isThere();
    }

    /** Removes bytes that were written to the socket, or discarded. */
    void written(int bytes) {
        if (sendWindow.passedOn(bytes) && !receiver.isOver() && !outputEnded) {
            receiver.listener().writable();
        }
    }

    @Override
    public void consumed(int bytes) {
        if (receiver.consumed(bytes)) {
            connection.consumed(stream, bytes);
        }
    }

    @Override
    public @Nullable LineStream promise(Http2Headers head, long bytes, SendingListener listener) {
        Http2LineStream created = receiver.isOver() || outputEnded
                ? null
                : connection.promise(
                        stream, head, bytes, listener, Math.min(rank + 1, SendPriority.RANKS - 1));
        if (created != null) {
            promised.add(created);
        }
        return created;
    }

    private void changeRank(int newRank) {
        rank = newRank;
        if (!receiver.isOver()) {
            connection.setRank(stream, newRank);
        }
    }

    @Override
    public void reset(Http2Error why) {
        if (!receiver.isOver()) {
            end = StreamEnd.CANCELLED;
            connection.reset(stream, why);
        }
    }

    // The receiving half.

    void headers(Http2Headers fields, boolean isLast) {
        inputEnded |= isLast;
        if (fields.status() == null) {
            receiver.listener().trailers(fields);
        } else {
            receiver.listener().head(fields, isLast);
        }
    }

    /**
     * Passes received bytes to the listener.
     *
     * @return number of bytes that no reader will consume
     */
    int received(ByteBuf data, boolean isLast) {
        inputEnded |= isLast;
        int count = data.readableBytes();
        receiver.received(count);
        connection.addUnread(count);
        receiver.listener().data(data.retainedSlice(), isLast);
        return 0;
    }

    StreamListener promised(Http2Headers head, Http2LineStream promisedStream) {
        return receiver.listener().promised(head, promisedStream);
    }

    /**
     * Records a reset by the peer. A peer that answered in full may stop reading the request (RFC
     * 9113 section 8.1): that is complete.
     */
    void resetByPeer(long code) {
        if (end == null && !(code == Http2Error.NO_ERROR.code() && inputEnded)) {
            end = StreamEnd.reset(code);
        }
    }

    void malformed(long code, String why) {
        if (end == null) {
            end = new StreamEnd(StreamEnd.Reason.MALFORMED, code, why);
        }
    }

    void over(StreamEnd how) {
        if (receiver.isOver()) {
            return;
        }
        connection.removeUnread(receiver.end(how));
        promised.forEach(other -> other.changeRank(rank));
        promised.clear();
        receiver.listener().ended(how);
    }
}
