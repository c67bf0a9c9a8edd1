package dev.komainu.proxy.control;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.intermediary.message.Ascii;
import dev.komainu.proxy.cache.CacheEntry;
import dev.komainu.proxy.cache.StoredRepresentation;
import dev.komainu.proxy.cache.tier.MemoryCache;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * One level of the stored responses, as a tree of hosts and path segments. Each request walks the
 * whole cache and keeps only totals, so no index has to be maintained. Not for event loops.
 */
final class ContentsTree {

    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final int MAX_CHILDREN = 100_000;

    /** The order of children: largest first, names ascending. */
    enum Sort {
        BYTES(Comparator.comparingLong((Child child) -> -child.bytes)),
        OBJECTS(Comparator.comparingLong((Child child) -> -child.objects)),
        HITS(Comparator.comparingLong((Child child) -> -child.hits)),
        NAME(Comparator.comparing((Child child) -> child.name));

        private final Comparator<Child> order;

        Sort(Comparator<Child> order) {
            this.order = order.thenComparing(child -> child.name);
        }

        /**
         * Parses a parameter.
         *
         * @throws IllegalArgumentException with the value and the expected ones
         */
        static Sort of(String text) {
            for (Sort sort : values()) {
                if (sort.name().toLowerCase(Locale.ROOT).equals(text)) {
                    return sort;
                }
            }
            throw new IllegalArgumentException(
                    "sort: " + text + " (expected: bytes, objects, hits or name)");
        }
    }

    /** A segment of the level, with the totals of all responses below it. */
    private static final class Child {
        private final String name;
        private boolean object;
        private long objects;
        private long bytes;
        private long hits;
        private long stale;
        private long oldestMillis = Long.MAX_VALUE;
        private long newestMillis = Long.MIN_VALUE;

        Child(String name) {
            this.name = name;
        }

        void add(StoredRepresentation stored, boolean isObject, long steadyMillis) {
            object |= isObject;
            objects++;
            bytes += stored.weight();
            hits += stored.hits();
            stale += stored.freshness().leftSeconds(steadyMillis) <= 0 ? 1 : 0;
            long arrived = stored.freshness().arrivedMillis();
            oldestMillis = Math.min(oldestMillis, arrived);
            newestMillis = Math.max(newestMillis, arrived);
        }

        Map<String, Object> members(String level, long steadyMillis) {
            Map<String, Object> members = new LinkedHashMap<>();
            members.put("name", name);
            members.put("prefix", level + name);
            members.put("object", object);
            members.put("objects", objects);
            members.put("bytes", bytes);
            members.put("hits", hits);
            members.put("stale", stale);
            members.put("oldestSeconds", Math.max(0, steadyMillis - oldestMillis) / 1000);
            members.put("newestSeconds", Math.max(0, steadyMillis - newestMillis) / 1000);
            return members;
        }
    }

    /** The results of one walk. */
    private final class Walk {
        private final int level;
        private final long steadyMillis = clock.steadyMillis();
        private final UrlQueries queries;
        private final CacheKey segment = new CacheKey();
        private final Map<CacheKey, Child> children = new HashMap<>();
        private long checked;

        Walk(int level, UrlQueries queries) {
            this.level = level;
            this.queries = queries;
        }

        boolean add(CacheKey key, CacheEntry entry) {
            if (entry instanceof StoredRepresentation stored) {
                checked++;
                boolean cut = segment.setSegment(key, level, queries == UrlQueries.SHOWN);
                Child child = children.get(segment);
                if (child == null) {
                    if (children.size() == MAX_CHILDREN) {
                        return false;
                    }
                    child = new Child(segment.toString());
                    children.put(segment.copy(), child);
                }
                boolean object = !cut && (!child.name.endsWith("/") || child.name.contains("?"));
                child.add(stored, object, steadyMillis);
            }
            return true;
        }
    }

    private final MemoryCache cache;
    private final ProxyClock clock;

    ContentsTree(MemoryCache cache, ProxyClock clock) {
        this.cache = cache;
        this.clock = clock;
    }

    /**
     * Returns one level.
     *
     * @param prefix in the form of keys, {@code host/path}; children start behind its last slash
     * @param from number of children to skip
     * @param queries whether children that differ only in their queries are told apart
     */
    Map<String, Object> level(String prefix, Sort sort, int limit, int from, UrlQueries queries) {
        long startNanos = System.nanoTime();
        String level = prefix.substring(0, prefix.lastIndexOf('/') + 1);
        Walk walk = new Walk(level.length(), queries);
        boolean complete = cache.walk(Ascii.bytes(prefix), startNanos + TIMEOUT_NANOS, walk::add);
        List<Child> children = new ArrayList<>(walk.children.values());
        children.sort(sort.order);
        int to = (int) Math.min(children.size(), (long) from + limit);
        List<Map<String, Object>> page = new ArrayList<>();
        for (Child child : children.subList(Math.min(from, to), to)) {
            page.add(child.members(level, walk.steadyMillis));
        }
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("prefix", prefix);
        members.put(
                "objects", children.stream().mapToLong(child -> child.objects).sum());
        members.put("bytes", children.stream().mapToLong(child -> child.bytes).sum());
        members.put("hits", children.stream().mapToLong(child -> child.hits).sum());
        members.put("looked", walk.checked);
        members.put("truncated", !complete);
        members.put("tookMicros", (System.nanoTime() - startNanos) / 1000);
        members.put("children", page);
        members.put("next", to < children.size() ? ContentsCursor.of(to) : null);
        return members;
    }
}
