package dev.komainu.proxy.fetch;

import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.message.ResponseHead;
import io.netty.buffer.ByteBuf;

/**
 * The waiter whose request is sent. Only the leader receives a response that is not stored, as it
 * arrives.
 */
public interface FetchLeader extends FetchWaiter {

    /** Signals that the request's head was sent and body bytes may follow. */
    void uploadReady();

    /** Receives a 1xx response. */
    void informational(ResponseHead head);

    /**
     * Receives the response to a request other than a plain GET or HEAD: it may invalidate stored
     * responses. Called before all other methods.
     */
    default void headReceived(ResponseHead head) {}

    /**
     * Receives the trailers (RFC 9110 section 6.5). Called before the end of the body; valid during
     * the call.
     */
    default void trailers(Fields trailers) {}

    /**
     * Receives the head of a response that is not stored; {@code head} is valid during the call.
     */
    void passHead(ResponseHead head);

    /**
     * Receives body bytes of a response that is not stored. The slice is valid during the call.
     *
     * @return false to pause the origin until {@link Fetch#resume}
     */
    boolean passBody(ByteBuf slice);

    void passEnd();

    /** Reports that the response ended early, after its head was passed. */
    void passBroken();
}
