package dev.komainu.organizer.line.tunnel;

import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.StreamListener;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Hears a stream whose relay is not there yet, since a connection is being made for it: what comes
 * early waits. On the stream's loop.
 */
public abstract class PendingRelay implements StreamListener {

    private final Deque<ByteBuf> early = new ArrayDeque<>(0);
    private @Nullable StreamRelay relay;
    private boolean saidAll;
    private boolean over;

    /** The stream ended: nobody needs the connection any more. */
    protected final boolean isOver() {
        return over;
    }

    /** There is nothing to come. */
    protected final void endsAtHead() {
        saidAll = true;
    }

    /** From here on the relay hears; what came early it gets by {@link #handOver}. */
    protected final void follow(StreamRelay made) {
        relay = made;
    }

    protected final void handOver() {
        StreamRelay to = relay;
        if (to == null) {
            throw new IllegalStateException("There is nobody to hand over to");
        }
        boolean ended = saidAll;
        while (!early.isEmpty()) {
            ByteBuf next = early.remove();
            to.data(next, ended && early.isEmpty());
            ended &= !early.isEmpty();
        }
        if (ended) {
            to.data(Unpooled.EMPTY_BUFFER, true);
        }
    }

    @Override
    public final void data(ByteBuf bytes, boolean ends) {
        StreamRelay to = relay;
        if (to != null) {
            to.data(bytes, ends);
        } else if (over) {
            bytes.release();
        } else {
            saidAll |= ends;
            early.add(bytes);
        }
    }

    @Override
    public final void trailers(Http2Headers fields) {
        data(Unpooled.EMPTY_BUFFER, true);
    }

    @Override
    public final void writable() {
        StreamRelay to = relay;
        if (to != null) {
            to.writable();
        }
    }

    @Override
    public void ended(StreamEnd how) {
        over = true;
        early.forEach(ByteBuf::release);
        early.clear();
        StreamRelay to = relay;
        if (to != null) {
            to.ended(how);
        }
    }
}
