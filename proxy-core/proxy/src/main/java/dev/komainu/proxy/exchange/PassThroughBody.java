package dev.komainu.proxy.exchange;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Bytes of an answer that is not stored, from the origin to one client. What the client does not
 * take at once is held: one read of the origin's socket at most, because the origin is then paused.
 */
final class PassThroughBody {

    private final ClientStream to;
    private final BodyWriter body;
    private final Deque<ByteBuf> held = new ArrayDeque<>(0);
    private boolean ended;

    PassThroughBody(ClientStream to, BodyWriter body) {
        this.to = to;
        this.body = body;
    }

    /** Whether nothing waits here and the client takes more. */
    boolean isOpen() {
        return held.isEmpty() && to.isWritable();
    }

    void write(ByteBuf slice) {
        body.part(slice.retain());
    }

    void hold(ByteBuf slice) {
        held.add(slice.retain());
    }

    /** Moves what is held while the client takes it. @return whether nothing is left */
    boolean move() {
        while (to.isWritable() && !held.isEmpty()) {
            body.part(held.poll());
        }
        return held.isEmpty();
    }

    /** The origin has no more. */
    void end() {
        ended = true;
    }

    boolean hasEnded() {
        return ended;
    }

    void release() {
        held.forEach(ByteBuf::release);
        held.clear();
    }
}
