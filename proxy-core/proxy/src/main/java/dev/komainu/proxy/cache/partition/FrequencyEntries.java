package dev.komainu.proxy.cache.partition;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Policy;
import com.github.benmanes.caffeine.cache.RemovalCause;
import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.proxy.cache.CacheEntry;
import dev.komainu.proxy.cache.CachePolicy;
import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Entries under {@link CachePolicy#W_TINYLFU}, by Caffeine. A hit takes no lock. */
final class FrequencyEntries implements CacheEntries {

    private final Cache<CacheKey, CacheEntry> entries;
    private final Policy.Eviction<CacheKey, CacheEntry> eviction;
    private final RemovalListener listener;

    FrequencyEntries(long maximum, RemovalListener listener) {
        this.listener = listener;
        // Maintenance runs on the calling loop: to wake a pool thread costs more than the work
        // (peers.md, 6).
        this.entries = Caffeine.newBuilder()
                .maximumWeight(maximum)
                .weigher((CacheKey key, CacheEntry entry) -> entry.weight())
                .executor(Runnable::run)
                .evictionListener(
                        (@Nullable CacheKey key,
                                @Nullable CacheEntry entry,
                                RemovalCause cause) -> {
                            if (key != null && entry != null) {
                                listener.onEviction(key, entry);
                            }
                        })
                .removalListener(
                        (@Nullable CacheKey key,
                                @Nullable CacheEntry entry,
                                RemovalCause cause) -> {
                            if (key != null && entry != null) {
                                listener.onRemoval(key, entry, cause == RemovalCause.SIZE);
                            }
                        })
                .build();
        this.eviction = entries.policy().eviction().orElseThrow();
    }

    @Override
    public @Nullable CacheEntry get(CacheKey key) {
        return entries.getIfPresent(key);
    }

    @Override
    public void put(CacheKey key, CacheEntry entry) {
        entries.put(key, entry);
    }

    @Override
    public boolean replace(CacheKey key, CacheEntry before, CacheEntry updated) {
        return entries.asMap().replace(key, before, updated);
    }

    @Override
    public void compute(
            CacheKey key,
            long expected,
            BiFunction<CacheKey, @Nullable CacheEntry, @Nullable CacheEntry> remapping) {
        entries.asMap().compute(key, remapping);
    }

    @Override
    public @Nullable CacheEntry remove(CacheKey key) {
        return entries.asMap().remove(key);
    }

    @Override
    public boolean remove(CacheKey key, CacheEntry entry) {
        return entries.asMap().remove(key, entry);
    }

    @Override
    public Iterable<Map.Entry<CacheKey, CacheEntry>> all() {
        return entries.asMap().entrySet();
    }

    @Override
    public int dropColdest(long weight) {
        Map<CacheKey, CacheEntry> coldest = eviction.coldestWeighted(weight);
        if (coldest.isEmpty()) {
            // The coldest entry alone exceeds the weight.
            coldest = eviction.coldest(1);
        }
        coldest.forEach((key, cold) -> entries.asMap().computeIfPresent(key, (k, current) -> {
            if (current != cold) {
                return current;
            }
            listener.onEviction(k, current);
            return null;
        }));
        return coldest.size();
    }

    @Override
    public void dropAll() {
        entries.invalidateAll();
        entries.cleanUp();
    }

    @Override
    public long weight() {
        return eviction.weightedSize().orElse(0);
    }

    @Override
    public void maximum(long weight) {
        eviction.setMaximum(weight);
    }

    @Override
    public long count() {
        return entries.estimatedSize();
    }
}
