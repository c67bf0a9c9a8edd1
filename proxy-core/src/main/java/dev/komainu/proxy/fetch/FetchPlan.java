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
 * @param stale the stored response to confirm; absent when there is none
 */
public record FetchPlan(
        RequestHead head,
        Origin origin,
        CacheKey uri,
        CacheKey key,
        boolean storable,
        @Nullable StoredResponse stale) {

    FetchPlan unconditional() {
        return new FetchPlan(head, origin, uri, key, storable, null);
    }
}
