package dev.komainu.proxy.fetch;

import dev.komainu.intermediary.caching.CacheKey;
import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The origin fetches now under way, one per cache key. The first miss leads; later ones wait for
 * its outcome, good or bad. Shared by all event loops.
 */
public final class InFlightFetches {

    private final ConcurrentHashMap<CacheKey, Fetch> underWay = new ConcurrentHashMap<>();

    /**
     * Lets a waiter join the fetch of its key.
     *
     * @return false when none is under way that can be joined
     */
    public boolean join(CacheKey key, FetchWaiter waiter) {
        Fetch fetch = underWay.get(key);
        return fetch != null && fetch.join(waiter);
    }

    /**
     * Makes {@code mine} the fetch of its key and starts it, or lets its leader join the one that
     * came first.
     *
     * @return true when {@code mine} leads
     */
    public boolean leadOrJoin(Fetch mine, FetchLeader leader) {
        while (true) {
            Fetch other = underWay.putIfAbsent(mine.plan().key(), mine);
            if (other == null) {
                mine.start(leader);
                return true;
            }
            if (other.join(leader)) {
                return false;
            }
            underWay.remove(mine.plan().key(), other);
        }
    }

    public boolean isUnderWay(CacheKey key) {
        return underWay.containsKey(key);
    }

    void concluded(Fetch fetch) {
        underWay.remove(fetch.plan().key(), fetch);
    }

    /**
     * What is on its way for this key was asked for before a change: it is not to be stored, nor
     * joined any more.
     */
    public void disown(CacheKey key) {
        Fetch fetch = underWay.remove(key);
        if (fetch != null) {
            fetch.disown();
        }
    }

    /** As {@link #disown(CacheKey)}, for every URI that begins so. */
    public void disownPrefix(byte[] prefix) {
        underWay.forEach((key, fetch) -> {
            if (fetch.plan().uri().startsWith(prefix) && underWay.remove(key, fetch)) {
                fetch.disown();
            }
        });
    }

    /**
     * Lets nobody join any more who might get an answer with one of these labels that was asked for
     * before now. Whether it is stored is decided when its labels are known.
     */
    public void leaveAlone(Collection<String> labels) {
        underWay.forEach((key, fetch) -> {
            if (fetch.mayCarry(labels)) {
                underWay.remove(key, fetch);
            }
        });
    }

    /** Lets nobody join the fetch of this key any more; it is stored as it comes. */
    public void leaveAlone(CacheKey key) {
        underWay.remove(key);
    }

    /** As {@link #leaveAlone(CacheKey)}, for every URI that begins so. */
    public void leavePrefixAlone(byte[] prefix) {
        underWay.values().removeIf(fetch -> fetch.plan().uri().startsWith(prefix));
    }

    public int size() {
        return underWay.size();
    }
}
