package dev.komainu.proxy.cache.partition;

import dev.komainu.proxy.cache.PartitionSettings;

/**
 * How large the protected pool is to be: the paper's S_target (spec section 3). Pure.
 *
 * @param largest bytes of the largest object there may be. Either pool is left as much at least, as
 *     the paper leaves each its largest read-ahead; yet no more than a quarter of the whole, or
 *     nothing would be left to divide
 * @param whole bytes of both pools together
 */
record TargetRule(PartitionSettings settings, long largest, long whole) {

    private long least() {
        return Math.min(largest, whole / 4);
    }

    private long lowest() {
        return Math.min(highest(), Math.max(least(), whole * settings.floorPercent() / 100));
    }

    private long highest() {
        return whole - least();
    }

    /** @param wanted bytes; what comes nearest is taken */
    long target(long wanted) {
        return switch (settings.mode()) {
            case SINGLE -> 0;
            case BASIC -> highest();
            case PARTITION -> Math.clamp(wanted, lowest(), highest());
        };
    }

    /** The protected pool has no unreferenced bytes left, the normal one so many. */
    long raised(long target, long unreferencedInNormal) {
        return target(target + unreferencedInNormal);
    }

    /** The normal pool has no unreferenced bytes left, the protected one so many. */
    long lowered(long target, long unreferencedInProtected) {
        return target(target - unreferencedInProtected * settings.dampingPercent() / 100);
    }
}
