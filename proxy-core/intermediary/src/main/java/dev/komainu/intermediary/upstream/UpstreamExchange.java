package dev.komainu.intermediary.upstream;

import dev.komainu.intermediary.buffer.ReceiveShare;
import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * One request to an upstream and its response: on a connection to an origin, or on a stream to a
 * member of the cluster. On its event loop.
 */
public interface UpstreamExchange {

    /**
     * Returns the upstream's name for the access log; it is more exact once a response has begun.
     */
    String peerName();

    /**
     * Returns the way in which the upstream was found; a member only when {@link #peerName} names
     * it.
     */
    default HierarchyCode hierarchyCode() {
        return HierarchyCode.DIRECT;
    }

    /** Returns the remote address; absent when no connection belongs to this exchange alone. */
    @Nullable
    InetSocketAddress address();

    /** Returns its share of the budget for socket buffers; absent when it has none. */
    default @Nullable ReceiveShare receiveShare() {
        return null;
    }

    /**
     * Reports whether the connection served a request before: its peer may then close it at the
     * moment of reuse.
     */
    default boolean isReused() {
        return false;
    }

    /**
     * Reports whether the protocol itself marks the end of a body. Otherwise a body of unknown
     * length must be chunked.
     */
    default boolean endsBodies() {
        return false;
    }

    /**
     * Sends the request's head as HTTP/1.1 text, and its end when it has no body. Takes ownership
     * of the buffer.
     */
    void send(ByteBuf request, boolean isHead, boolean complete);

    /**
     * Sends body bytes. Takes ownership of the buffer.
     *
     * @return false when the caller should wait for {@code writable}
     */
    boolean sendBody(ByteBuf part, boolean last);

    /**
     * Stops or resumes reading: bytes that a slow client does not accept are not read from the
     * upstream.
     */
    void setReading(boolean on);

    /**
     * Limits the bytes of one read of this response, and so the memory that a slow client occupies.
     */
    default void readAtMost(int bytes) {}

    /** Cancels the request without notifying the listener, and closes its connection or stream. */
    void abort();

    /** Gives up a response whose head was delivered. */
    void discardRest();
}
