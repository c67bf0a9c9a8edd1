package dev.komainu.proxy.cache.partition;

import dev.komainu.proxy.cache.PartitionMode;
import dev.komainu.proxy.cache.PartitionSettings;
import dev.komainu.proxy.cache.ReferencePeriods;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Where the protected pool ends and the normal one begins, and which of them gives way (spec
 * section 3).
 *
 * <pre>
 *   | protected: S_cur bytes … | normal …           |      the maxima of both are always the whole
 *            ▲ S_target
 * </pre>
 *
 * A newcomer that finds its pool full takes, in this order: room that the other pool does not use;
 * what the paper's selection rule takes from the other pool; else the place of something in its
 * own. The rule: S_cur above S_target, the protected pool releases; below, the normal one; equal,
 * the newcomer's own.
 *
 * <p>S_target moves when a pool that needs room, and has what it is meant to have, has no
 * unreferenced bytes left: by the other's unreferenced bytes ({@link TargetRule}). Then a new
 * period ({@link ReferencePeriods}) begins for both, so that both were watched for equally long.
 * Looked at only when room is needed: at no other time does the target matter.
 *
 * <p>Its lock is held by those who store, never by a hit. Who holds it may ask the pools' policies,
 * never the reverse.
 */
final class PoolBoundary {

    /**
     * Objects are no blocks of one size, and a maximum that is lowered by a byte costs a whole one:
     * what has a 64th more than its target has what it is meant to have.
     */
    private static final int GRAIN = 64;

    private final ReentrantLock lock = new ReentrantLock();
    private final CachePool guarded;
    private final CachePool normal;
    // Guarded by the lock.
    private TargetRule rule;
    /** S_target. */
    private long target;

    private long periods;

    /**
     * The cache is not divided and the normal pool has all of it: nobody needs the lock to know
     * that.
     */
    private volatile boolean undivided;

    /** The normal pool has all of it so far. */
    PoolBoundary(CachePool guarded, CachePool normal, TargetRule rule) {
        this.guarded = guarded;
        this.normal = normal;
        this.rule = rule;
        this.target = rule.target(0);
        this.undivided = rule.settings().mode() == PartitionMode.SINGLE;
    }

    /**
     * Other rules; the target begins where the protected pool is, unless the same mode moved it
     * before.
     */
    void rule(PartitionSettings settings, long largest) {
        lock.lock();
        try {
            boolean goesOn = settings.mode() == rule.settings().mode();
            rule = new TargetRule(settings, largest, rule.whole());
            target = rule.target(goesOn ? target : guarded.weight());
            guarded.begin();
            normal.begin();
            undivided = settings.mode() == PartitionMode.SINGLE && guarded.maximum() == 0;
        } finally {
            lock.unlock();
        }
    }

    /**
     * What both may weigh together. The target keeps its share; the pools give way as for a
     * newcomer, not by shares: the whole follows the mixture up and down all the time, and each
     * time down would cost the protected pool something.
     */
    void whole(long bytes) {
        lock.lock();
        try {
            long less = rule.whole() - bytes;
            target = Math.round(target * (bytes / (double) Math.max(1, rule.whole())));
            rule = new TargetRule(rule.settings(), rule.largest(), bytes);
            target = rule.target(target);
            if (less <= 0) {
                normal.maximum(normal.maximum() - less);
                return;
            }
            less -= lower(guarded, guarded.free(), less);
            less -= lower(normal, normal.free(), less);
            less -= lower(guarded, wayOf(normal), less);
            less -= lower(normal, normal.maximum(), less);
            lower(guarded, guarded.maximum(), less);
        } finally {
            lock.unlock();
        }
    }

    /** @return by how much: as far as the pool may be lowered, and no more than is wanted */
    private static long lower(CachePool pool, long most, long wanted) {
        long by = Math.clamp(most, 0, wanted);
        pool.maximum(pool.maximum() - by);
        return by;
    }

    /**
     * Makes room for what was charged to the pool, as far as the rule lets it grow: what is missing
     * then, its own policy finds.
     *
     * @param bytes of the newcomer
     */
    void admit(CachePool pool, long bytes) {
        if (undivided || pool.weight() <= pool.maximum()) {
            return;
        }
        lock.lock();
        try {
            long missing = pool.weight() - pool.maximum();
            if (missing <= 0 || bytes > rule.whole()) {
                return;
            }
            CachePool other = other(pool);
            long take = Math.min(other.free(), missing);
            if (take < missing) {
                judge(pool);
                take += Math.clamp(wayOf(pool) - take, 0, missing - take);
            }
            shift(other, pool, take);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Which pool releases for a newcomer, where it is not the pools' maxima that are short but what
     * they share.
     *
     * @param home the newcomer's pool; absent: not known
     */
    CachePool releases(@Nullable CachePool home) {
        if (undivided) {
            return normal;
        }
        lock.lock();
        try {
            if (home != null) {
                judge(home);
            }
            long beyond = guarded.weight() - target;
            if (beyond > target / GRAIN) {
                return guarded;
            }
            return beyond < 0 || home == null ? normal : home;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Whether so much more would push out what the protected pool holds, at once or when the normal
     * pool wants its room back: for its largest object it makes room in one go, so as much that is
     * free is no room to grow into.
     */
    boolean isFull(long bytes) {
        if (undivided) {
            return false;
        }
        lock.lock();
        try {
            long wanted = guarded.weight() + bytes;
            return rule.settings().mode() == PartitionMode.PARTITION
                    && wanted > target
                    && wanted + normal.weight() > rule.whole() - rule.largest();
        } finally {
            lock.unlock();
        }
    }

    /** What the protected pool has beyond its target; below 0: what it lacks. */
    long surplus() {
        lock.lock();
        try {
            return guarded.weight() - target;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Everything is where it belongs: an undivided cache has no room to spare for a protected pool.
     */
    void settled() {
        lock.lock();
        try {
            if (rule.settings().mode() == PartitionMode.SINGLE) {
                shift(guarded, normal, guarded.maximum());
                undivided = true;
            }
        } finally {
            lock.unlock();
        }
    }

    private void judge(CachePool pool) {
        if (rule.settings().mode() != PartitionMode.PARTITION
                || wayOf(pool) > 0
                || !pool.ranOut()) {
            return;
        }
        long unreferenced = other(pool).unreferenced();
        target = pool == guarded
                ? rule.raised(target, unreferenced)
                : rule.lowered(target, unreferenced);
        guarded.begin();
        normal.begin();
        periods++;
    }

    /** Bytes that the rule gives the pool yet. */
    private long wayOf(CachePool pool) {
        long beyond = guarded.maximum() - target;
        if (pool == guarded) {
            return -beyond;
        }
        return beyond > target / GRAIN ? beyond : Math.min(0, beyond);
    }

    private void shift(CachePool from, CachePool to, long bytes) {
        if (bytes > 0) {
            // First the one that lets go: together they never hold more than the whole.
            from.maximum(from.maximum() - bytes);
            to.maximum(to.maximum() + bytes);
        }
    }

    private CachePool other(CachePool pool) {
        return pool == guarded ? normal : guarded;
    }

    /** Of one instant. */
    PartitionFigures figures(
            boolean settled, long looked, long toLook, long moved, long turnedAway) {
        lock.lock();
        try {
            return new PartitionFigures(
                    rule.settings(),
                    rule.whole(),
                    target,
                    periods,
                    guarded.figures(),
                    normal.figures(),
                    settled,
                    looked,
                    toLook,
                    moved,
                    turnedAway);
        } finally {
            lock.unlock();
        }
    }
}
