package dev.komainu.proxy.cache.partition;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.proxy.cache.CacheEntry;
import dev.komainu.proxy.cache.CachePolicy;
import dev.komainu.proxy.cache.HitForMiss;
import dev.komainu.proxy.cache.PartitionMode;
import dev.komainu.proxy.cache.PartitionSettings;
import dev.komainu.proxy.cache.PriorityRules;
import dev.komainu.proxy.cache.StoredRepresentation;
import dev.komainu.proxy.cache.VaryRule;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The cache's entries in two pools, each in the pool of its key ({@link PriorityRules}).
 * {@link PoolBoundary} determines the pools' sizes. An undivided cache has all entries in the
 * normal pool; a hit in it costs one read more than without pools.
 *
 * <p><b>A reload with other prefixes:</b> new entries go to their new pool at once, and stored
 * entries are moved slice by slice ({@link #resettle}). Until all are moved, a lookup that finds
 * nothing in the key's own pool also checks the other pool.
 *
 * <pre>
 *   write of a key:   | its stripe: which pool now? · change it |
 *   other rules:      new division · each stripe once    every later write knows it; then the walk begins
 *   one entry moves:  | its stripe: out of one · into the other |    a reader that finds it nowhere looks again behind the stripe
 *   walk of all:      nothing moves meanwhile    so a purge by prefix cannot miss an entry
 * </pre>
 *
 * A hit takes no lock. Order of locks: resettling, places, stripe, boundary, the policy's own.
 */
public final class PartitionedEntries implements CacheEntries {

    private static final int STRIPES = 64;

    /**
     * The rules in force.
     *
     * @param moving whether entries may still be in their previous pool
     */
    private record Division(PartitionSettings settings, PriorityRules priority, boolean moving) {

        boolean isPlain() {
            return settings.mode() == PartitionMode.SINGLE && !moving;
        }
    }

    private final CachePool guarded;
    private final CachePool normal;
    private final PoolBoundary boundary;
    private final Lock[] stripes =
            Stream.generate(ReentrantLock::new).limit(STRIPES).toArray(Lock[]::new);
    private final ReadWriteLock places = new ReentrantReadWriteLock();
    private volatile Division division;
    private final boolean hasDoorkeeper;
    private final Doorkeeper doorkeeper = new Doorkeeper();
    private final LongAdder turnedAway = new LongAdder();

    private final Lock resettling = new ReentrantLock();
    // Guarded by resettling.
    private @Nullable Walk walk;
    private final AtomicLong checked = new AtomicLong();
    private final AtomicLong toCheck = new AtomicLong();
    private final AtomicLong moved = new AtomicLong();

    /** An iteration through both pools, one after the other. */
    private final class Walk {
        CachePool pool = normal;
        Iterator<Map.Entry<CacheKey, CacheEntry>> rest = pool.entries().all().iterator();

        /** Returns the next entry; null at the end. */
        Map.@Nullable Entry<CacheKey, CacheEntry> next() {
            if (!rest.hasNext() && pool == normal) {
                pool = guarded;
                rest = pool.entries().all().iterator();
            }
            return rest.hasNext() ? rest.next() : null;
        }
    }

    /**
     * Creates the pools.
     *
     * @param largest bytes of the largest possible object
     * @param maximum bytes of both pools together
     */
    public PartitionedEntries(
            CachePolicy policy,
            PartitionSettings settings,
            long largest,
            long maximum,
            RemovalListener listener) {
        this.hasDoorkeeper = policy == CachePolicy.W_TINYLFU;
        this.guarded = new CachePool(true, policy, 0, listener);
        this.normal = new CachePool(false, policy, maximum, listener);
        this.boundary =
                new PoolBoundary(guarded, normal, new TargetRule(settings, largest, maximum));
        this.division = new Division(settings, settings.priorityRules(), false);
    }

    /**
     * Applies other rules. Stored entries are moved by {@link #resettle}.
     *
     * @return whether entries must be moved
     */
    public boolean reload(PartitionSettings next, long largest) {
        resettling.lock();
        try {
            Division before = division;
            boundary.reload(next, largest);
            boolean moving = before.moving
                    || next.mode()
                            == PartitionMode.SINGLE
                            != (before.settings.mode() == PartitionMode.SINGLE)
                    || (next.mode() != PartitionMode.SINGLE
                            && !next.priority().equals(before.settings.priority()));
            division = new Division(next, next.priorityRules(), moving);
            if (moving) {
                for (Lock stripe : stripes) {
                    // A writer under the former division has finished when its stripe can be
                    // locked.
                    stripe.lock();
                    try {
                        walk = null;
                    } finally {
                        stripe.unlock();
                    }
                }
                checked.set(0);
                moved.set(0);
                toCheck.set(count());
            }
            return moving;
        } finally {
            resettling.unlock();
        }
    }

    /**
     * Moves entries to their current pool.
     *
     * @param limit number of entries checked in this call
     * @return whether all entries are in their pool
     */
    public boolean resettle(int limit) {
        resettling.lock();
        try {
            Division now = division;
            if (!now.moving) {
                return true;
            }
            if (!places.writeLock().tryLock()) {
                return false;
            }
            try {
                Walk current = walk == null ? new Walk() : walk;
                walk = current;
                for (int i = 0; i < limit; i++) {
                    Map.Entry<CacheKey, CacheEntry> next = current.next();
                    if (next == null) {
                        walk = null;
                        toCheck.set(checked.get());
                        division = new Division(now.settings, now.priority, false);
                        boundary.onSettled();
                        return true;
                    }
                    checked.incrementAndGet();
                    CachePool home = home(now, next.getKey());
                    if (home != current.pool) {
                        move(next.getKey(), next.getValue(), current.pool, home);
                    }
                }
                return false;
            } finally {
                places.writeLock().unlock();
            }
        } finally {
            resettling.unlock();
        }
    }

    /** Reports whether all entries are in their pool. */
    public boolean isSettled() {
        return !division.moving;
    }

    private void move(CacheKey key, CacheEntry entry, CachePool from, CachePool to) {
        Lock stripe = stripe(key);
        stripe.lock();
        try {
            if (entry instanceof HitForMiss) {
                // Two marks may be equal, so the listener could not distinguish them; and a mark is
                // soon made again.
                from.entries().remove(key, entry);
            } else if (from.moveOut(key, entry)) {
                to.chargeAs(entry, from);
                boundary.admit(to, entry.weight());
                to.entries().put(key, entry);
                moved.incrementAndGet();
            }
        } finally {
            stripe.unlock();
        }
    }

    private Lock stripe(CacheKey key) {
        int hash = key.hashCode();
        return stripes[(hash ^ hash >>> 16) & STRIPES - 1];
    }

    private CachePool home(Division now, CacheKey key) {
        return now.priority.hasPriority(key) ? guarded : normal;
    }

    private CachePool other(CachePool pool) {
        return pool == guarded ? normal : guarded;
    }

    /**
     * Reports whether a response may be stored. One that would evict entries of the protected pool
     * must have been requested before. Under W-TinyLFU, one large new entry that beats the coldest
     * entry evicts as many more as it is long, and a pool with only important entries has nothing
     * else to evict (docs/decisions/0066). Under LRU each response is stored, as in the paper. A
     * newer response always replaces a stored one.
     *
     * @param bytes its weight, or an estimate
     */
    public boolean admits(CacheKey key, long bytes) {
        if (!hasDoorkeeper || !isPriority(key) || !boundary.isFull(bytes)) {
            return true;
        }
        CacheEntry existing = get(key);
        if (existing instanceof StoredRepresentation
                || existing instanceof VaryRule
                || doorkeeper.testAndAdd(key)) {
            return true;
        }
        turnedAway.increment();
        return false;
    }

    public boolean isPriority(CacheKey key) {
        return division.priority.hasPriority(key);
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // another instance means another reload
    public @Nullable CacheEntry get(CacheKey key) {
        Division now = division;
        if (now.isPlain()) {
            return normal.entries().get(key);
        }
        CachePool home = home(now, key);
        CacheEntry found = home.entries().get(key);
        if (found == null && (now.moving || division != now)) {
            found = elsewhere(key, home);
        }
        if (found instanceof StoredRepresentation response) {
            response.markReferenced();
        }
        return found;
    }

    private @Nullable CacheEntry elsewhere(CacheKey key, CachePool home) {
        CacheEntry found = other(home).entries().get(key);
        if (found != null) {
            return found;
        }
        // The entry may be between the two pools.
        Lock stripe = stripe(key);
        stripe.lock();
        try {
            found = home.entries().get(key);
            return found != null ? found : other(home).entries().get(key);
        } finally {
            stripe.unlock();
        }
    }

    @Override
    public void put(CacheKey key, CacheEntry entry) {
        Lock stripe = stripe(key);
        stripe.lock();
        try {
            Division now = division;
            CachePool home = home(now, key);
            if (now.moving) {
                other(home).entries().remove(key);
            }
            enter(home, key, entry);
        } finally {
            stripe.unlock();
        }
    }

    private void enter(CachePool home, CacheKey key, CacheEntry entry) {
        home.charge(entry);
        boundary.admit(home, entry.weight());
        if (entry instanceof StoredRepresentation response) {
            // If this entry started a new period, it is the first reference in it.
            response.markReferenced();
        }
        home.entries().put(key, entry);
    }

    @Override
    public boolean replace(CacheKey key, CacheEntry before, CacheEntry fresh) {
        Lock stripe = stripe(key);
        stripe.lock();
        try {
            Division now = division;
            CachePool home = home(now, key);
            if (now.moving && other(home).entries().remove(key, before)) {
                enter(home, key, fresh);
                return true;
            }
            home.charge(fresh);
            home.reserve(-before.weight());
            boundary.admit(home, fresh.weight());
            home.reserve(before.weight());
            boolean replaced = home.entries().replace(key, before, fresh);
            if (!replaced) {
                home.discharge(fresh);
            }
            return replaced;
        } finally {
            stripe.unlock();
        }
    }

    @Override
    public void compute(
            CacheKey key,
            long expected,
            BiFunction<CacheKey, @Nullable CacheEntry, @Nullable CacheEntry> remapping) {
        Lock stripe = stripe(key);
        stripe.lock();
        try {
            Division now = division;
            CachePool home = home(now, key);
            if (now.moving && computeElsewhere(other(home), home, key, remapping)) {
                return;
            }
            home.reserve(expected);
            boundary.admit(home, expected);
            home.reserve(-expected);
            home.entries().compute(key, expected, (k, before) -> {
                CacheEntry after = remapping.apply(k, before);
                if (after != null && after != before) {
                    home.charge(after);
                }
                return after;
            });
        } finally {
            stripe.unlock();
        }
    }

    /** Returns false when the pool has no entry under this key. */
    private boolean computeElsewhere(
            CachePool source,
            CachePool home,
            CacheKey key,
            BiFunction<CacheKey, @Nullable CacheEntry, @Nullable CacheEntry> remapping) {
        CacheEntry[] after = new CacheEntry[1];
        boolean[] found = new boolean[1];
        source.entries().compute(key, 0, (k, before) -> {
            if (before == null) {
                return null;
            }
            found[0] = true;
            CacheEntry next = remapping.apply(k, before);
            if (next == before) {
                return before;
            }
            after[0] = next;
            return null;
        });
        if (after[0] != null) {
            enter(home, key, after[0]);
        }
        return found[0];
    }

    @Override
    public @Nullable CacheEntry remove(CacheKey key) {
        Lock stripe = stripe(key);
        stripe.lock();
        try {
            Division now = division;
            CachePool home = home(now, key);
            CacheEntry existing = now.moving ? other(home).entries().remove(key) : null;
            CacheEntry here = home.entries().remove(key);
            return here != null ? here : existing;
        } finally {
            stripe.unlock();
        }
    }

    @Override
    public boolean remove(CacheKey key, CacheEntry entry) {
        Lock stripe = stripe(key);
        stripe.lock();
        try {
            Division now = division;
            CachePool home = home(now, key);
            return home.entries().remove(key, entry)
                    || (now.moving && other(home).entries().remove(key, entry));
        } finally {
            stripe.unlock();
        }
    }

    @Override
    public Iterable<Map.Entry<CacheKey, CacheEntry>> all() {
        return () -> {
            Walk through = new Walk();
            return new Iterator<>() {
                private Map.@Nullable Entry<CacheKey, CacheEntry> next = through.next();

                @Override
                public boolean hasNext() {
                    return next != null;
                }

                @Override
                public Map.Entry<CacheKey, CacheEntry> next() {
                    Map.Entry<CacheKey, CacheEntry> now = next;
                    if (now == null) {
                        throw new java.util.NoSuchElementException();
                    }
                    next = through.next();
                    return now;
                }
            };
        };
    }

    @Override
    public void withoutMoves(Runnable action) {
        places.readLock().lock();
        try {
            action.run();
        } finally {
            places.readLock().unlock();
        }
    }

    @Override
    public int dropColdest(long weight) {
        return dropColdest(weight, (CachePool) null);
    }

    @Override
    public int dropColdest(long weight, CacheKey newcomer) {
        return dropColdest(weight, home(division, newcomer));
    }

    /**
     * Drops the coldest entries as if room were made step by step: the protected pool gives the
     * bytes beyond its target, the normal pool the rest.
     */
    private int dropColdest(long weight, @Nullable CachePool home) {
        CachePool first = boundary.poolToEvict(home);
        CachePool second = other(first);
        long surplus = first == guarded ? Math.max(1, boundary.surplus()) : weight;
        long before = first.weight();
        int dropped = first.dropColdest(Math.min(weight, surplus));
        if (dropped == 0) {
            return second.dropColdest(weight);
        }
        long left = weight - (before - first.weight());
        boolean rest = surplus < weight
                ? left > 0
                : left > 0 && first.weight() == 0 && left >= second.weight();
        return rest ? dropped + second.dropColdest(left) : dropped;
    }

    @Override
    public void dropAll() {
        normal.entries().dropAll();
        guarded.entries().dropAll();
    }

    @Override
    public long weight() {
        return normal.entries().weight() + guarded.entries().weight();
    }

    @Override
    public void maximum(long weight) {
        boundary.setTotal(weight);
    }

    @Override
    public long count() {
        return normal.entries().count() + guarded.entries().count();
    }

    public PartitionFigures figures() {
        return boundary.figures(
                isSettled(), checked.get(), toCheck.get(), moved.get(), turnedAway.sum());
    }
}
