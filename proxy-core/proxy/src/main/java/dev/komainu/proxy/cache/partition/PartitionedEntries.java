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
 * Two pools, and each entry in the one that its key belongs to ({@link PriorityRules});
 * {@link PoolBoundary} says how large they are. An undivided cache has everything in the normal
 * pool, and a hit in it costs one read more than without pools.
 *
 * <p><b>Other prefixes</b> while entries are there: from then on newcomers go to their new pool,
 * and what is stored follows, a slice at a time ({@link #resettle}). Until all have, whoever does
 * not find a key at home looks in the other pool too.
 *
 * <pre>
 *   write of a key:   | its stripe: which pool now? · change it |
 *   other rules:      new division · each stripe once        every later write knows it; then the walk begins
 *   one entry moves:  | its stripe: out of one · into the other |      a reader who finds it nowhere asks again behind the stripe
 *   walk of all:      nothing moves meanwhile                so a purge by prefix cannot pass what it is looking for
 * </pre>
 *
 * A hit takes no lock. Order of locks: resettling, places, stripe, boundary, the policy's own.
 */
public final class PartitionedEntries implements CacheEntries {

    private static final int STRIPES = 64;

    /** @param moving entries may be in the pool they belonged to before */
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
    private final boolean hasDoor;
    private final Doorkeeper door = new Doorkeeper();
    private final LongAdder turnedAway = new LongAdder();

    private final Lock resettling = new ReentrantLock();
    // Guarded by resettling.
    private @Nullable Walk walk;
    private final AtomicLong looked = new AtomicLong();
    private final AtomicLong toLook = new AtomicLong();
    private final AtomicLong moved = new AtomicLong();

    /** Through both pools, one after the other. */
    private final class Walk {
        CachePool pool = normal;
        Iterator<Map.Entry<CacheKey, CacheEntry>> rest = pool.entries().all().iterator();

        /** Absent at the end. */
        Map.@Nullable Entry<CacheKey, CacheEntry> next() {
            if (!rest.hasNext() && pool == normal) {
                pool = guarded;
                rest = pool.entries().all().iterator();
            }
            return rest.hasNext() ? rest.next() : null;
        }
    }

    /** @param largest bytes of the largest object there may be */
    public PartitionedEntries(
            CachePolicy policy,
            PartitionSettings settings,
            long largest,
            long maximum,
            Farewell farewell) {
        this.hasDoor = policy == CachePolicy.W_TINYLFU;
        this.guarded = new CachePool(true, policy, 0, farewell);
        this.normal = new CachePool(false, policy, maximum, farewell);
        this.boundary =
                new PoolBoundary(guarded, normal, new TargetRule(settings, largest, maximum));
        this.division = new Division(settings, settings.divided(), false);
    }

    /**
     * Other rules from now on. What is stored follows when {@link #resettle} is called.
     *
     * @return whether it has to
     */
    public boolean rule(PartitionSettings next, long largest) {
        resettling.lock();
        try {
            Division before = division;
            boundary.rule(next, largest);
            boolean moving = before.moving
                    || next.mode()
                            == PartitionMode.SINGLE
                            != (before.settings.mode() == PartitionMode.SINGLE)
                    || next.mode() != PartitionMode.SINGLE
                            && !next.priority().equals(before.settings.priority());
            division = new Division(next, next.divided(), moving);
            if (moving) {
                for (Lock stripe : stripes) {
                    // Whoever writes under the former division is through when its stripe can be
                    // had.
                    stripe.lock();
                    try {
                        walk = null;
                    } finally {
                        stripe.unlock();
                    }
                }
                looked.set(0);
                moved.set(0);
                toLook.set(count());
            }
            return moving;
        } finally {
            resettling.unlock();
        }
    }

    /**
     * Brings entries to the pool that is theirs now.
     *
     * @param most looked at before it returns
     * @return whether all are there
     */
    public boolean resettle(int most) {
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
                Walk on = walk == null ? new Walk() : walk;
                walk = on;
                for (int i = 0; i < most; i++) {
                    Map.Entry<CacheKey, CacheEntry> next = on.next();
                    if (next == null) {
                        walk = null;
                        toLook.set(looked.get());
                        division = new Division(now.settings, now.priority, false);
                        boundary.settled();
                        return true;
                    }
                    looked.incrementAndGet();
                    CachePool home = home(now, next.getKey());
                    if (home != on.pool) {
                        move(next.getKey(), next.getValue(), on.pool, home);
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

    /** Whether everything is in its pool. */
    public boolean isSettled() {
        return !division.moving;
    }

    private void move(CacheKey key, CacheEntry entry, CachePool from, CachePool to) {
        Lock stripe = stripe(key);
        stripe.lock();
        try {
            if (entry instanceof HitForMiss) {
                // Two may be equal, so who is told of which would not be certain; and a mark is
                // soon made again.
                from.entries().remove(key, entry);
            } else if (from.giveAway(key, entry)) {
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
        return now.priority.holds(key) ? guarded : normal;
    }

    private CachePool other(CachePool pool) {
        return pool == guarded ? normal : guarded;
    }

    /**
     * Whether an answer may come in. What would push out something of the protected pool must have
     * been asked for before: under W-TinyLFU one large newcomer that beats the coldest entry pushes
     * out as many more as it is long, and a pool that just holds what matters has nothing else to
     * give (docs/decisions/0066). Under LRU everything comes in, as in the paper; a newer answer in
     * the place of one that is here always does.
     *
     * @param bytes that it weighs, or about
     */
    public boolean admits(CacheKey key, long bytes) {
        if (!hasDoor || !isPriority(key) || !boundary.isFull(bytes)) {
            return true;
        }
        CacheEntry there = get(key);
        if (there instanceof StoredRepresentation || there instanceof VaryRule || door.knows(key)) {
            return true;
        }
        turnedAway.increment();
        return false;
    }

    public boolean isPriority(CacheKey key) {
        return division.priority.holds(key);
    }

    @Override
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
        if (found instanceof StoredRepresentation answer) {
            answer.referenced();
        }
        return found;
    }

    private @Nullable CacheEntry elsewhere(CacheKey key, CachePool home) {
        CacheEntry found = other(home).entries().get(key);
        if (found != null) {
            return found;
        }
        // It may be between the two.
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
        if (entry instanceof StoredRepresentation answer) {
            // A period that began for its sake has it as its first.
            answer.referenced();
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
            BiFunction<CacheKey, @Nullable CacheEntry, @Nullable CacheEntry> made) {
        Lock stripe = stripe(key);
        stripe.lock();
        try {
            Division now = division;
            CachePool home = home(now, key);
            if (now.moving && computeElsewhere(other(home), home, key, made)) {
                return;
            }
            home.reserve(expected);
            boundary.admit(home, expected);
            home.reserve(-expected);
            home.entries().compute(key, expected, (k, before) -> {
                CacheEntry after = made.apply(k, before);
                if (after != null && after != before) {
                    home.charge(after);
                }
                return after;
            });
        } finally {
            stripe.unlock();
        }
    }

    /** @return false when nothing is there */
    private boolean computeElsewhere(
            CachePool there,
            CachePool home,
            CacheKey key,
            BiFunction<CacheKey, @Nullable CacheEntry, @Nullable CacheEntry> made) {
        CacheEntry[] after = new CacheEntry[1];
        boolean[] found = new boolean[1];
        there.entries().compute(key, 0, (k, before) -> {
            if (before == null) {
                return null;
            }
            found[0] = true;
            CacheEntry next = made.apply(k, before);
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
            CacheEntry there = now.moving ? other(home).entries().remove(key) : null;
            CacheEntry here = home.entries().remove(key);
            return here != null ? here : there;
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
                    || now.moving && other(home).entries().remove(key, entry);
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
    public void undisturbed(Runnable look) {
        places.readLock().lock();
        try {
            look.run();
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
     * As if room were made bit by bit: the protected pool gives what it has beyond its target, the
     * normal one the rest.
     */
    private int dropColdest(long weight, @Nullable CachePool home) {
        CachePool first = boundary.releases(home);
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
        boundary.whole(weight);
    }

    @Override
    public long count() {
        return normal.entries().count() + guarded.entries().count();
    }

    public PartitionFigures figures() {
        return boundary.figures(
                isSettled(), looked.get(), toLook.get(), moved.get(), turnedAway.sum());
    }
}
