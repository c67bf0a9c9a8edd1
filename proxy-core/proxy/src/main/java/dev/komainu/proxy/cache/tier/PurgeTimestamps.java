package dev.komainu.proxy.cache.tier;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.proxy.cache.StoredRepresentation;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * When what was purged last, so that an answer that was asked for before a purge is not stored
 * after it.
 *
 * <pre>
 *   fetch:  since = now() ── asks the origin ───────────── put ── judge(since)
 *   purge:                        stamp ── look at all that is stored
 * </pre>
 *
 * Who purges stamps first and looks then; who stores puts first and judges then: whichever comes
 * second sees the other. URIs and labels are stamped by hash into a fixed table, so however many
 * changes arrive, nothing grows; two that share a slot cost at worst an answer that is fetched once
 * more. Prefixes are kept in a short list; a fetch older than the list's memory is not stored. Safe
 * for all threads; without a purge in between, judging is one read.
 */
public final class PurgeTimestamps {

    /** What becomes of an arriving answer. */
    public enum Verdict {
        KEEP,
        /** Stale from the start. */
        SOFTEN,
        DROP
    }

    private static final int SLOTS = 4096;
    private static final int MOST_PREFIXES = 256;

    private final AtomicLong clock = new AtomicLong();
    private final AtomicLongArray hard = new AtomicLongArray(SLOTS);
    private final AtomicLongArray soft = new AtomicLongArray(SLOTS);
    private volatile Prefixes prefixes = new Prefixes(new Prefix[0], 0);

    private record Prefix(byte[] bytes, boolean soft, long at) {}

    /**
     * @param kept oldest first
     * @param forgotten the latest of those no longer kept
     */
    private record Prefixes(Prefix[] kept, long forgotten) {}

    /** To be remembered before asking an origin. */
    public long now() {
        return clock.get();
    }

    public void uri(CacheKey uri, boolean softly) {
        stamp(uri.hashCode(), softly);
    }

    public void label(String label, boolean softly) {
        stamp(hash(label), softly);
    }

    private static int hash(String label) {
        return label.hashCode() * 0x9E3779B9 + 0x7F4A7C15;
    }

    private static int slot(int hash) {
        return (hash ^ hash >>> 16) & SLOTS - 1;
    }

    private void stamp(int hash, boolean softly) {
        // Taken first: who sees the slot's old value also sees the clock's new one, or began before
        // both.
        long at = clock.incrementAndGet();
        (softly ? soft : hard).accumulateAndGet(slot(hash), at, Math::max);
    }

    /** @param prefix of a URI as {@link CacheKey} writes it; empty: everything */
    public synchronized void prefix(byte[] prefix, boolean softly) {
        long at = clock.incrementAndGet();
        Prefixes before = prefixes;
        int drop = before.kept.length == MOST_PREFIXES ? 1 : 0;
        Prefix[] kept = Arrays.copyOfRange(before.kept, drop, before.kept.length + 1);
        kept[kept.length - 1] = new Prefix(prefix.clone(), softly, at);
        prefixes = new Prefixes(kept, drop == 1 ? before.kept[0].at : before.forgotten);
    }

    /** @param since what {@link #now} said before the origin was asked */
    Verdict judge(long since, CacheKey uri, StoredRepresentation response) {
        if (clock.get() == since) {
            return Verdict.KEEP;
        }
        int slot = slot(uri.hashCode());
        boolean softened = soft.get(slot) > since;
        if (hard.get(slot) > since) {
            return Verdict.DROP;
        }
        for (String label : response.labels()) {
            int other = slot(hash(label));
            if (hard.get(other) > since) {
                return Verdict.DROP;
            }
            softened |= soft.get(other) > since;
        }
        Prefixes known = prefixes;
        if (known.forgotten > since) {
            return Verdict.DROP;
        }
        for (Prefix prefix : known.kept) {
            if (prefix.at > since && uri.startsWith(prefix.bytes)) {
                if (!prefix.soft) {
                    return Verdict.DROP;
                }
                softened = true;
            }
        }
        return softened ? Verdict.SOFTEN : Verdict.KEEP;
    }
}
