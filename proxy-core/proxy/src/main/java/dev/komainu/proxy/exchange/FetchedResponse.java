package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.buffer.UpstreamReads;
import dev.komainu.intermediary.message.Fields;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * A response that is fetched for one client stream, as that stream uses it; all methods run on the
 * stream's event loop.
 */
interface FetchedResponse {

    /** Returns the upstream from which it is read now. */
    UpstreamReads upstreamReads();

    /** Reports whether a part of it is written. */
    boolean hasBegun();

    /** Writes the available bytes, as far as the client accepts them. */
    void pump();

    /** Ends the delivery; the client is gone. */
    void abandon();

    /**
     * Sends body bytes of the request. Takes ownership of the buffer.
     *
     * @param trailers the trailers; null when there are none
     * @return false when more must wait for {@link ClientStream#uploadReady}
     */
    boolean upload(ByteBuf part, boolean last, @Nullable Fields trailers);

    /** Sends body bytes without trailers. */
    default boolean upload(ByteBuf part, boolean last) {
        return upload(part, last, null);
    }
}
