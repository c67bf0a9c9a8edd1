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
 * The stored responses of all event loops, in one fixed budget of bytes (spec section 1).
 *
 * <pre>
 *   memoryBytes = | {@link BodyMemory}: bodies stored, arriving or still being sent, heads, and the gaps between them, 7/8 |
 *                 | heap: keys, labels, the map's nodes and every small object of an entry, 1/8                          |
 * </pre>
 *
 * Neither part can take from the other, because what one had once from the system it never gives
 * back: so the cap holds whatever sizes come in whatever order. Objects of less than some 2.5 KB on
 * average fill the heap's part first. The policy's own maximum follows the mixture, so that it,
 * which knows what is worth keeping, decides before a part is full; what comes in a rush evicts the
 * coldest. Safe for all threads; a hit takes no lock (with {@link CachePolicy#LRU}: waits for
 * none).
 */
public final class MemoryCache {

    /** Entries between two looks at the clock. */
    private static final int SLICE = 4096;

    private static final int ADJUST_EVERY = 1024;
    /** What is left free for objects arriving, so that they need not evict by themselves. */
    private static final double SLACK = 0.98;
    /** A body is cut into pieces no shorter than this when nothing longer is free. */
    private static final int SHORTEST_PIECE = 4096;

    private static final int SETTLED_AT_ONCE = 64;
    private static final long SETTLE_PAUSE_NANOS = 100_000;

    private volatile CacheSettings settings;
    private final BodyMemory memory;
    /** Most that entries may take of the heap. */
    private final long heapBudget;

    private final PartitionedEntries entries;
    /** Whether a thread brings entries to their pools. */
    private final AtomicBoolean resettling = new AtomicBoolean();

    private final LongAdder evictions = new LongAdder();
    private final LongAdder noRoom = new LongAdder();
    /** Runs of stored bodies; what a confirmation renews counts twice for an instant. */
    private final LongAdder bodies = new LongAdder();
    /**
     * Stored answers and sets of parts; marks and rules are none. What replaces another counts
     * twice for an instant.
     */
    private final LongAdder objects = new LongAdder();

    private final AtomicLong generations = new AtomicLong();
    private final TagIndex tags = new TagIndex();
    private final PurgeTimestamps stamps = new PurgeTimestamps();
    /** Heap bytes of all entries, by their own account. */
    private final AtomicLong heap = new AtomicLong();

    private final AtomicLong puts = new AtomicLong();
    /** Set before the first request; absent: what leaves is gone. */
    private volatile @Nullable EvictionListener overflow;

    public MemoryCache(CacheSettings settings) {
        this.settings = settings;
        this.memory = new BodyMemory(settings.memoryBytes() / 8 * 7);
        // Never more than a JVM with a small heap can bear, whatever the cap.
        this.heapBudget =
                Math.min(settings.memoryBytes() / 8, Runtime.getRuntime().maxMemory() / 2);
        CacheEntries.Farewell farewell = new CacheEntries.Farewell() {
            @Override
            public void left(CacheKey key, CacheEntry entry, boolean evicted) {
                MemoryCache.this.left(key, entry, evicted);
            }

            @Override
            public void leaving(CacheKey key, CacheEntry entry) {
                EvictionListener to = overflow;
                if (to != null && entry instanceof StoredResponse whole) {
                    to.leaving(whole);
                } else if (to != null && entry instanceof VaryRule rule) {
                    to.leaving(key, rule);
                }
            }
        };
        this.entries = new PartitionedEntries(
                settings.policy(),
                settings.partition(),
                settings.maxObjectBytes(),
                memory.capacity(),
                farewell);
    }

    /** What leaves for room goes there from now on. */
    public void overflowTo(EvictionListener to) {
        overflow = to;
    }

    private void outdated(CacheKey key, @Nullable StoredRepresentation newer) {
        EvictionListener to = overflow;
        if (to != null) {
            to.outdated(key, newer);
        }
    }

    private void left(CacheKey key, CacheEntry entry, boolean evicted) {
        if (evicted) {
            evictions.increment();
        }
        heap.addAndGet(-entry.heapBytes());
        if (entry instanceof StoredRepresentation stored) {
            strike(stored);
            stored.release();
        }
    }

    /** Notes what is about to be put; {@link #strike} takes it back. */
    private void file(StoredRepresentation stored) {
        tags.file(stored);
        bodies.add(stored.runBytes());
        objects.increment();
    }

    private void strike(StoredRepresentation stored) {
        tags.strike(stored);
        bodies.add(-stored.runBytes());
        objects.decrement();
    }

    /** Charges for an entry that is about to be put; its removal gives the charge back. */
    private <E extends CacheEntry> E charged(E entry) {
        heap.addAndGet(entry.heapBytes());
        return entry;
    }

    /**
     * After a put: sees to it that the heap's part holds. Never within a computation of the map.
     */
    private void holdParts(CacheKey newcomer) {
        for (int tries = 0; heap.get() > heapBudget && tries < 8; tries++) {
            if (!evictColdest(Math.max(64 * 1024, heap.get() - heapBudget), newcomer)) {
                break;
            }
        }
        if (puts.incrementAndGet() % ADJUST_EVERY == 0) {
            adjust();
        }
    }

    /** Sets the policy's maximum to what the parts can hold of the mixture that is stored now. */
    private void adjust() {
        EvictionListener to = overflow;
        long bodyBudget = memory.capacity()
                - (to == null ? 0 : Math.min(to.mostHeldBytes(), memory.capacity() / 2));
        entries.maximum(fitting(
                entries.weight(), heap.get(), bodyBudget, heapBudget, settings.memoryBytes()));
    }

    /**
     * The weight at which one of the parts is full, if all that comes is as what is stored. Never
     * down to nothing: an empty cache tells nothing of a mixture, and with a maximum of 0 it would
     * stay empty.
     */
    static long fitting(long weight, long heapNow, long bodyBudget, long heapBudget, long cap) {
        long onHeap = Math.max(1, heapNow);
        long runs = Math.max(1, weight - onHeap);
        double fits = Math.min((double) bodyBudget / runs, (double) heapBudget / onHeap) * SLACK;
        return Math.clamp((long) (weight * fits), bodyBudget / 16, cap);
    }

    private boolean evictColdest(long bytes, @Nullable CacheKey newcomer) {
        int dropped = newcomer == null
                ? entries.dropColdest(bytes)
                : entries.dropColdest(bytes, newcomer);
        evictions.add(dropped);
        return dropped > 0;
    }

    public CacheSettings settings() {
        return settings;
    }

    /** Other rules from now on; the cap stays as it was at the start. Any thread. */
    public synchronized void ruleBy(CacheSettings next) {
        if (next.memoryBytes() != settings.memoryBytes()) {
            throw new IllegalArgumentException("cache.memory: " + next.memoryBytes()
                    + " (expected: " + settings.memoryBytes() + ", as at the start)");
        }
        boolean otherwise = !next.partition().equals(settings.partition())
                || next.maxObjectBytes() != settings.maxObjectBytes();
        settings = next;
        if (otherwise && entries.rule(next.partition(), next.maxObjectBytes())) {
            resettle();
        }
    }

    /** The same with the cache divided otherwise. @return the rules now in force */
    public synchronized CacheSettings divide(PartitionSettings next) {
        ruleBy(settings.divided(next));
        return settings;
    }

    /** Brings entries to their pools beside the loops: some at a time, and then it gives way. */
    private void resettle() {
        if (resettling.compareAndSet(false, true)) {
            Thread.ofPlatform().name("komainu-pools").daemon().start(() -> {
                do {
                    while (!entries.resettle(SETTLED_AT_ONCE)) {
                        LockSupport.parkNanos(SETTLE_PAUSE_NANOS);
                    }
                    resettling.set(false);
                    // Other rules may have come between the last look and this.
                } while (!entries.isSettled() && resettling.compareAndSet(false, true));
            });
        }
    }

    /** How the cache is divided now. */
    public PartitionFigures partition() {
        return entries.figures();
    }

    /** Whether what is stored under this key belongs to the protected pool. */
    public boolean isPriority(CacheKey key) {
        return entries.isPriority(key);
    }

    /**
     * Whether an answer to a request may be stored, before room is made for it. Asked once for each
     * answer: who asks again under a key that was turned away is admitted.
     *
     * @param uri its key, or without what selects a variant
     * @param bytes of its body; less than 1: not known
     */
    public boolean admits(CacheKey uri, long bytes) {
        return entries.admits(uri, Math.max(bytes, 1));
    }

    /** What the key leads to. The key may be a loop's scratch key. */
    public @Nullable CacheEntry get(CacheKey key) {
        return entries.get(key);
    }

    /**
     * Stores a response under its key, replacing what was there, unless it was purged while it was
     * on its way.
     *
     * @param since {@link PurgeTimestamps#now} before the origin was asked
     * @param uri its key without what selects a variant
     * @return false when it is not kept; it is given up then
     */
    public boolean put(StoredResponse response, long since, CacheKey uri, long steadyMillis) {
        file(response);
        entries.put(response.key(), charged(response));
        outdated(response.key(), response);
        holdParts(response.key());
        return settle(response, since, uri, steadyMillis);
    }

    /**
     * Stores again what had left ({@link EvictionListener}), unless something came in its place, or
     * it was purged since. Takes over the cache's reference; the caller has one of its own.
     *
     * @param still asked within the step that stores it: nobody finds for an instant what may not
     *     be stored any more
     * @return what is there now, which the caller holds as it held the response; absent when
     *     nothing may be used of it
     */
    public @Nullable StoredResponse restore(
            StoredResponse response,
            long since,
            CacheKey uri,
            long steadyMillis,
            BooleanSupplier still) {
        boolean[] in = new boolean[1];
        entries.compute(response.key(), response.weight(), (key, before) -> {
            if (before instanceof StoredRepresentation
                    || before instanceof VaryRule
                    || stamps.judge(since, uri, response) == PurgeTimestamps.Verdict.DROP
                    || !still.getAsBoolean()) {
                return before;
            }
            file(response);
            in[0] = true;
            return charged(response);
        });
        holdParts(response.key());
        if (in[0]) {
            if (settle(response, since, uri, steadyMillis)) {
                return response;
            }
            response.letGo();
            return null;
        }
        response.discard();
        StoredResponse there =
                entries.get(response.key()) instanceof StoredResponse newer && newer.hold()
                        ? newer
                        : null;
        response.letGo();
        return there;
    }

    /**
     * As {@link #put}, in the place of {@code before} only, unless that was dropped or replaced
     * meanwhile.
     */
    public void replace(
            StoredResponse before,
            StoredResponse fresh,
            long since,
            CacheKey uri,
            long steadyMillis) {
        file(fresh);
        if (entries.replace(before.key(), before, charged(fresh))) {
            outdated(fresh.key(), fresh);
            settle(fresh, since, uri, steadyMillis);
        } else {
            strike(fresh);
            heap.addAndGet(-fresh.heapBytes());
            fresh.discard();
        }
        holdParts(fresh.key());
    }

    /**
     * Stores parts under their key, with what is held already of the same object (RFC 9111 section
     * 3.4), unless they were purged while they were on their way. Takes over the parts' references.
     */
    public void merge(StoredParts parts, long since, CacheKey uri, long steadyMillis) {
        StoredRepresentation[] made = new StoredRepresentation[1];
        entries.compute(parts.key(), parts.weight(), (key, before) -> {
            if (before instanceof StoredResponse whole
                    && StoredParts.sameObject(parts.etag(), whole.etag())) {
                return whole;
            }
            StoredRepresentation now = before instanceof StoredParts held
                    ? parts.combinedWith(held, settings.maxObjectBytes())
                    : parts;
            file(now);
            made[0] = now;
            return charged(now);
        });
        holdParts(parts.key());
        if (made[0] != parts) {
            parts.release();
        }
        if (made[0] != null) {
            outdated(parts.key(), made[0]);
            settle(made[0], since, uri, steadyMillis);
        }
    }

    private boolean settle(
            StoredRepresentation response, long since, CacheKey uri, long steadyMillis) {
        PurgeTimestamps.Verdict verdict = stamps.judge(since, uri, response);
        if (verdict == PurgeTimestamps.Verdict.SOFTEN) {
            response.soften(steadyMillis);
        } else if (verdict == PurgeTimestamps.Verdict.DROP) {
            invalidate(response);
        }
        return verdict != PurgeTimestamps.Verdict.DROP;
    }

    /**
     * The rule for a URI's variants: the one there when it names the same fields, else a new one.
     */
    public VaryRule varyRule(CacheKey uri, List<String> names) {
        if (entries.get(uri) instanceof VaryRule rule && rule.names().equals(names)) {
            return rule;
        }
        int weight = StoredResponse.OVERHEAD + uri.footprint() + 48 * names.size();
        VaryRule rule = new VaryRule(names, generations.incrementAndGet(), weight);
        entries.put(uri, charged(rule));
        holdParts(uri);
        return rule;
    }

    /**
     * Remembers for a while ({@link CacheSettings#passMarkMillis}) that waiting for this key is of
     * no use; keeps what is stored. A mark that holds for half of that yet is left as it is: a busy
     * URL would write one with each answer.
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
        holdParts(key);
    }

    /** Returns when whoever is storing something under this key is through. */
    public void await(CacheKey key) {
        entries.compute(key, 0, (k, there) -> there);
    }

    /**
     * Drops what the key leads to; a {@link VaryRule}'s variants cannot be reached any
     * more. @return what was there
     */
    public @Nullable CacheEntry invalidate(CacheKey key) {
        CacheEntry dropped = entries.remove(key);
        outdated(key, null);
        return dropped;
    }

    /** Drops this very response if it is still the stored one. */
    public boolean invalidate(StoredRepresentation response) {
        boolean dropped = entries.remove(response.key(), response);
        if (dropped) {
            outdated(response.key(), null);
        }
        return dropped;
    }

    /**
     * Drops the response under this key if it carries one of these labels. @return what was dropped
     */
    public @Nullable StoredRepresentation invalidate(CacheKey key, Collection<String> labels) {
        StoredRepresentation[] dropped = new StoredRepresentation[1];
        entries.compute(key, 0, (k, entry) -> {
            boolean named = entry instanceof StoredRepresentation stored
                    && labels.stream().anyMatch(stored::carries);
            dropped[0] = named ? (StoredRepresentation) entry : null;
            return named ? null : entry;
        });
        if (dropped[0] != null) {
            outdated(key, null);
        }
        return dropped[0];
    }

    /**
     * Shows every entry whose key begins with {@code prefix}; what comes and goes meanwhile may be
     * missed. Takes no lock that a loop waits for.
     *
     * @param visitor ends the walk by returning false
     * @param nanoTime when to end at the latest
     * @return whether the walk came to its end
     */
    public boolean walk(byte[] prefix, long nanoTime, BiPredicate<CacheKey, CacheEntry> visitor) {
        boolean[] through = new boolean[1];
        entries.undisturbed(() -> through[0] = walkThrough(prefix, nanoTime, visitor));
        return through[0];
    }

    private boolean walkThrough(
            byte[] prefix, long nanoTime, BiPredicate<CacheKey, CacheEntry> visitor) {
        int seen = 0;
        for (var entry : entries.all()) {
            if ((++seen & SLICE - 1) == 0) {
                // On a machine with few processors the loops come first.
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
     * All there is, as it comes and goes; takes no lock and is no use of anything. For long looks
     * in small steps.
     */
    public Iterator<Map.Entry<CacheKey, CacheEntry>> entries() {
        return entries.all().iterator();
    }

    public TagIndex tags() {
        return tags;
    }

    public PurgeTimestamps stamps() {
        return stamps;
    }

    /**
     * Room for a body, or for a part of it: makes some when there is none.
     *
     * @return an empty buffer with one reference, of so many bytes or, where nothing is free that
     *     long, of fewer: then ask again for the rest; absent when even eviction did not help
     *     (counted)
     */
    public @Nullable ByteBuf room(int bytes) {
        return room(bytes, 0, SHORTEST_PIECE, null);
    }

    /**
     * As {@link #room(int)}, if it can be with so many bytes behind it for the head
     * ({@link #head}).
     */
    public @Nullable ByteBuf room(int bytes, int behind) {
        return room(bytes, behind, SHORTEST_PIECE, null);
    }

    /** The same for what is to be stored under this key: its pool may have to make the room. */
    public @Nullable ByteBuf room(int bytes, int behind, CacheKey newcomer) {
        return room(bytes, behind, SHORTEST_PIECE, newcomer);
    }

    /** @param shortest no piece is shorter; what is not longer is not cut */
    private @Nullable ByteBuf room(
            int bytes, int behind, int shortest, @Nullable CacheKey newcomer) {
        ByteBuf run = take(bytes, behind, shortest, 0);
        for (int tries = 0; run == null && tries < 8; tries++) {
            if (!evictColdest(Math.max(2L * (bytes + behind), 64 * 1024), newcomer)) {
                break;
            }
            run = take(bytes, behind, shortest, tries);
        }
        if (run == null) {
            noRoom.increment();
        }
        return run;
    }

    /**
     * The whole in one run, or else a piece that may be the shorter the more was evicted in vain.
     */
    private @Nullable ByteBuf take(int bytes, int behind, int shortest, int tries) {
        ByteBuf whole = memory.take(bytes, behind);
        return whole == null && bytes > shortest
                ? memory.takeLongest(Math.max(shortest, bytes >> 3 + tries), bytes)
                : whole;
    }

    /**
     * Keeps a head and its validators outside the heap: behind a body that is complete, when its
     * run has room, else in a run of their own.
     *
     * @param last the body's last run, behind which nothing lies yet; absent for a body that was
     *     stored before, or none
     * @return with one reference; absent when there is no room (counted)
     */
    public @Nullable StoredHead head(
            @Nullable ByteBuf last,
            byte[] encoded,
            @Nullable String etag,
            @Nullable String lastModified) {
        StoredHead beside =
                last == null ? null : StoredHead.behind(last, encoded, etag, lastModified);
        if (beside != null) {
            return beside;
        }
        ByteBuf run =
                room(StoredHead.bytes(encoded, etag, lastModified), 0, Integer.MAX_VALUE, null);
        return run instanceof SlabBuffer own
                ? StoredHead.in(own, encoded, etag, lastModified)
                : null;
    }

    public BodyMemory memory() {
        return memory;
    }

    /**
     * Bytes accounted for now: runs in use, also by readers of what was evicted, and the entries'
     * heap.
     */
    public long bytes() {
        return memory.used() + heap.get();
    }

    /** Of these, what entries take of the heap. */
    public long heapBytes() {
        return heap.get();
    }

    /** The same by part. */
    public CacheBytes parts() {
        long stored = Math.max(0, bodies.sum());
        return new CacheBytes(stored, heap.get(), Math.max(0, memory.used() - stored));
    }

    /** Stored answers; the parts that are held of one object are one. */
    public long objects() {
        return Math.max(0, objects.sum());
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
        entries.dropAll();
    }
}
