package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.proxy.cache.StoredResponse;
import dev.komainu.proxy.fetch.FetchPlan;

/**
 * Why the origin was asked, as Cache-Status tells it (RFC 9211 section 2.2).
 *
 * <pre>
 *   method    not a look at an object            request   a fresh copy, or any, was refused by the request itself
 *   bypass    a look with a body: not handled    partial   some of what is wanted was held
 *   stale     what was held is no longer fresh   miss      nothing was held
 * </pre>
 */
final class ForwardReason {

    private ForwardReason() {}

    static String of(FetchPlan plan, long steadyMillis) {
        RequestHead head = plan.head();
        boolean look = head.methodIs("GET") || head.methodIs("HEAD");
        StoredResponse known = plan.known();
        String reason;
        if (!look) {
            reason = "method";
        } else if (head.hasBody()) {
            reason = "bypass";
        } else if (plan.fillsGap()) {
            reason = "partial";
        } else if (known != null) {
            boolean fresh = !known.freshness().alwaysValidate()
                    && known.freshness().leftSeconds(steadyMillis) > 0;
            reason = fresh ? "request" : "stale";
        } else {
            reason = plan.shared() || head.methodIs("HEAD") ? "miss" : "request";
        }
        return "fwd=" + reason;
    }
}
