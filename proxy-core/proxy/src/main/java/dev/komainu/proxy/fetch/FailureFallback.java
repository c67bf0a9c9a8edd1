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

/**
 * What is left to do when an origin gives no answer, or none that is any good: decided here, done
 * by {@link Fetch}.
 */
final class FailureFallback {

    private static final int MOST_RETRIES = 2;
    /** RFC 9110 section 9.2.2. */
    private static final List<String> IDEMPOTENT =
            List.of("GET", "HEAD", "OPTIONS", "PUT", "DELETE");

    private FailureFallback() {}

    /**
     * What may be served instead of an error: for an error that the origin itself tells only what
     * stale-if-error permits (RFC 5861 section 4), for an origin out of reach also what the grace
     * allows (RFC 9111 section 4.2.4).
     *
     * @param originStatus 0 when the origin was not reached
     */
    static @Nullable StoredResponse standIn(
            FetchPlan plan, int originStatus, CacheSettings settings, ProxyClock clock) {
        StoredResponse known = plan.known();
        boolean error = originStatus == 0
                || originStatus == 500
                || originStatus >= 502 && originStatus <= 504;
        if (known == null || !error || !plan.storable()) {
            return null;
        }
        CacheDirectives asked =
                CacheDirectives.parse(plan.head().fields().joined(Field.CACHE_CONTROL));
        if (asked.noCache || asked.noStore) {
            return null;
        }
        long grace = originStatus == 0 ? settings.graceSeconds() : 0;
        boolean may = known.freshness()
                .mayReplaceError(clock.steadyMillis(), Math.max(grace, asked.staleIfError));
        return may ? known : null;
    }

    /**
     * RFC 9110 section 9.2.2: only what may be repeated and of whose answer nothing was seen. On
     * the same server only when its parked connection may have died by itself; on another one also
     * when a new connection broke. Silence is not tried again: the time is spent.
     *
     * @param reused whether the connection that failed had served a request before
     */
    static boolean mayRepeat(FetchPlan plan, OriginFailure failure, boolean reused, int retries) {
        int servers = plan.origin().servers().size();
        RequestHead head = plan.head();
        return failure.beforeAnswer()
                && retries < Math.min(servers, MOST_RETRIES)
                && (reused || servers > 1)
                && failure.status() != 504
                && !head.hasBody()
                && IDEMPOTENT.contains(head.method());
    }
}
