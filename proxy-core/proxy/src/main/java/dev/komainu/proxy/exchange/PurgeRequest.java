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
 * PURGE as it comes to the data port, which has no body: its fields tell what is meant.
 *
 * <table><caption>Fields</caption>
 * <tr><td>none</td><td>the request's URL</td></tr>
 * <tr><td>{@code Surrogate-Key}, {@code Cache-Tag}</td><td>what carries any of these tags</td></tr>
 * <tr><td>{@code Komainu-Purge: prefix}</td><td>every URL that begins so</td></tr>
 * <tr><td>{@code Komainu-Soft-Purge: 1}</td><td>stale instead of dropped</td></tr>
 * </table>
 */
final class PurgeRequest {

    /** What its sender is told. */
    record Answer(int status, String message) {}

    private PurgeRequest() {}

    static Answer carryOut(Purger purger, Fields fields, CacheKey key) {
        String kind = fields.joined("komainu-purge");
        String softly = fields.joined("komainu-soft-purge");
        if (kind != null && !kind.equalsIgnoreCase("prefix") && !kind.equalsIgnoreCase("url")) {
            return new Answer(400, "Komainu-Purge: " + kind + " (expected: url or prefix)");
        }
        if (softly != null && !softly.equals("1") && !softly.equals("0")) {
            return new Answer(400, "Komainu-Soft-Purge: " + softly + " (expected: 1 or 0)");
        }
        PurgeOrder.Target target;
        try {
            target = target(fields, kind, key);
        } catch (IllegalArgumentException e) {
            return new Answer(400, String.valueOf(e.getMessage()));
        }
        PurgeOrder order = new PurgeOrder(target, "1".equals(softly), false);
        if (!purger.isShort(order)) {
            return purger.carryOutLater(order)
                    ? new Answer(202, "Purging")
                    : new Answer(503, "Too many purges wait already");
        }
        PurgeReport report = purger.carryOut(order);
        if (target instanceof PurgeOrder.Uri && report.matched() == 0 && !purger.isPropagated()) {
            return new Answer(404, "Not in the cache");
        }
        return new Answer(200, "Purged: " + report.purged());
    }

    private static PurgeOrder.Target target(Fields fields, @Nullable String kind, CacheKey key) {
        List<String> tags =
                Labels.tags(fields.joined(Field.SURROGATE_KEY), fields.joined(Field.CACHE_TAG));
        if (!tags.isEmpty()) {
            return PurgeOrder.tags(tags);
        }
        if (fields.hasAny(Labels.FIELDS)) {
            throw new IllegalArgumentException(
                    "Surrogate-Key: no tag in it (expected: one at least)");
        }
        return kind != null && kind.equalsIgnoreCase("prefix")
                ? new PurgeOrder.Prefix(key.toString())
                : new PurgeOrder.Uri(key);
    }
}
