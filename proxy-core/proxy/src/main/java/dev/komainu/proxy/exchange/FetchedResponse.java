package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.buffer.UpstreamReads;
import dev.komainu.intermediary.message.Fields;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * An answer that is fetched for one client stream, as that stream sees it; everything on the
 * stream's event loop.
 */
interface FetchedResponse {

    /** Where it comes from now. */
    UpstreamReads feed();

    /** Whether a part of it is written. */
    boolean hasBegun();

    /** Writes what is there, as far as the client takes it. */
    void pump();

    /** The client is gone. */
    void abandon();

    /**
     * Body bytes of the request. Takes over the buffer.
     *
     * @param behind trailers; absent when there are none
     * @return false: more only after {@link ClientStream#uploadReady}
     */
    boolean upload(ByteBuf part, boolean last, @Nullable Fields behind);

    /** The same without trailers. */
    default boolean upload(ByteBuf part, boolean last) {
        return upload(part, last, null);
    }
}
