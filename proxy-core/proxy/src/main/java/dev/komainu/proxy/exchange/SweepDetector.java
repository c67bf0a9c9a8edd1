package dev.komainu.proxy.exchange;

import java.net.InetAddress;
import java.util.Arrays;

/**
 * A detector of sweeps: clients that request every object once, as crawlers and backups do. They
 * fill a cache with objects that are not requested again. There is one per event loop; only its
 * loop uses it.
 *
 * <p>A client sweeps when at least {@value #SWEEP} of its last {@value #WINDOW} lookups were for
 * keys that are neither stored nor were requested recently by any client. It no longer sweeps when
 * fewer than {@value #CALM} of a later window were such keys, or when it sent no request for a
 * minute. A new client of a cold cache requests many new keys, too, but seldom 250 keys in sequence
 * that no client has requested before.
 *
 * <table><caption>Limits</caption>
 * <tr><td>{@value #SLOTS} clients</td><td>by a hash of their address; of two clients in one slot the busier one keeps it</td></tr>
 * <tr><td>{@value #KEYS} to twice as many keys</td><td>remembered as bits: about 3 in 100 new keys appear as known ones</td></tr>
 * </table>
 */
final class SweepDetector {

    private static final int WINDOW = 256;
    private static final int SWEEP = 236;
    private static final int CALM = 192;
    private static final int SLOTS = 512;
    private static final int MAX_PATIENCE = 16;
    private static final int KEYS = 1 << 15;
    private static final int BITS = 1 << 19;
    private static final long GONE_NANOS = 60_000_000_000L;

    private final int[] clients = new int[SLOTS];
    private final int[] lookups = new int[SLOTS];
    private final int[] newKeys = new int[SLOTS];
    private final int[] patience = new int[SLOTS];
    private final boolean[] sweeps = new boolean[SLOTS];
    private final long[] lastNanos = new long[SLOTS];
    private int sweeping;

    private long[] seen = new long[BITS / 64];
    private long[] seenBefore = new long[BITS / 64];
    private int remembered;

    /**
     * Records a lookup.
     *
     * @param key a hash of the key
     * @param stored whether it was stored
     * @return whether the client sweeps
     */
    boolean lookedUp(InetAddress client, int key, boolean stored, long nowNanos) {
        int hash = client.hashCode();
        int slot = (hash * 0x9E3779B9) >>> 23;
        boolean isNew = !stored && isNew(key);
        if (clients[slot] != hash && patience[slot]-- > 0) {
            return false;
        }
        if (clients[slot] != hash) {
            clearSweep(slot);
            clients[slot] = hash;
            lookups[slot] = 0;
            newKeys[slot] = 0;
            patience[slot] = 0;
        }
        patience[slot] = Math.min(MAX_PATIENCE, patience[slot] + 1);
        lookups[slot]++;
        newKeys[slot] += isNew ? 1 : 0;
        lastNanos[slot] = nowNanos;
        if (lookups[slot] >= WINDOW) {
            evaluate(slot);
        }
        return sweeps[slot];
    }

    private void evaluate(int slot) {
        if (newKeys[slot] >= SWEEP && !sweeps[slot]) {
            sweeps[slot] = true;
            sweeping++;
        } else if (newKeys[slot] < CALM) {
            clearSweep(slot);
        }
        lookups[slot] = 0;
        newKeys[slot] = 0;
    }

    private void clearSweep(int slot) {
        if (sweeps[slot]) {
            sweeps[slot] = false;
            sweeping--;
        }
    }

    /** Reports whether a key is new, and remembers it. */
    private boolean isNew(int key) {
        int first = (key * 0x85EBCA6B) >>> 13;
        int second = (key * 0xC2B2AE35 + 0x27D4EB2F) >>> 13;
        if (has(seen, first, second) || has(seenBefore, first, second)) {
            return false;
        }
        if (++remembered > KEYS) {
            long[] oldest = seenBefore;
            seenBefore = seen;
            seen = oldest;
            Arrays.fill(seen, 0);
            remembered = 1;
        }
        seen[first >>> 6] |= 1L << first;
        seen[second >>> 6] |= 1L << second;
        return true;
    }

    private static boolean has(long[] bits, int first, int second) {
        return (bits[first >>> 6] & 1L << first) != 0 && (bits[second >>> 6] & 1L << second) != 0;
    }

    /** Returns the number of clients that sweep now. */
    int sweeping(long nowNanos) {
        for (int slot = 0; sweeping > 0 && slot < SLOTS; slot++) {
            if (sweeps[slot] && nowNanos - lastNanos[slot] > GONE_NANOS) {
                clearSweep(slot);
            }
        }
        return sweeping;
    }
}
