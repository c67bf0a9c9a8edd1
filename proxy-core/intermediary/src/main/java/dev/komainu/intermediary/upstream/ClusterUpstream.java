package dev.komainu.intermediary.upstream;

import dev.komainu.intermediary.caching.CacheKey;
import org.jspecify.annotations.Nullable;

/** The cluster of this proxy, as an upstream of one event loop. */
public interface ClusterUpstream {

    /** Failure code: the owner sent no response in time. */
    String SILENT = "owner-silent";

    /**
     * Failure code: the owner refused, or had no response itself. With any other code the owner was
     * not reached.
     */
    String REFUSED = "owner-refused";

    /**
     * Requests an object from the member that owns it.
     *
     * @param uri of the object
     * @param listener receives the response. A failure of the owner is reported as such; the caller
     *     then requests the object from the origin
     * @return absent when this member owns the object, no member does, or the owner cannot be
     *     reached now
     */
    @Nullable
    UpstreamExchange owner(CacheKey uri, ResponseListener listener);

    /**
     * Returns an exchange with the server that the route table selects; with another mirror where
     * the client cannot notice the change.
     */
    UpstreamExchange server(ResponseListener listener);

    /** Reports whether an object that another member owns is also stored here, this time. */
    boolean keepsCopy();
}
