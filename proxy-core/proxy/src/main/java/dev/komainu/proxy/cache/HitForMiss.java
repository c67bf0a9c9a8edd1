package dev.komainu.proxy.cache;

/**
 * A hit-for-miss entry: the last response for this key was not storable, so until it expires no
 * request waits for the fetch of another. Without it, concurrent requests for an uncacheable object
 * are served one after the other (drill 2).
 *
 * @param untilMillis expiry on the proxy's steady clock
 * @param weight bytes charged
 */
public record HitForMiss(long untilMillis, int weight) implements CacheEntry {

    @Override
    public int heapBytes() {
        return weight;
    }
}
