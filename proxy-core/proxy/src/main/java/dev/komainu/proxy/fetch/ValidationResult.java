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

/** What an answer without a body teaches about what is stored: a 304, or the answer to HEAD. */
final class ValidationResult {

    private ValidationResult() {}

    /**
     * RFC 9111 section 4.3.4. @return absent when the 304 does not confirm this response, or it is
     * gone
     */
    static @Nullable StoredResponse of(
            MemoryCache cache,
            ProxyClock clock,
            StoredResponse stale,
            ResponseHead confirmation,
            long askedWallMillis) {
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
                askedWallMillis);
        if (renewed == null) {
            return null;
        }
        Fields fields = renewed.head().fields();
        // The old one's place behind the body may still be read.
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
     * What the origin says anew replaces what it said of that kind; tags and groups it does not
     * mention stay.
     */
    static List<String> labels(StoredRepresentation stale, Fields news) {
        List<String> before = stale.labels();
        boolean tags = news.hasAny(Labels.FIELDS);
        boolean groups = news.joined("cache-groups") != null;
        if (!tags && !groups) {
            return before;
        }
        List<String> after =
                new ArrayList<>(Labels.of(news, CacheKey.of(stale.key().uri())));
        for (String label : before) {
            boolean replaced = Labels.isTag(label) && tags || Labels.isGroup(label) && groups;
            if (!replaced && !after.contains(label)) {
                after.add(label);
            }
        }
        return after;
    }

    /**
     * What an answer to HEAD teaches about the stored answer to GET (RFC 9111 section 4.3.5): the
     * same one is freshened, one that differs, or that is gone, is dropped. An error of the origin
     * teaches nothing.
     */
    static void heard(
            MemoryCache cache,
            ProxyClock clock,
            FetchPlan plan,
            ResponseHead head,
            long askedWallMillis,
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
        StoredResponse fresh = same ? of(cache, clock, known, head, askedWallMillis) : null;
        if (fresh != null) {
            cache.replace(known, fresh, since, plan.uri(), clock.steadyMillis());
        } else if (!same) {
            cache.invalidate(known);
        }
    }
}
