package dev.komainu.proxy.cache.partition;

import dev.komainu.proxy.cache.PartitionSettings;

/**
 * The rule for the protected pool's size: the paper's S_target (spec section 3). A pure function.
 *
 * @param largest bytes of the largest possible object. Each pool keeps at least as much, as the
 *     paper keeps the largest read-ahead for each; yet at most a quarter of the total, or nothing
 *     would be left to divide
 * @param total bytes of both pools together
 */
record TargetRule(PartitionSettings settings, long largest, long total) {

    private long minimum() {
        return Math.min(largest, total / 4);
    }

    private long lowest() {
        return Math.min(highest(), Math.max(minimum(), total * settings.floorPercent() / 100));
    }

    private long highest() {
        return total - minimum();
    }

    /** Returns the permitted target nearest to this number of bytes. */
    long target(long requested) {
        return switch (settings.mode()) {
            case SINGLE -> 0;
            case BASIC -> highest();
            case PARTITION -> Math.clamp(requested, lowest(), highest());
        };
    }

    /** Returns the target after the protected pool has no unreferenced bytes left. */
    long raised(long target, long unreferencedInNormal) {
        return target(target + unreferencedInNormal);
    }

    /** Returns the target after the normal pool has no unreferenced bytes left. */
    long lowered(long target, long unreferencedInProtected) {
        return target(target - unreferencedInProtected * settings.dampingPercent() / 100);
    }
}
