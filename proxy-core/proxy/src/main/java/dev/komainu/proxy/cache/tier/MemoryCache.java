package dev.komainu.proxy.cache.tier;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.proxy.cache.CacheEntry;
import dev.komainu.proxy.cache.CachePolicy;
import dev.komainu.proxy.cache.CacheSettings;
import dev.komainu.proxy.cache.HitForMiss;
import dev.komainu.proxy.cache.PartitionSettings;
import dev.komainu.proxy.cache.StoredHead;
import dev.komainu.proxy.cache.StoredParts;
import dev.komainu.proxy.cache.StoredRepresentation;
import dev.komainu.proxy.cache.StoredResponse;
import dev.komainu.proxy.cache.TagIndex;
import dev.komainu.proxy.cache.VaryRule;
import dev.komainu.proxy.cache.memory.BodyMemory;
import dev.komainu.proxy.cache.memory.SlabBuffer;
import dev.komainu.proxy.cache.partition.CacheEntries;
import dev.komainu.proxy.cache.partition.PartitionFigures;
import dev.komainu.proxy.cache.partition.PartitionedEntries;
import io.netty.buffer.ByteBuf;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiPredicate;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The stored responses of all event loops, within one fixed limit of bytes (spec section 1).
 *
 * <pre>
 *   memoryBytes = | {@link BodyMemory}: bodies stored, being received or still being sent, heads, and the gaps between them, 7/8 |
 *                 | heap: keys, labels, the map's nodes and every small object of an entry, 1/8                          |
 * </pre>
 *
 * Neither part can borrow from the other, because memory once obtained from the system is never
 * given back. The limit therefore holds for any sizes in any order. Objects of less than about 2.5
 * KB on average fill the heap's part first. The policy's own maximum follows the mixture of
 * objects, so that the policy selects the entries to evict before a part is full; a burst of new
 * objects evicts the coldest entries. Thread-safe; a hit takes no lock (with
 * {@link CachePolicy#LRU}: waits for none).
 */
public final class MemoryCache {

    /** Number of entries between two readings of the clock. */
    private static final int SLICE = 4096;

    private static final int ADJUST_EVERY = 1024;
    /**
     * Share of the parts to fill; the rest stays free for arriving objects, so that they need not
     * evict.
     */
    private static final double FILL = 0.98;
    /** Minimum length of a piece when a body is cut because no longer run is free. */
    private static final int SHORTEST_PIECE = 4096;

    private static final int RESETTLE_STEP = 64;
    private static final long RESETTLE_PAUSE_NANOS = 100_000;

    private volatile CacheSettings settings;
    private final BodyMemory memory;
    /** Limit of the entries' heap bytes. */
    private final long heapBudget;

    private final PartitionedEntries entries;
    /** True while a thread moves entries to their pools. */
    private final AtomicBoolean resettling = new AtomicBoolean();

    private final LongAdder evictions = new LongAdder();
    private final LongAdder noRoom = new LongAdder();
    /**
     * Bytes in runs of stored bodies; a response renewed by validation counts twice for an instant.
     */
    private final LongAdder bodies = new LongAdder();
    /**
     * Number of stored responses and sets of parts, without marks and rules. A replacement counts
     * twice for an instant.
     */
    private final LongAdder objects = new LongAdder();

    private final AtomicLong generations = new AtomicLong();
    private final TagIndex tags = new TagIndex();
    private final PurgeTimestamps purgeTimestamps = new PurgeTimestamps();
    /** Heap bytes of all entries, as charged. */
    private final AtomicLong heap = new AtomicLong();

    private final AtomicLong puts = new AtomicLong();
    /** Set before the first request; null: evicted entries are lost. */
    private volatile @Nullable EvictionListener evictionListener;

    public MemoryCache(CacheSettings settings) {
        this.settings = settings;
        this.memory = new BodyMemory(settings.memoryBytes() / 8 * 7);
        // Never more than a JVM with a small heap can provide, whatever the limit.
        this.heapBudget =
                Math.min(settings.memoryBytes() / 8, Runtime.getRuntime().maxMemory() / 2);
        CacheEntries.RemovalListener removalListener = new CacheEntries.RemovalListener() {
            @Override
            public void onRemoval(CacheKey key, CacheEntry entry, boolean evicted) {
                onRemoved(entry, evicted);
            }

            @Override
            public void onEviction(CacheKey key, CacheEntry entry) {
                EvictionListener listener = evictionListener;
                if (listener != null && entry instanceof StoredResponse complete) {
                    listener.onEviction(complete);
                } else if (listener != null && entry instanceof VaryRule rule) {
                    listener.onEviction(key, rule);
                }
            }
        };
        this.entries = new PartitionedEntries(
                settings.policy(),
                settings.partition(),
                settings.maxObjectBytes(),
                memory.capacity(),
                removalListener);
    }

    /** Sets the receiver of evicted entries. */
    public void setEvictionListener(EvictionListener listener) {
        evictionListener = listener;
    }

    private void onOutdated(CacheKey key, @Nullable StoredRepresentation newer) {
        EvictionListener listener = evictionListener;
        if (listener != null) {
            listener.onOutdated(key, newer);
        }
    }

    private void onRemoved(CacheEntry entry, boolean evicted) {
        if (evicted) {
            evictions.increment();
        }
        heap.addAndGet(-entry.heapBytes());
        if (entry instanceof StoredRepresentation stored) {
            uncount(stored);
            stored.release();
        }
    }

    /** Counts a response that is about to be put; {@link #uncount} reverts it. */
    private void count(StoredRepresentation stored) {
        tags.add(stored);
        bodies.add(stored.runBytes());
        objects.increment();
    }

    private void uncount(StoredRepresentation stored) {
        tags.remove(stored);
        bodies.add(-stored.runBytes());
        objects.decrement();
    }

    /** Charges for an entry that is about to be put; its removal reverts the charge. */
    private <E extends CacheEntry> E charged(E entry) {
        heap.addAndGet(entry.heapBytes());
        return entry;
    }

    /**
     * Evicts entries after a put until the heap bytes are within their part. Never called within a
     * computation of the map.
     */
    private void enforceHeapBudget(CacheKey newKey) {
        for (int tries = 0; heap.get() > heapBudget && tries < 8; tries++) {
            if (!evictColdest(Math.max(64 * 1024, heap.get() - heapBudget), newKey)) {
                break;
            }
        }
        if (puts.incrementAndGet() % ADJUST_EVERY == 0) {
            adjust();
        }
    }

    /**
     * Sets the policy's maximum to the weight that the parts can hold of the present mixture of
     * objects.
     */
    private void adjust() {
        EvictionListener listener = evictionListener;
        long bodyBudget = memory.capacity()
                - (listener == null
                        ? 0
                        : Math.min(listener.maxRetainedBytes(), memory.capacity() / 2));
        entries.maximum(fittingWeight(
                entries.weight(), heap.get(), bodyBudget, heapBudget, settings.memoryBytes()));
    }

    /**
     * Returns the weight at which one of the parts is full, if new objects are like the stored
     * ones. Never near 0: an empty cache provides no information on the mixture, and with a maximum
     * of 0 it would stay empty.
     */
    static long fittingWeight(
            long weight, long heapNow, long bodyBudget, long heapBudget, long cap) {
        long onHeap = Math.max(1, heapNow);
        long runs = Math.max(1, weight - onHeap);
        double factor = Math.min((double) bodyBudget / runs, (double) heapBudget / onHeap) * FILL;
        return Math.clamp((long) (weight * factor), bodyBudget / 16, cap);
    }

    private boolean evictColdest(long bytes, @Nullable CacheKey newKey) {
        int dropped =
                newKey == null ? entries.dropColdest(bytes) : entries.dropColdest(bytes, newKey);
        evictions.add(dropped);
        return dropped > 0;
    }

    public CacheSettings settings() {
        return settings;
    }

    /** Applies other settings; the limit stays as at the start. Thread-safe. */
    public synchronized void reload(CacheSettings next) {
        if (next.memoryBytes() != settings.memoryBytes()) {
            throw new IllegalArgumentException("cache.memory: " + next.memoryBytes()
                    + " (expected: " + settings.memoryBytes() + ", as at the start)");
        }
        boolean changed = !next.partition().equals(settings.partition())
                || next.maxObjectBytes() != settings.maxObjectBytes();
        settings = next;
        if (changed && entries.reload(next.partition(), next.maxObjectBytes())) {
            resettle();
        }
    }

    /** Applies another partition. Returns the settings now in force. */
    public synchronized CacheSettings divide(PartitionSettings next) {
        reload(settings.withPartition(next));
        return settings;
    }

    /**
     * Starts a thread that moves entries to their pools: some at a time, with a pause after each.
     */
    private void resettle() {
        if (resettling.compareAndSet(false, true)) {
            Thread.ofPlatform().name("komainu-pools").daemon().start(() -> {
                do {
                    while (!entries.resettle(RESETTLE_STEP)) {
                        LockSupport.parkNanos(RESETTLE_PAUSE_NANOS);
                    }
                    resettling.set(false);
                    // Other rules may have been applied between the last check and this.
                } while (!entries.isSettled() && resettling.compareAndSet(false, true));
            });
        }
    }

    /** Returns the current division of the cache. */
    public PartitionFigures partition() {
        return entries.figures();
    }

    /** Reports whether this key belongs to the protected pool. */
    public boolean isPriority(CacheKey key) {
        return entries.isPriority(key);
    }

    /**
     * Reports whether the response to a request may be stored, before room is made for it. Called
     * once for each response: a second call with a rejected key admits it.
     *
     * @param uri its key, without the values that select a variant
     * @param bytes length of its body; less than 1: unknown
     */
    public boolean admits(CacheKey uri, long bytes) {
        return entries.admits(uri, Math.max(bytes, 1));
    }

    /** Returns the entry of a key. The key may be an event loop's scratch key. */
    public @Nullable CacheEntry get(CacheKey key) {
        return entries.get(key);
    }

    /**
     * Stores a response under its key, replacing the previous entry, unless it was purged while it
     * was being received.
     *
     * @param since {@link PurgeTimestamps#now} before the request to the origin
     * @param uri its key without the values that select a variant
     * @return false when the response is not kept; it is then released
     */
    public boolean put(StoredResponse response, long since, CacheKey uri, long steadyMillis) {
        count(response);
        entries.put(response.key(), charged(response));
        onOutdated(response.key(), response);
        enforceHeapBudget(response.key());
        return applyPurges(response, since, uri, steadyMillis);
    }

    /**
     * Stores an evicted response again ({@link EvictionListener}), unless it was replaced or purged
     * since. Takes over the cache's reference; the caller has one of its own.
     *
     * @param stillValid checked within the step that stores the response, so that no lookup finds,
     *     even for an instant, a response that may no longer be stored
     * @return the response now stored, with the caller's reference moved to it; null when none may
     *     be used
     */
    public @Nullable StoredResponse restore(
            StoredResponse response,
            long since,
            CacheKey uri,
            long steadyMillis,
            BooleanSupplier stillValid) {
        boolean[] stored = new boolean[1];
        entries.compute(response.key(), response.weight(), (key, before) -> {
            if (before instanceof StoredRepresentation
                    || before instanceof VaryRule
                    || purgeTimestamps.evaluate(since, uri, response)
                            == PurgeTimestamps.Verdict.DROP
                    || !stillValid.getAsBoolean()) {
                return before;
            }
            count(response);
            stored[0] = true;
            return charged(response);
        });
        enforceHeapBudget(response.key());
        if (stored[0]) {
            if (applyPurges(response, since, uri, steadyMillis)) {
                return response;
            }
            response.releaseRetained();
            return null;
        }
        response.discard();
        StoredResponse current =
                entries.get(response.key()) instanceof StoredResponse newer && newer.retain()
                        ? newer
                        : null;
        response.releaseRetained();
        return current;
    }

    /**
     * Stores a response like {@link #put}, but only in the place of {@code before}, unless that was
     * dropped or replaced meanwhile.
     */
    public void replace(
            StoredResponse before,
            StoredResponse updated,
            long since,
            CacheKey uri,
            long steadyMillis) {
        count(updated);
        if (entries.replace(before.key(), before, charged(updated))) {
            onOutdated(updated.key(), updated);
            applyPurges(updated, since, uri, steadyMillis);
        } else {
            uncount(updated);
            heap.addAndGet(-updated.heapBytes());
            updated.discard();
        }
        enforceHeapBudget(updated.key());
    }

    /**
     * Stores parts under their key, combined with the stored parts of the same object (RFC 9111
     * section 3.4), unless they were purged while they were being received. Takes over the parts'
     * references.
     */
    public void merge(StoredParts parts, long since, CacheKey uri, long steadyMillis) {
        StoredRepresentation[] merged = new StoredRepresentation[1];
        entries.compute(parts.key(), parts.weight(), (key, before) -> {
            if (before instanceof StoredResponse complete
                    && StoredParts.sameObject(parts.etag(), complete.etag())) {
                return complete;
            }
            StoredRepresentation now = before instanceof StoredParts storedParts
                    ? parts.combinedWith(storedParts, settings.maxObjectBytes())
                    : parts;
            count(now);
            merged[0] = now;
            return charged(now);
        });
        enforceHeapBudget(parts.key());
        if (merged[0] != parts) {
            parts.release();
        }
        if (merged[0] != null) {
            onOutdated(parts.key(), merged[0]);
            applyPurges(merged[0], since, uri, steadyMillis);
        }
    }

    private boolean applyPurges(
            StoredRepresentation response, long since, CacheKey uri, long steadyMillis) {
        PurgeTimestamps.Verdict verdict = purgeTimestamps.evaluate(since, uri, response);
        if (verdict == PurgeTimestamps.Verdict.SOFTEN) {
            response.soften(steadyMillis);
        } else if (verdict == PurgeTimestamps.Verdict.DROP) {
            invalidate(response);
        }
        return verdict != PurgeTimestamps.Verdict.DROP;
    }

    /**
     * Returns the rule for a URI's variants: the stored one when it has the same fields, else a new
     * one.
     */
    public VaryRule varyRule(CacheKey uri, List<String> names) {
        if (entries.get(uri) instanceof VaryRule rule && rule.names().equals(names)) {
            return rule;
        }
        int weight = StoredResponse.OVERHEAD + uri.footprint() + 48 * names.size();
        VaryRule rule = new VaryRule(names, generations.incrementAndGet(), weight);
        entries.put(uri, charged(rule));
        enforceHeapBudget(uri);
        return rule;
    }

    /**
     * Stores a hit-for-miss mark for a while ({@link CacheSettings#passMarkMillis}); a stored
     * response stays. A mark with more than half of its time left is not renewed: a busy URL would
     * otherwise write one with each response.
     */
    public void markPass(CacheKey key, long nowMillis) {
        long untilMillis = nowMillis + settings.passMarkMillis();
        if (entries.get(key) instanceof HitForMiss mark
                && mark.untilMillis() - nowMillis > settings.passMarkMillis() / 2) {
            return;
        }
        int weight = StoredResponse.OVERHEAD + key.footprint();
        entries.compute(
                key,
                weight,
                (k, before) -> before instanceof StoredRepresentation || before instanceof VaryRule
                        ? before
                        : charged(new HitForMiss(untilMillis, weight)));
        enforceHeapBudget(key);
    }

    /** Waits until the current writer of this key has finished. */
    public void awaitWriter(CacheKey key) {
        entries.compute(key, 0, (k, current) -> current);
    }

    /**
     * Drops the entry of a key; the variants of a {@link VaryRule} can then no longer be reached.
     *
     * @return the dropped entry
     */
    public @Nullable CacheEntry invalidate(CacheKey key) {
        CacheEntry dropped = entries.remove(key);
        onOutdated(key, null);
        return dropped;
    }

    /** Drops this response if it is still the stored one. */
    public boolean invalidate(StoredRepresentation response) {
        boolean dropped = entries.remove(response.key(), response);
        if (dropped) {
            onOutdated(response.key(), null);
        }
        return dropped;
    }

    /**
     * Drops the response under this key if it carries one of these labels.
     *
     * @return the dropped response
     */
    public @Nullable StoredRepresentation invalidate(CacheKey key, Collection<String> labels) {
        StoredRepresentation[] dropped = new StoredRepresentation[1];
        entries.compute(key, 0, (k, entry) -> {
            boolean matches = entry instanceof StoredRepresentation stored
                    && labels.stream().anyMatch(stored::carries);
            dropped[0] = matches ? (StoredRepresentation) entry : null;
            return matches ? null : entry;
        });
        if (dropped[0] != null) {
            onOutdated(key, null);
        }
        return dropped[0];
    }

    /**
     * Visits each entry whose key starts with {@code prefix}; entries added or removed meanwhile
     * may be missed. Takes no lock that an event loop waits for.
     *
     * @param visitor ends the walk by returning false
     * @param nanoTime deadline of the walk
     * @return whether the walk reached its end
     */
    public boolean walk(byte[] prefix, long nanoTime, BiPredicate<CacheKey, CacheEntry> visitor) {
        boolean[] completed = new boolean[1];
        entries.withoutMoves(() -> completed[0] = walkThrough(prefix, nanoTime, visitor));
        return completed[0];
    }

    @SuppressWarnings("ThreadPriorityCheck") // a hint is enough: the walk is correct without it
    private boolean walkThrough(
            byte[] prefix, long nanoTime, BiPredicate<CacheKey, CacheEntry> visitor) {
        int seen = 0;
        for (var entry : entries.all()) {
            if ((++seen & SLICE - 1) == 0) {
                // On a machine with few processors the event loops have precedence.
                Thread.yield();
                if (System.nanoTime() - nanoTime > 0) {
                    return false;
                }
            }
            if (entry.getKey().startsWith(prefix)
                    && !visitor.test(entry.getKey(), entry.getValue())) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns all entries, weakly consistent; takes no lock and counts as no use. For long
     * iterations in small steps.
     */
    public Iterator<Map.Entry<CacheKey, CacheEntry>> entries() {
        return entries.all().iterator();
    }

    public TagIndex tags() {
        return tags;
    }

    public PurgeTimestamps purgeTimestamps() {
        return purgeTimestamps;
    }

    /**
     * Allocates a run for a body or a part of it; evicts entries when none is free.
     *
     * @return an empty buffer with one reference, of so many bytes or, when no run of this length
     *     is free, of fewer: the caller then allocates the rest; null when even eviction did not
     *     help (counted)
     */
    public @Nullable ByteBuf allocate(int bytes) {
        return allocate(bytes, 0, SHORTEST_PIECE, null);
    }

    /**
     * Allocates a run like {@link #allocate(int)}, if possible with so many bytes behind it for the
     * head ({@link #head}).
     */
    public @Nullable ByteBuf allocate(int bytes, int behind) {
        return allocate(bytes, behind, SHORTEST_PIECE, null);
    }

    /** Allocates a run for a response under this key: its pool may have to make the room. */
    public @Nullable ByteBuf allocate(int bytes, int behind, CacheKey newKey) {
        return allocate(bytes, behind, SHORTEST_PIECE, newKey);
    }

    /**
     * Allocates a run.
     *
     * @param shortest minimum length of a piece; a shorter body is not cut
     */
    private @Nullable ByteBuf allocate(
            int bytes, int behind, int shortest, @Nullable CacheKey newKey) {
        ByteBuf run = tryAllocate(bytes, behind, shortest, 0);
        for (int tries = 0; run == null && tries < 8; tries++) {
            if (!evictColdest(Math.max(2L * (bytes + behind), 64 * 1024), newKey)) {
                break;
            }
            run = tryAllocate(bytes, behind, shortest, tries);
        }
        if (run == null) {
            noRoom.increment();
        }
        return run;
    }

    /**
     * Allocates the complete length in one run, or else a piece, which may be shorter after each
     * eviction without success.
     */
    private @Nullable ByteBuf tryAllocate(int bytes, int behind, int shortest, int tries) {
        ByteBuf complete = memory.allocate(bytes, behind);
        return complete == null && bytes > shortest
                ? memory.allocateLongest(Math.max(shortest, bytes >> (3 + tries)), bytes)
                : complete;
    }

    /**
     * Stores a head and its validators outside the heap: behind a complete body when its run has
     * room, else in a run of their own.
     *
     * @param last the body's last run with nothing behind it yet; null for a body stored before, or
     *     none
     * @return the head with one reference; null when there is no room (counted)
     */
    public @Nullable StoredHead head(
            @Nullable ByteBuf last,
            byte[] encoded,
            @Nullable String etag,
            @Nullable String lastModified) {
        StoredHead behindBody =
                last == null ? null : StoredHead.behindBody(last, encoded, etag, lastModified);
        if (behindBody != null) {
            return behindBody;
        }
        ByteBuf run =
                allocate(StoredHead.bytes(encoded, etag, lastModified), 0, Integer.MAX_VALUE, null);
        return run instanceof SlabBuffer slabRun
                ? StoredHead.inOwnRun(slabRun, encoded, etag, lastModified)
                : null;
    }

    public BodyMemory memory() {
        return memory;
    }

    /**
     * Returns the bytes now accounted for: runs in use, also by readers of evicted responses, and
     * the entries' heap.
     */
    public long bytes() {
        return memory.used() + heap.get();
    }

    /** Returns the bytes of these on the heap. */
    public long heapBytes() {
        return heap.get();
    }

    /** Returns the same bytes by use. */
    public CacheBytes parts() {
        long stored = Math.max(0, bodies.sum());
        return new CacheBytes(stored, heap.get(), Math.max(0, memory.used() - stored));
    }

    /** Returns the number of stored responses; the stored parts of one object count as one. */
    public long objects() {
        return Math.max(0, objects.sum());
    }

    /** Returns the number of entries evicted for room, since the start. */
    public long evictions() {
        return evictions.sum();
    }

    /** Returns the number of objects not stored because there was no room. */
    public long noRoom() {
        return noRoom.sum();
    }

    /** Drops all entries. */
    public void clear() {
        entries.dropAll();
    }
}
