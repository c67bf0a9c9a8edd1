package dev.komainu.intermediary.upstream;

import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.message.ResponseHead;
import io.netty.buffer.ByteBuf;

/** What one request hears of its answer, in this order, on the event loop of what carries it. */
public interface ResponseListener {

    /** A 1xx answer other than 101; the final one follows. */
    void informational(ResponseHead head);

    /** The final answer's head; valid during the call only. */
    void head(ResponseHead head);

    /** Body bytes; the slice is valid during the call only, retain to keep. */
    void body(ByteBuf slice);

    /** Fields behind the body, when there are any; valid during the call only. */
    default void trailers(Fields trailers) {}

    /** The answer is complete as its framing says. What carried it is no longer this request's. */
    void end();

    /** No whole answer will come. Nothing follows. */
    void failed(OriginFailure failure);

    /** There is room for more of the request's body again. */
    default void writable() {}
}
