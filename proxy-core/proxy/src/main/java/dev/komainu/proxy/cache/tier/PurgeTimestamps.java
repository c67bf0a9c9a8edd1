package dev.komainu.proxy.cache.tier;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.proxy.cache.StoredRepresentation;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The times of the last purges, so that a response requested before a purge is not stored after it.
 *
 * <pre>
 *   fetch:  since = now() ── request to the origin ─────────────── put ── evaluate(since)
 *   purge:                        timestamp ── check all stored responses
 * </pre>
 *
 * A purge sets the timestamp first and checks the stored responses afterwards. A fetch puts first
 * and evaluates afterwards. The second of the two therefore sees the first. URIs and labels are
 * hashed into a fixed table, so the memory does not grow with the number of purges. Two that share
 * a slot cost at worst one additional fetch. Prefixes are in a short list; a fetch older than the
 * oldest forgotten prefix is not stored. Thread-safe; without a purge in between, an evaluation is
 * one read.
 */
public final class PurgeTimestamps {

    /** The decision on an arriving response. */
    public enum Verdict {
        KEEP,
        /** Stored as stale. */
        SOFTEN,
        DROP
    }

    private static final int SLOTS = 4096;
    private static final int MAX_PREFIXES = 256;

    private final AtomicLong clock = new AtomicLong();
    private final AtomicLongArray hard = new AtomicLongArray(SLOTS);
    private final AtomicLongArray soft = new AtomicLongArray(SLOTS);
    private volatile Prefixes prefixes = new Prefixes(new Prefix[0], 0);

    private record Prefix(byte[] bytes, boolean soft, long time) {}

    /**
     * The known prefixes.
     *
     * @param kept oldest first
     * @param forgotten the time of the latest prefix that is no longer kept
     */
    private record Prefixes(Prefix[] kept, long forgotten) {}

    /** Returns the time to be remembered before a request to an origin. */
    public long now() {
        return clock.get();
    }

    public void uri(CacheKey uri, boolean soft) {
        record(uri.hashCode(), soft);
    }

    public void label(String label, boolean soft) {
        record(hash(label), soft);
    }

    private static int hash(String label) {
        return label.hashCode() * 0x9E3779B9 + 0x7F4A7C15;
    }

    private static int slot(int hash) {
        return (hash ^ hash >>> 16) & SLOTS - 1;
    }

    private void record(int hash, boolean soft) {
        // The clock first: a thread that sees the slot's old value also sees the clock's new value,
        // or began before both.
        long time = clock.incrementAndGet();
        (soft ? this.soft : hard).accumulateAndGet(slot(hash), time, Math::max);
    }

    /**
     * Records the purge of a prefix.
     *
     * @param prefix of a URI as written by {@link CacheKey}; empty: all URIs
     */
    public synchronized void prefix(byte[] prefix, boolean soft) {
        long time = clock.incrementAndGet();
        Prefixes before = prefixes;
        int drop = before.kept.length == MAX_PREFIXES ? 1 : 0;
        Prefix[] kept = Arrays.copyOfRange(before.kept, drop, before.kept.length + 1);
        kept[kept.length - 1] = new Prefix(prefix.clone(), soft, time);
        prefixes = new Prefixes(kept, drop == 1 ? before.kept[0].time : before.forgotten);
    }

    /**
     * Evaluates an arriving response.
     *
     * @param since {@link #now} before the request to the origin
     */
    Verdict evaluate(long since, CacheKey uri, StoredRepresentation response) {
        if (clock.get() == since) {
            return Verdict.KEEP;
        }
        int slot = slot(uri.hashCode());
        boolean soften = soft.get(slot) > since;
        if (hard.get(slot) > since) {
            return Verdict.DROP;
        }
        for (String label : response.labels()) {
            int labelSlot = slot(hash(label));
            if (hard.get(labelSlot) > since) {
                return Verdict.DROP;
            }
            soften |= soft.get(labelSlot) > since;
        }
        Prefixes known = prefixes;
        if (known.forgotten > since) {
            return Verdict.DROP;
        }
        for (Prefix prefix : known.kept) {
            if (prefix.time > since && uri.startsWith(prefix.bytes)) {
                if (!prefix.soft) {
                    return Verdict.DROP;
                }
                soften = true;
            }
        }
        return soften ? Verdict.SOFTEN : Verdict.KEEP;
    }
}
