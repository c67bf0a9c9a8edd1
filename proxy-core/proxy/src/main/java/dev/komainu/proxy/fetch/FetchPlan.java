package dev.komainu.proxy.fetch;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.message.Field;
import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.intermediary.upstream.Origin;
import dev.komainu.proxy.cache.StoredParts;
import dev.komainu.proxy.cache.StoredResponse;
import org.jspecify.annotations.Nullable;

/**
 * What to fetch.
 *
 * @param head the leader's request, detached
 * @param origin whom to ask
 * @param uri the effective URI's key
 * @param key the key looked up: the URI's, or a variant's
 * @param storable the whole is wanted, and may be stored if the answer allows it: a plain GET
 * @param known the stored response that was found but may not be served as it is; absent when there
 *     is none. Of a HEAD, whose answer may freshen it
 * @param direct whoever owns the object, the origin is asked: it is a member of the cluster who
 *     wants it
 * @param copy the answer is that of a member that owns the object
 * @param part the part that is fetched, and may be stored; absent when it is the whole
 */
public record FetchPlan(
        RequestHead head,
        Origin origin,
        CacheKey uri,
        CacheKey key,
        boolean storable,
        @Nullable StoredResponse known,
        @Nullable PartPlan part,
        boolean direct,
        boolean copy) {

    public FetchPlan(
            RequestHead head,
            Origin origin,
            CacheKey uri,
            CacheKey key,
            boolean storable,
            @Nullable StoredResponse known) {
        this(head, origin, uri, key, storable, known, null, false, false);
    }

    /** The client's own range; its answer may be stored. */
    public FetchPlan asAsked() {
        return new FetchPlan(head, origin, uri, key, false, null, PartPlan.AS_ASKED, direct, copy);
    }

    /** Only what is missing. */
    public FetchPlan filling(PartPlan missing) {
        return new FetchPlan(head, origin, uri, key, storable, null, missing, direct, copy);
    }

    /**
     * The stored response the origin is asked to confirm; absent when there is none, or it has no
     * validator.
     */
    @Nullable
    StoredResponse stale() {
        boolean validator =
                storable && known != null && (known.etag() != null || known.lastModified() != null);
        return validator ? known : null;
    }

    /**
     * A body that means nothing to its method (RFC 9110 sections 9.3.1 and 9.3.5): an origin that
     * overlooks it would read it as the next request. So there is none: its connection carries
     * nothing else before or after it.
     */
    boolean isAlone() {
        return head.hasBody()
                && (head.methodIs("GET")
                        || head.methodIs("HEAD")
                        || head.methodIs("DELETE")
                        || head.methodIs("OPTIONS")
                        || head.methodIs("TRACE"));
    }

    /** Whether the answer may come to be served to others. */
    public boolean shared() {
        return storable || part != null;
    }

    /** Whether only what is missing beside held parts is asked for. */
    public boolean fillsGap() {
        return held() != null;
    }

    /** The held parts that the answer must go with; absent when the answer stands by itself. */
    @Nullable
    StoredParts held() {
        return part == null ? null : part.held();
    }

    /** The same want, without anything that is stored. */
    FetchPlan unconditional() {
        return part != null && !storable
                ? asAsked()
                : new FetchPlan(head, origin, uri, key, storable, null, null, direct, copy);
    }

    /** The same, answered by the object's owner, or not. */
    FetchPlan copied(boolean byOwner) {
        return byOwner == copy
                ? this
                : new FetchPlan(head, origin, uri, key, storable, known, part, direct, byOwner);
    }

    /** The same, from the origin. */
    public FetchPlan direct(boolean forMember) {
        return forMember
                ? new FetchPlan(head, origin, uri, key, storable, known, part, true, copy)
                : this;
    }

    /**
     * Whether the cache that owns the object may be asked instead of the origin: what is meant for
     * one client only, or cannot be stored, is between that client and the origin.
     */
    boolean mayAskOwner() {
        return !direct
                && shared()
                && head.methodIs("GET")
                && !head.fields().has(Field.AUTHORIZATION);
    }
}
