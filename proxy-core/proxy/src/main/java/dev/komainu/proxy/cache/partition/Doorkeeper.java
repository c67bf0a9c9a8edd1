package dev.komainu.proxy.cache.partition;

import dev.komainu.intermediary.caching.CacheKey;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * An admission filter that reports whether a key was seen recently: the last {@value #KEYS} to
 * twice as many keys that came to a full pool, as bits of two Bloom filters that alternate. The
 * doorkeeper of TinyLFU (Einziger, Friedman, Manes, 2017, section 3.4.2), placed before a pool
 * instead of before the sketch, because the room for a response that the policy refuses was already
 * made.
 *
 * <p>At most 1 in 100 new keys is reported as seen. 64 KB. Thread-safe: of two simultaneous calls
 * with one key, both may report it as new.
 */
final class Doorkeeper {

    private static final int KEYS = 1 << 14;
    private static final int BITS = 1 << 18;

    private volatile AtomicLongArray recent = new AtomicLongArray(BITS / 64);
    private volatile AtomicLongArray previous = new AtomicLongArray(BITS / 64);
    // Guarded by this.
    private int addedKeys;

    /** Adds a key. Returns whether it was seen before. */
    boolean testAndAdd(CacheKey key) {
        long hash = key.longHash();
        if (contains(recent, hash) || contains(previous, hash)) {
            return true;
        }
        add(hash);
        return false;
    }

    private synchronized void add(long hash) {
        if (++addedKeys > KEYS) {
            previous = recent;
            recent = new AtomicLongArray(BITS / 64);
            addedKeys = 1;
        }
        long mixed = hash;
        for (int round = 0; round < 3; round++) {
            mixed = next(mixed);
            int bit = bit(mixed);
            recent.getAndAccumulate(bit >>> 6, 1L << bit, (bits, mask) -> bits | mask);
        }
    }

    private static boolean contains(AtomicLongArray bits, long hash) {
        long mixed = hash;
        for (int round = 0; round < 3; round++) {
            mixed = next(mixed);
            int bit = bit(mixed);
            if ((bits.get(bit >>> 6) & 1L << bit) == 0) {
                return false;
            }
        }
        return true;
    }

    /** Mixes the bits, so that keys that differ in their last byte only differ everywhere. */
    private static long next(long hash) {
        return (hash ^ hash >>> 32) * 0xD6E8FEB86659FD93L;
    }

    private static int bit(long hash) {
        return (int) (hash >>> 40) & BITS - 1;
    }
}
