package dev.komainu.proxy.cache;

import java.util.List;

/**
 * How the cache is divided into a protected and a normal pool (spec section 3; docs/decisions/0059-pools.md).
 *
 * @param mode how (single: not at all)
 * @param priority what belongs to the protected pool, 0 to 1,000 (none); at least one where the cache is divided
 * @param floorPercent the paper's M: least share of the cache that the protected pool's target may fall to, 1 to 80 (20)
 * @param dampingPercent the paper's α: share of the protected pool's unreferenced bytes that it is asked to give up at a
 *     time, 1 to 100 (20)
 */
public record PartitionSettings(
        PartitionMode mode, List<PriorityPrefix> priority, int floorPercent, int dampingPercent) {

    public static final PartitionSettings DEFAULT = new PartitionSettings(PartitionMode.SINGLE, List.of(), 20, 20);

    private static final int MOST_PREFIXES = 1_000;

    public PartitionSettings {
        priority = List.copyOf(priority);
    }

    /** Adds "name: value (expected …)" for each value out of range. */
    public void check(List<String> problems) {
        if (mode != PartitionMode.SINGLE && priority.isEmpty()) {
            problems.add("cache.priority: empty (expected: at least one URL prefix, because cache.partition is "
                    + mode.text() + ")");
        }
        if (priority.size() > MOST_PREFIXES) {
            problems.add("cache.priority: " + priority.size() + " prefixes (expected: at most " + MOST_PREFIXES + ")");
        }
        if (floorPercent < 1 || floorPercent > 80) {
            problems.add("cache.partition-floor: " + floorPercent + " (expected: 1 to 80, in percent of the cache)");
        }
        if (dampingPercent < 1 || dampingPercent > 100) {
            problems.add("cache.partition-damping: " + dampingPercent + " (expected: 1 to 100, in percent)");
        }
    }

    /** What has priority, when anything has. */
    public Priority divided() {
        return mode == PartitionMode.SINGLE ? Priority.NONE : new Priority(priority);
    }
}
