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
 * Listener of a stream whose relay does not exist yet, because its connection is being made. Early
 * bytes wait. On the stream's loop.
 */
public abstract class PendingRelay implements StreamListener {

    private final Deque<ByteBuf> early = new ArrayDeque<>(0);
    private @Nullable StreamRelay relay;
    private boolean inputEnded;
    private boolean over;

    /** Returns whether the stream has ended: the connection is not needed any more. */
    protected final boolean isOver() {
        return over;
    }

    /** Marks the input as ended at its head. */
    protected final void endsAtHead() {
        inputEnded = true;
    }

    /**
     * Sets the relay, which receives all further events. {@link #handOver} passes it the early
     * bytes.
     */
    protected final void follow(StreamRelay created) {
        relay = created;
    }

    /**
     * Passes the early bytes to the relay.
     *
     * @throws IllegalStateException when there is no relay
     */
    protected final void handOver() {
        StreamRelay target = relay;
        if (target == null) {
            throw new IllegalStateException("There is no relay to hand over to");
        }
        boolean ended = inputEnded;
        while (!early.isEmpty()) {
            ByteBuf next = early.remove();
            target.data(next, ended && early.isEmpty());
            ended &= !early.isEmpty();
        }
        if (ended) {
            target.data(Unpooled.EMPTY_BUFFER, true);
        }
    }

    @Override
    public final void data(ByteBuf bytes, boolean ends) {
        StreamRelay target = relay;
        if (target != null) {
            target.data(bytes, ends);
        } else if (over) {
            bytes.release();
        } else {
            inputEnded |= ends;
            early.add(bytes);
        }
    }

    @Override
    public final void trailers(Http2Headers fields) {
        data(Unpooled.EMPTY_BUFFER, true);
    }

    @Override
    public final void writable() {
        StreamRelay target = relay;
        if (target != null) {
            target.writable();
        }
    }

    @Override
    public void ended(StreamEnd how) {
        over = true;
        early.forEach(ByteBuf::release);
        early.clear();
        StreamRelay target = relay;
        if (target != null) {
            target.ended(how);
        }
    }
}
