package dev.komainu.organizer.line;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A stream on one connection, at either end. On the connection's event loop. */
final class WireStream implements LineStream {

    private final LineConnection connection;
    private final Http2Stream stream;
    private StreamEvents events;
    private int rank = Precedence.USUAL;
    /** What goes behind it, and is as urgent as it was once it is sent. */
    private final List<WireStream> promised = new ArrayList<>(0);

    private final Room room = new Room();
    private long untaken;
    private boolean saidAll;
    private boolean heardAll;
    private boolean over;
    private @Nullable StreamEnd end;
    private StreamEnd ended = StreamEnd.COMPLETE;

    WireStream(LineConnection connection, Http2Stream stream, StreamEvents events) {
        this.connection = connection;
        this.stream = stream;
        this.events = events;
    }

    void listener(StreamEvents hears) {
        if (over) {
            hears.ended(ended);
        }
        events = hears;
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
        if (!over && !saidAll) {
            saidAll = ends;
            connection.writeHead(stream, head, ends, rank);
        }
    }

    @Override
    public void data(ByteBuf bytes, boolean ends) {
        if (over || saidAll) {
            bytes.release();
            return;
        }
        saidAll = ends;
        room.took(bytes.readableBytes());
        connection.writeData(this, stream, bytes, ends);
    }

    @Override
    public void trailers(Http2Headers fields) {
        if (!over && !saidAll) {
            saidAll = true;
            connection.writeHead(stream, fields, true, rank);
        }
    }

    @Override
    public boolean isWritable() {
        return !over && !saidAll && room.isThere();
    }

    /** So many bytes went to the socket, or nowhere. */
    void wrote(int bytes) {
        if (room.passedOn(bytes) && !over && !saidAll) {
            events.writable();
        }
    }

    @Override
    public void consumed(int bytes) {
        if (untaken >= bytes) {
            untaken -= bytes;
            connection.consumed(stream, bytes);
        }
    }

    @Override
    public @Nullable LineStream promise(Http2Headers head, long bytes, SendingEvents hears) {
        WireStream made = over || saidAll
                ? null
                : connection.promise(stream, head, bytes, hears, Math.min(rank + 1, Precedence.RANKS - 1));
        if (made != null) {
            promised.add(made);
        }
        return made;
    }

    private void ranks(int as) {
        rank = as;
        if (!over) {
            connection.ranks(stream, as);
        }
    }

    @Override
    public void reset(Http2Error why) {
        if (!over) {
            end = StreamEnd.CANCELLED;
            connection.reset(stream, why);
        }
    }

    // The other side's.

    void headers(Http2Headers fields, boolean ends) {
        heardAll |= ends;
        if (fields.status() == null) {
            events.trailers(fields);
        } else {
            events.head(fields, ends);
        }
    }

    /** @return how many of the bytes nobody will take */
    int received(ByteBuf data, boolean ends) {
        heardAll |= ends;
        int count = data.readableBytes();
        untaken += count;
        connection.holds(count);
        events.data(data.retainedSlice(), ends);
        return 0;
    }

    StreamEvents promised(Http2Headers head, WireStream brings) {
        return events.promised(head, brings);
    }

    /** By the peer. One that answered in full may stop hearing the request (RFC 9113 section 8.1): that is complete. */
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
        if (over) {
            return;
        }
        over = true;
        ended = how;
        if (how.reason() != StreamEnd.Reason.COMPLETE) {
            // Whoever holds what came before throws it away.
            connection.forget(untaken);
            untaken = 0;
        }
        promised.forEach(one -> one.ranks(rank));
        promised.clear();
        events.ended(how);
    }
}
