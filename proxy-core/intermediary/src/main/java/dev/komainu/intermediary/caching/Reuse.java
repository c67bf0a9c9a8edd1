package dev.komainu.intermediary.caching;

import dev.komainu.intermediary.message.CacheDirectives;

/** The permitted use of a stored response for a request, now (RFC 9111 sections 4 and 5.2.1). */
public enum Reuse {
    /** Serve it. */
    FRESH,
    /** Serve it although stale: the client accepts stale responses (max-stale). */
    STALE,
    /**
     * Serve it although stale, and revalidate it meanwhile (stale-while-revalidate, RFC 5861
     * section 3).
     */
    STALE_WHILE_REVALIDATE,
    /** Validate it with the origin first. */
    VALIDATE;

    /**
     * Decides by the stored response's freshness and the request's directives.
     *
     * @param pragmaNoCache Pragma: no-cache without Cache-Control (section 5.4)
     */
    public static Reuse decide(
            Freshness stored, CacheDirectives request, boolean pragmaNoCache, long steadyMillis) {
        if (stored.alwaysValidate() || request.noCache || pragmaNoCache) {
            return VALIDATE;
        }
        long age = stored.ageSeconds(steadyMillis);
        long remaining = stored.lifetimeSeconds() - age;
        if (request.maxAge != CacheDirectives.ABSENT && age > Math.max(0, request.maxAge)) {
            return VALIDATE;
        }
        if (request.minFresh > 0 && remaining < request.minFresh) {
            return VALIDATE;
        }
        if (remaining > 0) {
            return FRESH;
        }
        if (stored.mustRevalidate()) {
            return VALIDATE;
        }
        if (-remaining <= stored.whileRevalidateSeconds() && stored.whileRevalidateSeconds() > 0) {
            return STALE_WHILE_REVALIDATE;
        }
        return request.maxStale >= 0 && -remaining <= request.maxStale ? STALE : VALIDATE;
    }
}
