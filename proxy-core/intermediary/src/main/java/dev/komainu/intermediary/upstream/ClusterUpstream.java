package dev.komainu.intermediary.upstream;

import dev.komainu.intermediary.caching.CacheKey;
import org.jspecify.annotations.Nullable;

/** The cluster that this proxy is a member of, as one event loop asks it. */
public interface ClusterUpstream {

    /** Why an owner did not answer: it said nothing in time. */
    String SILENT = "owner-silent";

    /**
     * Why an owner did not answer: it would not, or had no answer itself. With any other reason it
     * was not reached.
     */
    String REFUSED = "owner-refused";

    /**
     * The cache that an object belongs to.
     *
     * @param uri of the object
     * @param hears the answer; what nobody but the owner could not do is told as a failure, for
     *     which the origin is asked
     * @return absent: this member's own, nobody's, or whoever it belongs to cannot be reached now
     */
    @Nullable
    UpstreamExchange owner(CacheKey uri, ResponseListener listener);

    /**
     * Whoever serves what is asked for, as the route table names him; another mirror where that can
     * be done unnoticed.
     */
    UpstreamExchange server(ResponseListener listener);

    /** Whether an object of another's is kept here, too, this time. */
    boolean keepsCopy();
}
