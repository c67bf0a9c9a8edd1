package dev.komainu.proxy.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Policy;
import com.github.benmanes.caffeine.cache.RemovalCause;
import io.netty.buffer.ByteBuf;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The stored responses of all event loops, in one fixed budget of bytes (W-TinyLFU by Caffeine; spec section 1).
 *
 * <pre>
 *   memoryBytes  = | bodies: {@link BodyMemory}, 15/16 | slab tables and slack, 1/16 |
 *   Caffeine's maximum = 15/16 of the bodies' part: the rest is room for objects still arriving or still being sent
 * </pre>
 *
 * An entry's weight counts its runs, its head, its key and the map's node, so small objects cannot outgrow the budget on
 * the heap: the more the heap takes, the fewer runs are in use. Safe for all threads; a hit takes no lock.
 */
public final class MemoryCache {

    private final CacheSettings settings;
    private final BodyMemory memory;
    private final Cache<CacheKey, CacheEntry> entries;
    private final Policy.Eviction<CacheKey, CacheEntry> eviction;
    private final LongAdder evictions = new LongAdder();
    private final LongAdder noRoom = new LongAdder();
    private final AtomicLong generations = new AtomicLong();

    public MemoryCache(CacheSettings settings) {
        this.settings = settings;
        this.memory = new BodyMemory(settings.memoryBytes() / 16 * 15);
        // Maintenance on the calling loop: waking a pool thread costs more than the work (peers.md, 6).
        this.entries = Caffeine.newBuilder()
                .maximumWeight(memory.capacity() / 16 * 15)
                .weigher((CacheKey key, CacheEntry entry) -> entry.weight())
                .executor(Runnable::run)
                .removalListener(this::removed)
                .build();
        this.eviction = entries.policy().eviction().orElseThrow();
    }

    private void removed(@Nullable CacheKey key, @Nullable CacheEntry entry, RemovalCause cause) {
        if (cause == RemovalCause.SIZE) {
            evictions.increment();
        }
        if (entry instanceof StoredResponse stored) {
            stored.release();
        }
    }

    public CacheSettings settings() {
        return settings;
    }

    /** What the key leads to. The key may be a loop's scratch key. */
    public @Nullable CacheEntry get(CacheKey key) {
        return entries.getIfPresent(key);
    }

    /** Stores a response under its key, replacing what was there. */
    public void put(StoredResponse response) {
        entries.put(response.key(), response);
    }

    /** Stores {@code fresh} in the place of {@code before}, unless that was dropped or replaced meanwhile. */
    public void replace(StoredResponse before, StoredResponse fresh) {
        if (!entries.asMap().replace(before.key(), before, fresh)) {
            fresh.discard();
        }
    }

    /** The rule for a URI's variants: the one there when it names the same fields, else a new one. */
    public VaryRule varyRule(CacheKey uri, List<String> names) {
        if (entries.getIfPresent(uri) instanceof VaryRule rule && rule.names().equals(names)) {
            return rule;
        }
        int weight = StoredResponse.OVERHEAD + uri.footprint() + 48 * names.size();
        VaryRule rule = new VaryRule(names, generations.incrementAndGet(), weight);
        entries.put(uri, rule);
        return rule;
    }

    /** Remembers that waiting for this key is of no use before {@code untilMillis}; keeps what is stored. */
    public void markPass(CacheKey key, long untilMillis) {
        entries.asMap()
                .compute(
                        key,
                        (k, before) -> before instanceof StoredResponse || before instanceof VaryRule
                                ? before
                                : new PassMark(untilMillis, StoredResponse.OVERHEAD + k.footprint()));
    }

    /** Drops a URI, all its variants with it. @return whether something was there */
    public boolean invalidate(CacheKey key) {
        return entries.asMap().remove(key) != null;
    }

    /** Drops this very response if it is still the stored one. */
    public void invalidate(StoredResponse response) {
        entries.asMap().remove(response.key(), response);
    }

    /**
     * Drops what belongs to one of these groups of the origin that {@code any} is a URI of (RFC 9875 section 3). Looks at
     * every entry, because changes that name groups are rare and an index would cost each stored object.
     *
     * @return how many were dropped
     */
    public int invalidateGroups(CacheKey any, List<String> groups) {
        String origin = any.toString();
        String prefix = origin.substring(0, origin.indexOf('/') + 1);
        int dropped = 0;
        for (var entry : entries.asMap().entrySet()) {
            if (entry.getValue() instanceof StoredResponse stored
                    && !stored.groups().isEmpty()
                    && !Collections.disjoint(stored.groups(), groups)
                    && entry.getKey().toString().startsWith(prefix)
                    && entries.asMap().remove(entry.getKey(), stored)) {
                dropped++;
            }
        }
        return dropped;
    }

    /**
     * Room for a body: makes some when there is none.
     *
     * @return an empty buffer with one reference; absent when even eviction did not help (counted)
     */
    public @Nullable ByteBuf room(int bytes) {
        ByteBuf run = memory.take(bytes);
        for (int tries = 0; run == null && tries < 8; tries++) {
            var coldest =
                    eviction.coldestWeighted(Math.max(4L * bytes, 64 * 1024)).keySet();
            if (coldest.isEmpty()) {
                break;
            }
            entries.invalidateAll(coldest);
            evictions.add(coldest.size());
            run = memory.take(bytes);
        }
        if (run == null) {
            noRoom.increment();
        }
        return run;
    }

    public BodyMemory memory() {
        return memory;
    }

    /** Bytes accounted for now: weights of what is stored, or the runs in use where readers hold more than that. */
    public long bytes() {
        return Math.max(eviction.weightedSize().orElse(0), memory.used());
    }

    public long objects() {
        return entries.estimatedSize();
    }

    public long evictions() {
        return evictions.sum();
    }

    /** Objects not stored because there was no room. */
    public long noRoom() {
        return noRoom.sum();
    }

    /** Drops everything. */
    public void clear() {
        entries.invalidateAll();
        entries.cleanUp();
    }
}
