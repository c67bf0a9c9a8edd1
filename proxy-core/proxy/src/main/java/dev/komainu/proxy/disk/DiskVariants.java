package dev.komainu.proxy.disk;

import dev.komainu.intermediary.caching.CacheKey;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which variants of a URI lie on the disk, so that what concerns the URI reaches them; and by which
 * fields they are told apart. By hashes. Safe for all threads.
 */
final class DiskVariants {

    private record Known(String names, long[] hashes) {}

    private final ConcurrentHashMap<Long, Known> byUri = new ConcurrentHashMap<>();

    /** @return false when the URI's rule is another one, or not written yet */
    boolean isRule(CacheKey uri, List<String> names) {
        Known known = byUri.get(uri.longHash());
        return known != null && known.names.equals(String.join(",", names));
    }

    void rule(CacheKey uri, List<String> names) {
        String joined = String.join(",", names);
        byUri.merge(
                uri.longHash(),
                new Known(joined, new long[0]),
                (known, fresh) -> new Known(joined, known.hashes));
    }

    /** @param variant its name's hash */
    void add(CacheKey uri, long variant) {
        byUri.merge(uri.longHash(), new Known("", new long[] {variant}), (known, one) -> {
            for (long hash : known.hashes) {
                if (hash == variant) {
                    return known;
                }
            }
            long[] more = Arrays.copyOf(known.hashes, known.hashes.length + 1);
            more[known.hashes.length] = variant;
            return new Known(known.names, more);
        });
    }

    long[] of(CacheKey uri) {
        Known known = byUri.get(uri.longHash());
        return known == null ? new long[0] : known.hashes;
    }

    void forget(CacheKey uri) {
        byUri.remove(uri.longHash());
    }

    /** Lets go of variants that the index does not know any more, and of URIs that have none. */
    void prune(DiskIndex index) {
        for (Long uri : byUri.keySet()) {
            byUri.computeIfPresent(uri, (hash, known) -> {
                long[] left = Arrays.stream(known.hashes)
                        .filter(variant -> index.find(variant) != null)
                        .toArray();
                return left.length == 0 ? null : new Known(known.names, left);
            });
        }
    }
}
