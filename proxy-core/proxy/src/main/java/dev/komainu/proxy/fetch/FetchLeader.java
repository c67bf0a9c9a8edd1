package dev.komainu.proxy.fetch;

import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.message.ResponseHead;
import io.netty.buffer.ByteBuf;

/**
 * The waiter whose request is the one sent. It alone hears an answer that may not be stored, byte
 * by byte.
 */
public interface FetchLeader extends FetchWaiter {

    /** The request's head is on its way and body bytes may follow now. */
    void uploadReady();

    /** A 1xx answer. */
    void informational(ResponseHead head);

    /**
     * The answer to a request that was no plain look at an object: what is stored may be worthless
     * now. Told first.
     */
    default void answered(ResponseHead head) {}

    /**
     * Fields behind the body (RFC 9110 section 6.5); told before the body's end is. Valid during
     * the call.
     */
    default void trailers(Fields trailers) {}

    /** An answer that will not be stored begins; {@code head} is valid during the call. */
    void passHead(ResponseHead head);

    /**
     * The slice is valid during the call. @return false to pause the origin until
     * {@link Fetch#resume}
     */
    boolean passBody(ByteBuf slice);

    void passEnd();

    /** The answer broke off after its head was passed. */
    void passBroken();
}
