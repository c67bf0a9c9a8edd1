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

/** A stream on one connection, at either end. On the connection's event loop. */
final class Http2LineStream implements LineStream {

    private final Http2LineConnection connection;
    private final Http2Stream stream;
    private final StreamReceiver reader;
    private int rank = SendPriority.USUAL;
    /** What goes behind it, and is as urgent as it was once it is sent. */
    private final List<Http2LineStream> promised = new ArrayList<>(0);

    private final SendWindow room = new SendWindow();
    private boolean saidAll;
    private boolean heardAll;
    private @Nullable StreamEnd end;

    Http2LineStream(Http2LineConnection connection, Http2Stream stream, StreamListener events) {
        this.connection = connection;
        this.stream = stream;
        this.reader = new StreamReceiver(events);
    }

    void listener(StreamListener hears) {
        reader.is(hears);
    }

    void answersWith(int of) {
        rank = of;
    }

    void saidAll() {
        saidAll = true;
    }

    void heardAll() {
        heardAll = true;
    }

    boolean hasHeardAll() {
        return heardAll;
    }

    /** Why it is about to be closed; null: because both directions ended, or the connection did. */
    @Nullable
    StreamEnd end() {
        return end;
    }

    // This side's half.

    @Override
    public EventLoop loop() {
        return connection.loop();
    }

    @Override
    public void head(Http2Headers head, boolean ends) {
        if (!reader.isOver() && !saidAll) {
            saidAll = ends;
            connection.writeHead(stream, head, ends, rank);
        }
    }

    @Override
    public void data(ByteBuf bytes, boolean ends) {
        if (reader.isOver() || saidAll) {
            bytes.release();
            return;
        }
        saidAll = ends;
        room.took(bytes.readableBytes());
        connection.writeData(this, stream, bytes, ends);
    }

    @Override
    public void trailers(Http2Headers fields) {
        if (!reader.isOver() && !saidAll) {
            saidAll = true;
            connection.writeHead(stream, fields, true, rank);
        }
    }

    @Override
    public boolean isWritable() {
        return !reader.isOver() && !saidAll && room.isThere();
    }

    /** So many bytes went to the socket, or nowhere. */
    void wrote(int bytes) {
        if (room.passedOn(bytes) && !reader.isOver() && !saidAll) {
            reader.events().writable();
        }
    }

    @Override
    public void consumed(int bytes) {
        if (reader.took(bytes)) {
            connection.consumed(stream, bytes);
        }
    }

    @Override
    public @Nullable LineStream promise(Http2Headers head, long bytes, SendingListener hears) {
        Http2LineStream made = reader.isOver() || saidAll
                ? null
                : connection.promise(
                        stream, head, bytes, hears, Math.min(rank + 1, SendPriority.RANKS - 1));
        if (made != null) {
            promised.add(made);
        }
        return made;
    }

    private void ranks(int as) {
        rank = as;
        if (!reader.isOver()) {
            connection.ranks(stream, as);
        }
    }

    @Override
    public void reset(Http2Error why) {
        if (!reader.isOver()) {
            end = StreamEnd.CANCELLED;
            connection.reset(stream, why);
        }
    }

    // The other side's.

    void headers(Http2Headers fields, boolean ends) {
        heardAll |= ends;
        if (fields.status() == null) {
            reader.events().trailers(fields);
        } else {
            reader.events().head(fields, ends);
        }
    }

    /** @return how many of the bytes nobody will take */
    int received(ByteBuf data, boolean ends) {
        heardAll |= ends;
        int count = data.readableBytes();
        reader.gave(count);
        connection.holds(count);
        reader.events().data(data.retainedSlice(), ends);
        return 0;
    }

    StreamListener promised(Http2Headers head, Http2LineStream brings) {
        return reader.events().promised(head, brings);
    }

    /**
     * By the peer. One that answered in full may stop hearing the request (RFC 9113 section 8.1):
     * that is complete.
     */
    void wasReset(long code) {
        if (end == null && !(code == Http2Error.NO_ERROR.code() && heardAll)) {
            end = StreamEnd.reset(code);
        }
    }

    void malformed(long code, String why) {
        if (end == null) {
            end = new StreamEnd(StreamEnd.Reason.MALFORMED, code, why);
        }
    }

    void over(StreamEnd how) {
        if (reader.isOver()) {
            return;
        }
        connection.forget(reader.ends(how));
        promised.forEach(one -> one.ranks(rank));
        promised.clear();
        reader.events().ended(how);
    }
}
