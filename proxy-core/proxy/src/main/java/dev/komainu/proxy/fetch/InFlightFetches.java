package dev.komainu.proxy.fetch;

import dev.komainu.intermediary.caching.CacheKey;
import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The origin fetches in progress, one per cache key. The first miss leads; later ones wait for its
 * result. Shared by all event loops.
 */
public final class InFlightFetches {

    private final ConcurrentHashMap<CacheKey, Fetch> fetches = new ConcurrentHashMap<>();

    /**
     * Lets a waiter join the fetch of its key.
     *
     * @return false when no fetch is in progress that can be joined
     */
    public boolean join(CacheKey key, FetchWaiter waiter) {
        Fetch fetch = fetches.get(key);
        return fetch != null && fetch.join(waiter);
    }

    /**
     * Makes {@code candidate} the fetch of its key and starts it, or lets its leader join the one
     * that came first.
     *
     * @return true when {@code candidate} leads
     */
    public boolean leadOrJoin(Fetch candidate, FetchLeader leader) {
        while (true) {
            Fetch other = fetches.putIfAbsent(candidate.plan().key(), candidate);
            if (other == null) {
                candidate.start(leader);
                return true;
            }
            if (other.join(leader)) {
                return false;
            }
            fetches.remove(candidate.plan().key(), other);
        }
    }

    public boolean isInFlight(CacheKey key) {
        return fetches.containsKey(key);
    }

    void concluded(Fetch fetch) {
        fetches.remove(fetch.plan().key(), fetch);
    }

    /**
     * Excludes the fetch of this key from storing and from joins: its request is older than a
     * change.
     */
    public void disown(CacheKey key) {
        Fetch fetch = fetches.remove(key);
        if (fetch != null) {
            fetch.disown();
        }
    }

    /** Excludes the fetches of all URIs with this prefix, as {@link #disown(CacheKey)} does. */
    public void disownPrefix(byte[] prefix) {
        fetches.forEach((key, fetch) -> {
            if (fetch.plan().uri().startsWith(prefix) && fetches.remove(key, fetch)) {
                fetch.disown();
            }
        });
    }

    /**
     * Closes the fetches whose response may carry one of these labels to further joins: their
     * requests are older than this call. Whether they are stored is decided when their labels are
     * known.
     */
    public void closeToJoins(Collection<String> labels) {
        fetches.forEach((key, fetch) -> {
            if (fetch.mayCarry(labels)) {
                fetches.remove(key, fetch);
            }
        });
    }

    /** Closes the fetch of this key to further joins; its response is stored as usual. */
    public void closeToJoins(CacheKey key) {
        fetches.remove(key);
    }

    /**
     * Closes the fetches of all URIs with this prefix to further joins, as
     * {@link #closeToJoins(CacheKey)} does.
     */
    public void closePrefixToJoins(byte[] prefix) {
        fetches.values().removeIf(fetch -> fetch.plan().uri().startsWith(prefix));
    }

    public int size() {
        return fetches.size();
    }
}
