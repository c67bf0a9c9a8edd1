package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.proxy.cache.StoredResponse;
import dev.komainu.proxy.fetch.FetchPlan;

/**
 * The reason for a request to the origin, as Cache-Status reports it (RFC 9211 section 2.2).
 *
 * <pre>
 *   method    neither GET nor HEAD               request   the request itself refused a stored response
 *   bypass    a GET or HEAD with a body          partial   a part of the object was stored
 *   stale     the stored response is not fresh   miss      nothing was stored
 * </pre>
 */
final class ForwardReason {

    private ForwardReason() {}

    static String of(FetchPlan plan, ProxyClock clock) {
        RequestHead head = plan.head();
        boolean isLookup = head.methodIs("GET") || head.methodIs("HEAD");
        StoredResponse known = plan.known();
        if (!isLookup) {
            return "fwd=method";
        } else if (head.hasBody()) {
            return "fwd=bypass";
        } else if (plan.fillsGap()) {
            return "fwd=partial";
        } else if (known != null) {
            boolean fresh = !known.freshness().alwaysValidate()
                    && known.freshness().leftSeconds(clock.steadyMillis()) > 0;
            return fresh ? "fwd=request" : "fwd=stale";
        } else {
            return plan.shared() || head.methodIs("HEAD") ? "fwd=miss" : "fwd=request";
        }
    }
}
