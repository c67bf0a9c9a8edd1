package dev.komainu.intermediary.upstream;

import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.message.ResponseHead;
import io.netty.buffer.ByteBuf;

/**
 * The listener of one response. Its methods are called in this order, on the event loop of the
 * exchange.
 */
public interface ResponseListener {

    /** Receives a 1xx response other than 101; the final response follows. */
    void informational(ResponseHead head);

    /** Receives the head of the final response; it is valid during the call only. */
    void head(ResponseHead head);

    /** Receives body bytes. The slice is valid during the call only; retain it to keep it. */
    void body(ByteBuf slice);

    /** Receives the trailer fields, when there are any; they are valid during the call only. */
    default void trailers(Fields trailers) {}

    /**
     * Notifies of the end of the response, as its framing marks it. The connection no longer
     * belongs to this request.
     */
    void end();

    /** Notifies that no complete response will arrive. No other call follows. */
    void failed(OriginFailure failure);

    /** Notifies that more of the request's body may be sent. */
    default void writable() {}
}
