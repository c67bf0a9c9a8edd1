package dev.komainu.proxy.fetch;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.message.Field;
import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.intermediary.upstream.Origin;
import dev.komainu.proxy.cache.StoredParts;
import dev.komainu.proxy.cache.StoredResponse;
import org.jspecify.annotations.Nullable;

/**
 * The plan of one fetch.
 *
 * @param head the leader's request, detached
 * @param origin the origin of the object
 * @param uri the effective URI's key
 * @param key the key of the lookup: the URI's, or a variant's
 * @param storable whether the whole is requested and may be stored if the response permits it: a
 *     plain GET
 * @param known the stored response that was found but must not be served as it is; null when there
 *     is none. For a HEAD, the response may freshen it
 * @param direct whether the origin is used even if another member owns the object: the request
 *     comes from a member of the cluster
 * @param copy whether the response comes from the member that owns the object
 * @param part the part that is fetched and may be stored; null for the whole
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

    /** Returns the plan with the client's own range; its response may be stored. */
    public FetchPlan asRequested() {
        return new FetchPlan(
                head, origin, uri, key, false, null, PartPlan.AS_REQUESTED, direct, copy);
    }

    /** Returns the plan that fetches only the missing part. */
    public FetchPlan filling(PartPlan missing) {
        return new FetchPlan(head, origin, uri, key, storable, null, missing, direct, copy);
    }

    /**
     * Returns the stored response that the origin validates; null when there is none, or it has no
     * validator.
     */
    @Nullable
    StoredResponse stale() {
        boolean validator =
                storable && known != null && (known.etag() != null || known.lastModified() != null);
        return validator ? known : null;
    }

    /**
     * Reports whether the request needs a connection of its own: it has a body without meaning for
     * its method (RFC 9110 sections 9.3.1 and 9.3.5). An origin that ignores the body would read it
     * as the next request. The connection carries no other request, so there is no next one.
     */
    boolean isAlone() {
        return head.hasBody()
                && (head.methodIs("GET")
                        || head.methodIs("HEAD")
                        || head.methodIs("DELETE")
                        || head.methodIs("OPTIONS")
                        || head.methodIs("TRACE"));
    }

    /** Reports whether the response may be served to other clients. */
    public boolean shared() {
        return storable || part != null;
    }

    /** Reports whether only a part that completes stored parts is requested. */
    public boolean fillsGap() {
        return storedParts() != null;
    }

    /**
     * Returns the stored parts that the response must match; null when it does not depend on any.
     */
    @Nullable
    StoredParts storedParts() {
        return part == null ? null : part.stored();
    }

    /** Returns the plan for the same object without stored responses or parts. */
    FetchPlan unconditional() {
        return part != null && !storable
                ? asRequested()
                : new FetchPlan(head, origin, uri, key, storable, null, null, direct, copy);
    }

    /** Returns the plan with a response that comes from the object's owner, or not. */
    FetchPlan withCopy(boolean byOwner) {
        return byOwner == copy
                ? this
                : new FetchPlan(head, origin, uri, key, storable, known, part, direct, byOwner);
    }

    /** Returns the plan that uses the origin when the request comes from a member. */
    public FetchPlan direct(boolean forMember) {
        return forMember
                ? new FetchPlan(head, origin, uri, key, storable, known, part, true, copy)
                : this;
    }

    /**
     * Reports whether the request may go to the owner of the object instead of the origin.
     * Responses that are for one client only, or cannot be stored, come directly from the origin.
     */
    boolean mayUseOwner() {
        return !direct
                && shared()
                && head.methodIs("GET")
                && !head.fields().has(Field.AUTHORIZATION);
    }
}
