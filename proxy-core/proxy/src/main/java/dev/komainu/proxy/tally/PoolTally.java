package dev.komainu.proxy.tally;

/**
 * One event loop's look-ups by pool, cumulative since start: hits are answers from memory, misses
 * are look-ups that led to an origin. Requests whose method is never looked up are in neither.
 * While the cache is not divided, all are the normal pool's. Only the owning loop touches this
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
