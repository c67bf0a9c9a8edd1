package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.caching.Labels;
import dev.komainu.intermediary.message.Field;
import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.intermediary.message.ResponseHead;
import dev.komainu.intermediary.purge.PurgeOrder;
import dev.komainu.proxy.fetch.FetchPlan;
import dev.komainu.proxy.fetch.SameOrigin;
import dev.komainu.proxy.purge.Purger;
import java.util.List;

/** The invalidation of cache entries by the response to an unsafe request. */
final class Invalidation {

    private Invalidation() {}

    /**
     * Invalidates the entries of the request's URI after a successful change (RFC 9111 section
     * 4.4).
     */
    static void after(Purger purger, FetchPlan plan, ResponseHead response) {
        RequestHead head = plan.head();
        int status = response.status();
        boolean safe = head.methodIs("GET") || head.methodIs("HEAD") || head.methodIs("OPTIONS");
        if (safe || status < 200 || status >= 400) {
            return;
        }
        drop(purger, plan.uri());
        List<String> groups = Labels.invalidatedBy(plan.uri(), response.fields());
        if (!groups.isEmpty()) {
            purger.execute(PurgeOrder.of(new PurgeOrder.Labelled(groups)));
        }
        for (Field field : new Field[] {Field.LOCATION, Field.CONTENT_LOCATION}) {
            CacheKey also = SameOrigin.key(head, response.fields().first(field));
            if (also != null) {
                drop(purger, also);
            }
        }
    }

    private static void drop(Purger purger, CacheKey key) {
        purger.execute(PurgeOrder.of(new PurgeOrder.Uri(key)));
    }
}
