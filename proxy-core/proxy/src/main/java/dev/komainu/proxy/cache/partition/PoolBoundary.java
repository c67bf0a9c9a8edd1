package dev.komainu.proxy.cache.partition;

import dev.komainu.proxy.cache.PartitionMode;
import dev.komainu.proxy.cache.PartitionSettings;
import dev.komainu.proxy.cache.ReferencePeriods;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The boundary between the protected and the normal pool, and the rule that selects the pool to
 * evict from (spec section 3).
 *
 * <pre>
 *   | protected: S_cur bytes … | normal …          |    the sum of both maxima is always the total
 *        ▲ S_target
 * </pre>
 *
 * Room for a new entry of a full pool comes from, in this order: unused room of the other pool; the
 * other pool's entries, as far as the paper's selection rule allows; the pool's own entries. The
 * rule: when S_cur is above S_target, the protected pool evicts; below, the normal one; equal, the
 * new entry's own pool.
 *
 * <p>S_target moves when a pool that needs room, and has its target size, has no unreferenced bytes
 * left: by the other pool's unreferenced bytes ({@link TargetRule}). Then a new period
 * ({@link ReferencePeriods}) starts for both, so that both are observed for the same time. The
 * target is evaluated only when room is needed: at no other time does it matter.
 *
 * <p>The lock is taken by threads that store, never by a hit. Its holder may call the pools'
 * policies; the policies never call the boundary.
 */
final class PoolBoundary {

    /**
     * Tolerance of the target. Objects are not blocks of one size, and a maximum lowered by one
     * byte can evict a whole object: a pool within a 64th of its target counts as being on target.
     */
    private static final int TOLERANCE = 64;

    private final ReentrantLock lock = new ReentrantLock();
    private final CachePool guarded;
    private final CachePool normal;
    // Guarded by the lock.
    private TargetRule targetRule;
    /** The paper's S_target. */
    private long target;

    private long periods;

    /**
     * True when the cache is not divided and the normal pool has all of it. Read without the lock.
     */
    private volatile boolean undivided;

    /** Creates a boundary at which the normal pool has the total. */
    PoolBoundary(CachePool guarded, CachePool normal, TargetRule targetRule) {
        this.guarded = guarded;
        this.normal = normal;
        this.targetRule = targetRule;
        this.target = targetRule.target(0);
        this.undivided = targetRule.settings().mode() == PartitionMode.SINGLE;
    }

    /**
     * Applies other rules. The target starts at the protected pool's size, unless the mode is
     * unchanged.
     */
    void reload(PartitionSettings settings, long largest) {
        lock.lock();
        try {
            boolean sameMode = settings.mode() == targetRule.settings().mode();
            targetRule = new TargetRule(settings, largest, targetRule.total());
            target = targetRule.target(sameMode ? target : guarded.weight());
            guarded.startPeriod();
            normal.startPeriod();
            undivided = settings.mode() == PartitionMode.SINGLE && guarded.maximum() == 0;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Sets the total of both pools. The target keeps its share. The pools shrink as for a new
     * entry, not in proportion: the total follows the mixture of objects up and down all the time,
     * and each step down would otherwise cost the protected pool entries.
     */
    void setTotal(long bytes) {
        lock.lock();
        try {
            long decrease = targetRule.total() - bytes;
            target = Math.round(target * (bytes / (double) Math.max(1, targetRule.total())));
            targetRule = new TargetRule(targetRule.settings(), targetRule.largest(), bytes);
            target = targetRule.target(target);
            if (decrease <= 0) {
                normal.maximum(normal.maximum() - decrease);
                return;
            }
            decrease -= lower(guarded, guarded.free(), decrease);
            decrease -= lower(normal, normal.free(), decrease);
            decrease -= lower(guarded, allowedGrowth(normal), decrease);
            decrease -= lower(normal, normal.maximum(), decrease);
            lower(guarded, guarded.maximum(), decrease);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Lowers a pool's maximum. Returns by how many bytes: at most {@code limit} and at most
     * {@code needed}.
     */
    private static long lower(CachePool pool, long limit, long needed) {
        long by = Math.clamp(limit, 0, needed);
        pool.maximum(pool.maximum() - by);
        return by;
    }

    /**
     * Makes room for bytes charged to the pool, as far as the rule lets the pool grow. The pool's
     * own policy frees the rest.
     *
     * @param bytes of the new entry
     */
    void admit(CachePool pool, long bytes) {
        if (undivided || pool.weight() <= pool.maximum()) {
            return;
        }
        lock.lock();
        try {
            long missing = pool.weight() - pool.maximum();
            if (missing <= 0 || bytes > targetRule.total()) {
                return;
            }
            CachePool other = other(pool);
            long available = Math.min(other.free(), missing);
            if (available < missing) {
                evaluate(pool);
                available += Math.clamp(allowedGrowth(pool) - available, 0, missing - available);
            }
            shift(other, pool, available);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the pool that evicts for a new entry, when not the pools' maxima are exceeded but the
     * memory that they share.
     *
     * @param home the new entry's pool; null: unknown
     */
    CachePool poolToEvict(@Nullable CachePool home) {
        if (undivided) {
            return normal;
        }
        lock.lock();
        try {
            if (home != null) {
                evaluate(home);
            }
            long beyond = guarded.weight() - target;
            if (beyond > target / TOLERANCE) {
                return guarded;
            }
            return beyond < 0 || home == null ? normal : home;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Reports whether so many more bytes would evict entries of the protected pool, now or when the
     * normal pool claims its room back. The normal pool makes room for its largest object in one
     * step, so free room of this size is no room to grow into.
     */
    boolean isFull(long bytes) {
        if (undivided) {
            return false;
        }
        lock.lock();
        try {
            long needed = guarded.weight() + bytes;
            return targetRule.settings().mode() == PartitionMode.PARTITION
                    && needed > target
                    && needed + normal.weight() > targetRule.total() - targetRule.largest();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the bytes of the protected pool beyond its target; negative when it is below. */
    long surplus() {
        lock.lock();
        try {
            return guarded.weight() - target;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Handles the end of the moves between the pools: an undivided cache keeps no room for a
     * protected pool.
     */
    void onSettled() {
        lock.lock();
        try {
            if (targetRule.settings().mode() == PartitionMode.SINGLE) {
                shift(guarded, normal, guarded.maximum());
                undivided = true;
            }
        } finally {
            lock.unlock();
        }
    }

    private void evaluate(CachePool pool) {
        if (targetRule.settings().mode() != PartitionMode.PARTITION
                || allowedGrowth(pool) > 0
                || !pool.hasNoUnreferenced()) {
            return;
        }
        long unreferenced = other(pool).unreferenced();
        target = pool == guarded
                ? targetRule.raised(target, unreferenced)
                : targetRule.lowered(target, unreferenced);
        guarded.startPeriod();
        normal.startPeriod();
        periods++;
    }

    /** Returns the bytes by which the rule still lets the pool grow. */
    private long allowedGrowth(CachePool pool) {
        long beyond = guarded.maximum() - target;
        if (pool == guarded) {
            return -beyond;
        }
        return beyond > target / TOLERANCE ? beyond : Math.min(0, beyond);
    }

    private void shift(CachePool from, CachePool to, long bytes) {
        if (bytes > 0) {
            // First the pool that shrinks: the sum never exceeds the total.
            from.maximum(from.maximum() - bytes);
            to.maximum(to.maximum() + bytes);
        }
    }

    private CachePool other(CachePool pool) {
        return pool == guarded ? normal : guarded;
    }

    /** Returns the state at one instant. */
    PartitionFigures figures(
            boolean settled, long checked, long toCheck, long moved, long turnedAway) {
        lock.lock();
        try {
            return new PartitionFigures(
                    targetRule.settings(),
                    targetRule.total(),
                    target,
                    periods,
                    guarded.figures(),
                    normal.figures(),
                    settled,
                    checked,
                    toCheck,
                    moved,
                    turnedAway);
        } finally {
            lock.unlock();
        }
    }
}
