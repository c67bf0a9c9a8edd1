package dev.komainu.proxy.fetch;

import dev.komainu.proxy.cache.CacheKey;
import dev.komainu.proxy.cache.StoredResponse;
import dev.komainu.proxy.http.RequestHead;
import dev.komainu.proxy.upstream.Origin;
import org.jspecify.annotations.Nullable;

/**
 * What to fetch.
 *
 * @param head the leader's request, detached
 * @param origin whom to ask
 * @param uri the effective URI's key
 * @param key the key looked up: the URI's, or a variant's
 * @param storable the answer may be stored if it allows it: a plain GET
 * @param known the stored response that was found but may not be served as it is; absent when there is none. Of a HEAD,
 *     whose answer may freshen it
 */
public record FetchPlan(
        RequestHead head,
        Origin origin,
        CacheKey uri,
        CacheKey key,
        boolean storable,
        @Nullable StoredResponse known) {

    /** The stored response the origin is asked to confirm; absent when there is none, or it has no validator. */
    @Nullable
    StoredResponse stale() {
        boolean validator = storable && known != null && (known.etag() != null || known.lastModified() != null);
        return validator ? known : null;
    }

    FetchPlan unconditional() {
        return new FetchPlan(head, origin, uri, key, storable, null);
    }
}
