package dev.komainu.proxy.cache;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.util.List;

/**
 * Settings of the division into a protected and a normal pool (spec section 3;
 * docs/decisions/0059-pools.md).
 *
 * @param mode kind of division (single: none)
 * @param priority prefixes of the protected pool, 0 to 1,000 (none); at least one where the cache
 *     is divided
 * @param floorPercent the paper's M: minimum share of the cache for the protected pool's target, 1
 *     to 80 (20)
 * @param dampingPercent the paper's α: share of the protected pool's unreferenced bytes by which
 *     its target is lowered at a time, 1 to 100 (20)
 */
public record PartitionSettings(
        PartitionMode mode, List<PriorityPrefix> priority, int floorPercent, int dampingPercent) {

    static final Setting<PartitionMode> PARTITION = Setting.of(
                    "cache.partition", "single, basic, partition", PartitionMode::parse)
            .byDefault("single")
            .effect("Division of the cache into a protected and a normal pool, each under "
                    + "`cache.policy`")
            .detail("""
                    `partition` moves the boundary by the unused bytes of each pool. With `basic`
                    the protected pool only grows (for comparison). See [Pools](#pools).""");

    static final Setting<List<PriorityPrefix>> PRIORITY = Setting.of(
                    "cache.priority", "URL prefixes", PriorityPrefix::parse)
            .list()
            .range("list of 0 to 1,000 URL prefixes")
            .effect("URLs of the protected pool: `/PATH` on any host, `HOST`, `HOST/PATH`")
            .detail("""
                    With `/*` at the end: only URLs directly in that directory.""");

    static final Setting<Integer> FLOOR = Setting.integer("cache.partition-floor", 1, 80)
            .range("1 to 80, percent")
            .byDefault("20")
            .effect("Minimum of the protected pool's target, as a share of the cache (M)")
            .detail("""
                    The same share applies to the disk tier, if there is one.""");

    static final Setting<Integer> DAMPING = Setting.integer("cache.partition-damping", 1, 100)
            .range("1 to 100, percent")
            .byDefault("20")
            .effect("Share of the protected pool's unused bytes by which its target is lowered "
                    + "at a time (α)");

    public static final PartitionSettings DEFAULT = read(SettingReader.ofDefaults());

    /** Reads these settings; errors are recorded in the reader. */
    public static PartitionSettings read(SettingReader reader) {
        return new PartitionSettings(
                reader.get(PARTITION),
                reader.get(PRIORITY, List.of()),
                reader.get(FLOOR),
                reader.get(DAMPING));
    }

    private static final int MAX_PREFIXES = 1_000;

    public PartitionSettings {
        priority = List.copyOf(priority);
    }

    /** Adds "name: value (expected …)" for each value out of range, and for each contradiction. */
    public void check(List<String> problems) {
        if (mode != PartitionMode.SINGLE && priority.isEmpty()) {
            problems.add(
                    "cache.priority: empty (expected: at least one URL prefix, because cache.partition is "
                            + mode.text() + ")");
        }
        if (priority.size() > MAX_PREFIXES) {
            problems.add("cache.priority: " + priority.size() + " prefixes (expected: at most "
                    + MAX_PREFIXES + ")");
        }
        FLOOR.check(floorPercent, problems);
        DAMPING.check(dampingPercent, problems);
    }

    /**
     * Returns the rules of the divided cache; {@link PriorityRules#NONE} when it is not divided.
     */
    public PriorityRules priorityRules() {
        return mode == PartitionMode.SINGLE ? PriorityRules.NONE : new PriorityRules(priority);
    }
}
