package dev.komainu.proxy.exchange;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The body of a response that is not stored, from the origin to one client. Bytes that the client
 * does not accept at once are kept: at most one read of the origin's socket, because the origin is
 * then paused.
 */
final class PassThroughBody {

    private final ClientStream to;
    private final BodyWriter body;
    private final Deque<ByteBuf> waiting = new ArrayDeque<>(0);
    private boolean ended;

    PassThroughBody(ClientStream to, BodyWriter body) {
        this.to = to;
        this.body = body;
    }

    /** Reports whether no bytes wait here and the client accepts more. */
    boolean isOpen() {
        return waiting.isEmpty() && to.isWritable();
    }

    void write(ByteBuf slice) {
        body.part(slice.retain());
    }

    void keep(ByteBuf slice) {
        waiting.add(slice.retain());
    }

    /**
     * Writes the kept bytes while the client accepts them.
     *
     * @return whether none is left
     */
    boolean move() {
        while (to.isWritable() && !waiting.isEmpty()) {
            body.part(waiting.poll());
        }
        return waiting.isEmpty();
    }

    /** Marks the end of the origin's bytes. */
    void end() {
        ended = true;
    }

    boolean hasEnded() {
        return ended;
    }

    void release() {
        waiting.forEach(ByteBuf::release);
        waiting.clear();
    }
}
