package dev.komainu.proxy.exchange;

import java.net.InetAddress;
import java.util.Arrays;

/**
 * Recognises sweeps: clients that go through everything once, as crawlers and backups do, and so
 * fill a cache with what nobody asks for again. One for each event loop; only its loop touches it.
 *
 * <p>A client sweeps when nearly all of its last {@value #WINDOW} look-ups, {@value #SWEEP}, were
 * for keys that are neither stored nor were asked for lately by anybody. It does no longer when
 * fewer than {@value #CALM} of a later window were, or when nothing came from it for a minute.
 * Whoever is new to a cold cache asks for much that is new, too, but seldom for 250 things one
 * after the other that nobody wanted before.
 *
 * <table><caption>Limits</caption>
 * <tr><td>{@value #SLOTS} clients</td><td>by a hash of their address; two that share a slot: the busier one keeps it</td></tr>
 * <tr><td>{@value #KEYS} to twice as many keys</td><td>remembered as bits: some 3 in 100 new keys are taken for known
 * ones</td></tr>
 * </table>
 */
final class SweepDetector {

    private static final int WINDOW = 256;
    private static final int SWEEP = 236;
    private static final int CALM = 192;
    private static final int SLOTS = 512;
    private static final int MOST_PATIENCE = 16;
    private static final int KEYS = 1 << 15;
    private static final int BITS = 1 << 19;
    private static final long GONE_NANOS = 60_000_000_000L;

    private final int[] who = new int[SLOTS];
    private final int[] asked = new int[SLOTS];
    private final int[] news = new int[SLOTS];
    private final int[] patience = new int[SLOTS];
    private final boolean[] sweeps = new boolean[SLOTS];
    private final long[] lastNanos = new long[SLOTS];
    private int sweeping;

    private long[] seen = new long[BITS / 64];
    private long[] seenBefore = new long[BITS / 64];
    private int remembered;

    /**
     * A look-up.
     *
     * @param key a hash of what was looked up
     * @param stored whether it was there
     * @return whether its client sweeps
     */
    boolean lookedUp(InetAddress client, int key, boolean stored, long nowNanos) {
        int hash = client.hashCode();
        int slot = (hash * 0x9E3779B9) >>> 23;
        boolean isNew = !stored && isNew(key);
        if (who[slot] != hash && patience[slot]-- > 0) {
            return false;
        }
        if (who[slot] != hash) {
            calm(slot);
            who[slot] = hash;
            asked[slot] = 0;
            news[slot] = 0;
            patience[slot] = 0;
        }
        patience[slot] = Math.min(MOST_PATIENCE, patience[slot] + 1);
        asked[slot]++;
        news[slot] += isNew ? 1 : 0;
        lastNanos[slot] = nowNanos;
        if (asked[slot] >= WINDOW) {
            judge(slot);
        }
        return sweeps[slot];
    }

    private void judge(int slot) {
        if (news[slot] >= SWEEP && !sweeps[slot]) {
            sweeps[slot] = true;
            sweeping++;
        } else if (news[slot] < CALM) {
            calm(slot);
        }
        asked[slot] = 0;
        news[slot] = 0;
    }

    private void calm(int slot) {
        if (sweeps[slot]) {
            sweeps[slot] = false;
            sweeping--;
        }
    }

    /** Remembers it, too. */
    private boolean isNew(int key) {
        int one = key * 0x85EBCA6B >>> 13;
        int two = key * 0xC2B2AE35 + 0x27D4EB2F >>> 13;
        if (has(seen, one, two) || has(seenBefore, one, two)) {
            return false;
        }
        if (++remembered > KEYS) {
            long[] oldest = seenBefore;
            seenBefore = seen;
            seen = oldest;
            Arrays.fill(seen, 0);
            remembered = 1;
        }
        seen[one >>> 6] |= 1L << one;
        seen[two >>> 6] |= 1L << two;
        return true;
    }

    private static boolean has(long[] bits, int one, int two) {
        return (bits[one >>> 6] & 1L << one) != 0 && (bits[two >>> 6] & 1L << two) != 0;
    }

    /** Clients that sweep now. */
    int sweeping(long nowNanos) {
        for (int slot = 0; sweeping > 0 && slot < SLOTS; slot++) {
            if (sweeps[slot] && nowNanos - lastNanos[slot] > GONE_NANOS) {
                calm(slot);
            }
        }
        return sweeping;
    }
}
