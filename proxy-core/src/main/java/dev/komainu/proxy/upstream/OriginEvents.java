package dev.komainu.proxy.upstream;

import dev.komainu.proxy.http.Fields;
import dev.komainu.proxy.http.ResponseHead;
import io.netty.buffer.ByteBuf;

/** What one request to an origin hears, in this order, on the connection's event loop. */
public interface OriginEvents {

    /** Whether anybody still waits for the answer; asked before a connection is lent to a request that queued for it. */
    default boolean wanted() {
        return true;
    }

    /** A connection is there: write the request now. */
    void connected(OriginConnection connection);

    /** A 1xx answer other than 101; the final one follows. */
    void informational(ResponseHead head);

    /** The final answer's head; valid during the call only. */
    void head(ResponseHead head);

    /** Body bytes; the slice is valid during the call only, retain to keep. */
    void body(ByteBuf slice);

    /** Fields behind the body, when there are any; valid during the call only. */
    default void trailers(Fields trailers) {}

    /** The answer is complete as its framing says. The connection is no longer this request's. */
    void end();

    /** No whole answer will come. The connection is closed. Nothing follows. */
    void failed(OriginFailure failure);

    /** The connection's send buffer has room again. */
    default void writable() {}
}
