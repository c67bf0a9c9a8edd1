package dev.komainu.intermediary.upstream;

import dev.komainu.intermediary.buffer.ReceiveShare;
import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * What carries one request and its answer: a connection to an origin, lent for it, or a stream to a
 * member of the cluster. On its event loop.
 */
public interface UpstreamExchange {

    /** Who answers, as accounts tell it; better known once somebody does. */
    String peerName();

    /** How who answers was found; a member only when {@link #peerName} names it. */
    default HierarchyCode hierarchyCode() {
        return HierarchyCode.DIRECT;
    }

    /** Where it leads; absent when that is nobody's connection in particular. */
    @Nullable
    InetSocketAddress address();

    /** Its share of the budget for socket buffers; absent when it has none. */
    default @Nullable ReceiveShare receiveShare() {
        return null;
    }

    /**
     * Whether it served a request before: then its peer may close it at the very moment it is used.
     */
    default boolean isReused() {
        return false;
    }

    /**
     * Whether it tells the end of a body itself; else a body of unknown length must be framed by
     * chunks.
     */
    default boolean endsBodies() {
        return false;
    }

    /**
     * Sends the request's head, as HTTP/1.1's text, and its end when it has no body. Takes over the
     * buffer.
     */
    void send(ByteBuf request, boolean isHead, boolean complete);

    /**
     * Sends body bytes. Takes over the buffer. @return false when the caller should wait for
     * {@code writable}
     */
    boolean sendBody(ByteBuf part, boolean last);

    /** Stops or resumes reading: what a slow client does not take is not fetched. */
    void setReading(boolean on);

    /** How much one read of this answer may bring: what a slow client makes us hold. */
    default void readAtMost(int bytes) {}

    /** Gives the request up, and tells nobody. */
    void abort();

    /** The answer is not wanted any more; for who was told its head. */
    void discardRest();
}
