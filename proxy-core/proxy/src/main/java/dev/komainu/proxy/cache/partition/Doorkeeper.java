package dev.komainu.proxy.cache.partition;

import dev.komainu.intermediary.caching.CacheKey;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Whether somebody was here before: the keys of the last {@value #KEYS} to twice as many that came
 * to a full pool, as bits of two Bloom filters that take turns. The doorkeeper of TinyLFU
 * (Einziger, Friedman, Manes, 2017, section 3.4.2), before a pool instead of before its sketch,
 * because what a policy refuses has had its room made already.
 *
 * <p>At most 1 in 100 strangers are taken for known ones. 64 KB. Safe for all threads: two that
 * come at the same time under one key may both be strangers.
 */
final class Doorkeeper {

    private static final int KEYS = 1 << 14;
    private static final int BITS = 1 << 18;

    private volatile AtomicLongArray seen = new AtomicLongArray(BITS / 64);
    private volatile AtomicLongArray seenBefore = new AtomicLongArray(BITS / 64);
    // Guarded by this.
    private int remembered;

    /** @return whether this key came before; from now on it did */
    boolean knows(CacheKey key) {
        long hash = key.longHash();
        if (has(seen, hash) || has(seenBefore, hash)) {
            return true;
        }
        remember(hash);
        return false;
    }

    private synchronized void remember(long hash) {
        if (++remembered > KEYS) {
            seenBefore = seen;
            seen = new AtomicLongArray(BITS / 64);
            remembered = 1;
        }
        long h = hash;
        for (int turn = 0; turn < 3; turn++) {
            h = next(h);
            int bit = bit(h);
            seen.getAndAccumulate(bit >>> 6, 1L << bit, (bits, one) -> bits | one);
        }
    }

    private static boolean has(AtomicLongArray bits, long hash) {
        long h = hash;
        for (int turn = 0; turn < 3; turn++) {
            h = next(h);
            int bit = bit(h);
            if ((bits.get(bit >>> 6) & 1L << bit) == 0) {
                return false;
            }
        }
        return true;
    }

    /** Keys that differ in their last byte only differ everywhere. */
    private static long next(long hash) {
        return (hash ^ hash >>> 32) * 0xD6E8FEB86659FD93L;
    }

    private static int bit(long hash) {
        return (int) (hash >>> 40) & BITS - 1;
    }
}
