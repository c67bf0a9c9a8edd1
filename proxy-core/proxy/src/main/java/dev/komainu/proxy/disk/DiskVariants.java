package dev.komainu.proxy.disk;

import dev.komainu.intermediary.caching.CacheKey;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The variants of each URI on the disk, and the names of the fields that select among them, so that
 * a purge of the URI reaches its variants. Stored by hash. Thread-safe.
 */
final class DiskVariants {

    private record UriVariants(String names, long[] hashes) {}

    private final ConcurrentHashMap<Long, UriVariants> byUri = new ConcurrentHashMap<>();

    /**
     * Reports whether this is the URI's rule. False when the rule differs or is not yet written.
     */
    boolean isRule(CacheKey uri, List<String> names) {
        UriVariants known = byUri.get(uri.longHash());
        return known != null && known.names.equals(String.join(",", names));
    }

    void rule(CacheKey uri, List<String> names) {
        String joined = String.join(",", names);
        byUri.merge(
                uri.longHash(),
                new UriVariants(joined, new long[0]),
                (known, fresh) -> new UriVariants(joined, known.hashes));
    }

    /**
     * Adds a variant.
     *
     * @param variant hash of its name
     */
    void add(CacheKey uri, long variant) {
        byUri.merge(uri.longHash(), new UriVariants("", new long[] {variant}), (known, added) -> {
            for (long hash : known.hashes) {
                if (hash == variant) {
                    return known;
                }
            }
            long[] extended = Arrays.copyOf(known.hashes, known.hashes.length + 1);
            extended[known.hashes.length] = variant;
            return new UriVariants(known.names, extended);
        });
    }

    long[] hashesOf(CacheKey uri) {
        UriVariants known = byUri.get(uri.longHash());
        return known == null ? new long[0] : known.hashes;
    }

    void remove(CacheKey uri) {
        byUri.remove(uri.longHash());
    }

    /** Removes variants that are no longer in the index, and URIs without variants. */
    void prune(DiskIndex index) {
        for (Long uri : byUri.keySet()) {
            byUri.computeIfPresent(uri, (hash, known) -> {
                long[] remaining = Arrays.stream(known.hashes)
                        .filter(variant -> index.find(variant) != null)
                        .toArray();
                return remaining.length == 0 ? null : new UriVariants(known.names, remaining);
            });
        }
    }
}
