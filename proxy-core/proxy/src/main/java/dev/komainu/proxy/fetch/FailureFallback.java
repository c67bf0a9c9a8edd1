package dev.komainu.proxy.fetch;

import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.intermediary.message.CacheDirectives;
import dev.komainu.intermediary.message.Field;
import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.intermediary.upstream.OriginFailure;
import dev.komainu.proxy.cache.CacheSettings;
import dev.komainu.proxy.cache.StoredResponse;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The decisions after an origin failed or returned an error; {@link Fetch} applies them. */
final class FailureFallback {

    private static final int MAX_RETRIES = 2;
    /** The idempotent methods (RFC 9110 section 9.2.2). */
    private static final List<String> IDEMPOTENT =
            List.of("GET", "HEAD", "OPTIONS", "PUT", "DELETE");

    private FailureFallback() {}

    /**
     * Returns the stored response that may be served instead of an error. For an error response of
     * the origin, stale-if-error must permit it (RFC 5861 section 4). For an origin that cannot be
     * reached, the configured grace permits it, too (RFC 9111 section 4.2.4).
     *
     * @param originStatus 0 when the origin was not reached
     * @return null when there is none
     */
    static @Nullable StoredResponse substitute(
            FetchPlan plan, int originStatus, CacheSettings settings, ProxyClock clock) {
        StoredResponse known = plan.known();
        boolean error = originStatus == 0
                || originStatus == 500
                || (originStatus >= 502 && originStatus <= 504);
        if (known == null || !error || !plan.storable()) {
            return null;
        }
        CacheDirectives directives =
                CacheDirectives.parse(plan.head().fields().joined(Field.CACHE_CONTROL));
        if (directives.noCache || directives.noStore) {
            return null;
        }
        long grace = originStatus == 0 ? settings.graceSeconds() : 0;
        boolean may = known.freshness()
                .mayReplaceError(clock.steadyMillis(), Math.max(grace, directives.staleIfError));
        return may ? known : null;
    }

    /**
     * Reports whether a failed request may be retried (RFC 9110 section 9.2.2): only an idempotent
     * request of which no part of the response was received. The same server is used again only
     * when its parked connection may have closed by itself; another server also when a new
     * connection failed. There is no retry after a timeout: the time is used up.
     *
     * @param reused whether the connection that failed had served a request before
     */
    static boolean mayRetry(FetchPlan plan, OriginFailure failure, boolean reused, int retries) {
        int servers = plan.origin().servers().size();
        RequestHead head = plan.head();
        return failure.beforeAnswer()
                && retries < Math.min(servers, MAX_RETRIES)
                && (reused || servers > 1)
                && failure.status() != 504
                && !head.hasBody()
                && IDEMPOTENT.contains(head.method());
    }
}
