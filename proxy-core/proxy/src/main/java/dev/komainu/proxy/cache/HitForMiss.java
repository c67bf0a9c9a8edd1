package dev.komainu.proxy.cache;

/**
 * Hit-for-miss: the last answer for this key was not storable, so nobody waits for another's fetch
 * until then. Without it a herd on an uncacheable object is served one after the other (drill 2).
 *
 * @param untilMillis on the proxy's steady clock
 * @param weight bytes charged
 */
public record HitForMiss(long untilMillis, int weight) implements CacheEntry {

    @Override
    public int heapBytes() {
        return weight;
    }
}
