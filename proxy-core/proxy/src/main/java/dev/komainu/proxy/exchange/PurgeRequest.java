package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.caching.Labels;
import dev.komainu.intermediary.message.Field;
import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.purge.PurgeOrder;
import dev.komainu.proxy.purge.PurgeReport;
import dev.komainu.proxy.purge.Purger;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A PURGE request at the data port. It has no body: its fields select the entries.
 *
 * <table><caption>Fields</caption>
 * <tr><td>none</td><td>the request's URL</td></tr>
 * <tr><td>{@code Surrogate-Key}, {@code Cache-Tag}</td><td>entries with any of these tags</td></tr>
 * <tr><td>{@code Komainu-Purge: prefix}</td><td>every URL with this prefix</td></tr>
 * <tr><td>{@code Komainu-Soft-Purge: 1}</td><td>entries become stale instead of dropped</td></tr>
 * </table>
 */
final class PurgeRequest {

    /** The response to a PURGE request. */
    record Response(int status, String message) {}

    private PurgeRequest() {}

    static Response execute(Purger purger, Fields fields, CacheKey key) {
        String kind = fields.joined("komainu-purge");
        String soft = fields.joined("komainu-soft-purge");
        if (kind != null && !kind.equalsIgnoreCase("prefix") && !kind.equalsIgnoreCase("url")) {
            return new Response(400, "Komainu-Purge: " + kind + " (expected: url or prefix)");
        }
        if (soft != null && !soft.equals("1") && !soft.equals("0")) {
            return new Response(400, "Komainu-Soft-Purge: " + soft + " (expected: 1 or 0)");
        }
        PurgeOrder.Target target;
        try {
            target = target(fields, kind, key);
        } catch (IllegalArgumentException e) {
            return new Response(400, String.valueOf(e.getMessage()));
        }
        PurgeOrder order = new PurgeOrder(target, "1".equals(soft), false);
        if (!purger.isShort(order)) {
            return purger.carryOutLater(order)
                    ? new Response(202, "Purging")
                    : new Response(503, "Too many purges are queued");
        }
        PurgeReport report = purger.carryOut(order);
        if (target instanceof PurgeOrder.Uri && report.matched() == 0 && !purger.isPropagated()) {
            return new Response(404, "Not in the cache");
        }
        return new Response(200, "Purged: " + report.purged());
    }

    private static PurgeOrder.Target target(Fields fields, @Nullable String kind, CacheKey key) {
        List<String> tags =
                Labels.tags(fields.joined(Field.SURROGATE_KEY), fields.joined(Field.CACHE_TAG));
        if (!tags.isEmpty()) {
            return PurgeOrder.tags(tags);
        }
        if (fields.hasAny(Labels.FIELDS)) {
            throw new IllegalArgumentException("Surrogate-Key: no tag (expected: at least one)");
        }
        return kind != null && kind.equalsIgnoreCase("prefix")
                ? new PurgeOrder.Prefix(key.toString())
                : new PurgeOrder.Uri(key);
    }
}
