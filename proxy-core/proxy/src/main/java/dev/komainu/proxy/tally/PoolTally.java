package dev.komainu.proxy.tally;

/**
 * One event loop's lookups by pool, cumulative since start. Hits are responses from memory, misses
 * are lookups that led to an origin. Requests whose method is never looked up are in neither. While
 * the cache is not divided, all lookups count for the normal pool. Only the owning loop uses this
 * object.
 */
public final class PoolTally {

    public long protectedHits;
    /** Bytes of bodies, as they were sent. */
    public long protectedHitBytes;

    public long protectedMisses;
    public long normalHits;
    /** Bytes of bodies, as they were sent. */
    public long normalHitBytes;

    public long normalMisses;

    public void hit(boolean isProtected, long bytes) {
        if (isProtected) {
            protectedHits++;
            protectedHitBytes += bytes;
        } else {
            normalHits++;
            normalHitBytes += bytes;
        }
    }

    public void missed(boolean isProtected) {
        if (isProtected) {
            protectedMisses++;
        } else {
            normalMisses++;
        }
    }

    /** On the owning loop. */
    void addTo(PoolTally total) {
        total.protectedHits += protectedHits;
        total.protectedHitBytes += protectedHitBytes;
        total.protectedMisses += protectedMisses;
        total.normalHits += normalHits;
        total.normalHitBytes += normalHitBytes;
        total.normalMisses += normalMisses;
    }
}
