package dev.komainu.proxy.fetch;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.caching.Labels;
import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.intermediary.message.Field;
import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.message.ResponseHead;
import dev.komainu.intermediary.message.TargetedControl;
import dev.komainu.proxy.cache.StoredHead;
import dev.komainu.proxy.cache.StoredParts;
import dev.komainu.proxy.cache.StoredRepresentation;
import dev.komainu.proxy.cache.StoredResponse;
import dev.komainu.proxy.cache.tier.MemoryCache;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The update of a stored response by a response without a body: a 304, or the response to HEAD. */
final class ValidationResult {

    private ValidationResult() {}

    /**
     * Returns the stored response, freshened by a 304 (RFC 9111 section 4.3.4).
     *
     * @return null when the 304 does not validate this response, or the response was dropped
     */
    static @Nullable StoredResponse of(
            MemoryCache cache,
            ProxyClock clock,
            StoredResponse stale,
            ResponseHead confirmation,
            long requestWallMillis) {
        String etag = confirmation.fields().first(Field.ETAG);
        if (etag != null && stale.etag() != null && !etag.equals(stale.etag())) {
            return null;
        }
        FreshenedHead renewed = FreshenedHead.of(
                cache.settings(),
                clock,
                stale.head(),
                stale.status() == 204 ? -1 : stale.bodyLength(),
                confirmation,
                requestWallMillis);
        if (renewed == null) {
            return null;
        }
        Fields fields = renewed.head().fields();
        // The memory of the old head, behind the body, may still be read.
        StoredHead head = cache.head(
                null,
                renewed.encoded(),
                fields.first(Field.ETAG),
                fields.first(Field.LAST_MODIFIED));
        return head == null
                ? null
                : stale.refreshed(head, renewed.freshness(), labels(stale, confirmation.fields()));
    }

    /**
     * Returns the labels after an update. New tags replace the old tags, and new groups the old
     * groups; labels of a kind that the update does not mention stay.
     */
    static List<String> labels(StoredRepresentation stale, Fields update) {
        List<String> previous = stale.labels();
        boolean tags = update.hasAny(Labels.FIELDS);
        boolean groups = update.joined("cache-groups") != null;
        if (!tags && !groups) {
            return previous;
        }
        List<String> updated =
                new ArrayList<>(Labels.of(update, CacheKey.of(stale.key().uri())));
        for (String label : previous) {
            boolean replaced = (Labels.isTag(label) && tags) || (Labels.isGroup(label) && groups);
            if (!replaced && !updated.contains(label)) {
                updated.add(label);
            }
        }
        return updated;
    }

    /**
     * Updates the stored response to GET by a response to HEAD (RFC 9111 section 4.3.5): the same
     * response is freshened; one that differs, or was dropped, is invalidated. An error of the
     * origin changes nothing.
     */
    static void updateFromHead(
            MemoryCache cache,
            ProxyClock clock,
            FetchPlan plan,
            ResponseHead head,
            long requestWallMillis,
            long since) {
        StoredResponse known = plan.known();
        if (head.status() >= 500 || head.status() < 200) {
            return;
        }
        if (known == null) {
            boolean other = cache.get(plan.key()) instanceof StoredParts parts
                    && !(head.status() == 200
                            && Objects.equals(head.fields().first(Field.ETAG), parts.etag())
                            && (head.contentLength() < 0
                                    || head.contentLength() == parts.bodyLength()));
            if (other) {
                cache.invalidate(plan.key());
            }
            return;
        }
        Fields fields = head.fields();
        boolean same = head.status() == known.status()
                && Objects.equals(fields.first(Field.ETAG), known.etag())
                && Objects.equals(fields.first(Field.LAST_MODIFIED), known.lastModified())
                && (head.contentLength() < 0 || head.contentLength() == known.bodyLength())
                && !TargetedControl.of(fields, cache.settings().targets()).noStore;
        StoredResponse fresh = same ? of(cache, clock, known, head, requestWallMillis) : null;
        if (fresh != null) {
            cache.replace(known, fresh, since, plan.uri(), clock.steadyMillis());
        } else if (!same) {
            cache.invalidate(known);
        }
    }
}
