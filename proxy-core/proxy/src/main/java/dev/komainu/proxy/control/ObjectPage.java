package dev.komainu.proxy.control;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.caching.Freshness;
import dev.komainu.intermediary.caching.Labels;
import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.proxy.cache.CacheEntry;
import dev.komainu.proxy.cache.StoredRepresentation;
import dev.komainu.proxy.cache.VaryRule;
import dev.komainu.proxy.cache.tier.MemoryCache;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The page of one URL's stored responses. Thread-safe. */
final class ObjectPage {

    private static final int MAX_VARIANTS = 100;

    private final MemoryCache cache;
    private final ProxyClock clock;

    ObjectPage(MemoryCache cache, ProxyClock clock) {
        this.cache = cache;
        this.clock = clock;
    }

    /** Returns the page; null when nothing is stored for the URL. */
    @Nullable
    Map<String, @Nullable Object> of(CacheKey uri, UrlQueries queries) {
        CacheEntry entry = cache.get(uri);
        VaryRule rule = entry instanceof VaryRule found ? found : null;
        List<StoredRepresentation> variants = new ArrayList<>();
        if (entry instanceof StoredRepresentation only) {
            variants.add(only);
        } else if (rule != null) {
            for (StoredRepresentation variant : cache.tags().responsesWith(Labels.variantOf(uri))) {
                if (rule.owns(variant.key())) {
                    variants.add(variant);
                }
            }
        }
        if (variants.isEmpty()) {
            return null;
        }
        List<Map<String, @Nullable Object>> variantMembers = new ArrayList<>();
        for (StoredRepresentation variant :
                variants.subList(0, Math.min(MAX_VARIANTS, variants.size()))) {
            variantMembers.add(variant(variant, rule, queries));
        }
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("url", uri.toString());
        members.put("vary", rule == null ? null : rule.names());
        members.put("truncated", variants.size() > MAX_VARIANTS);
        members.put("variants", variantMembers);
        return members;
    }

    private Map<String, @Nullable Object> variant(
            StoredRepresentation stored, @Nullable VaryRule rule, UrlQueries queries) {
        long now = clock.steadyMillis();
        Freshness freshness = stored.freshness();
        long left = freshness.leftSeconds(now);
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("status", stored.status());
        members.put("selectedBy", rule == null ? null : rule.selectedBy(stored.key()));
        members.put("bodyBytes", stored.bodyLength());
        members.put("weightBytes", stored.weight());
        members.put("hits", stored.hits());
        members.put("ageSeconds", freshness.ageSeconds(now));
        members.put("freshSeconds", left);
        members.put(
                "state", freshness.alwaysValidate() ? "validate" : left > 0 ? "fresh" : "stale");
        members.put(
                "storedMicros",
                (clock.wallMillis() - Math.max(0, now - freshness.arrivedMillis())) * 1000);
        members.put("etag", stored.etag());
        members.put("lastModified", stored.lastModified());
        members.put("tags", stored.labels().stream().filter(Labels::isTag).toList());
        members.put(
                "groups",
                stored.labels().stream()
                        .filter(Labels::isGroup)
                        .map(Labels::groupName)
                        .toList());
        members.put("head", fields(stored.head(), queries));
        return members;
    }

    /** Returns names and values as served, without cookies, which are confidential. */
    private static List<List<String>> fields(byte @Nullable [] head, UrlQueries queries) {
        List<List<String>> fields = new ArrayList<>();
        if (head == null) {
            return fields;
        }
        String[] lines = new String(head, StandardCharsets.ISO_8859_1).split("\r\n");
        for (int i = 1; i < lines.length; i++) {
            int colon = lines[i].indexOf(':');
            if (colon > 0) {
                String name = lines[i].substring(0, colon);
                boolean cookie = name.equalsIgnoreCase("set-cookie");
                fields.add(List.of(
                        name,
                        cookie
                                ? "(not shown)"
                                : queries.ofText(lines[i].substring(colon + 1).strip())));
            }
        }
        return fields;
    }
}
