package dev.komainu.proxy.cache;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.util.List;

/**
 * How the cache is divided into a protected and a normal pool (spec section 3;
 * docs/decisions/0059-pools.md).
 *
 * @param mode how (single: not at all)
 * @param priority what belongs to the protected pool, 0 to 1,000 (none); at least one where the
 *     cache is divided
 * @param floorPercent the paper's M: least share of the cache that the protected pool's target may
 *     fall to, 1 to 80 (20)
 * @param dampingPercent the paper's α: share of the protected pool's unreferenced bytes that it is
 *     asked to give up at a time, 1 to 100 (20)
 */
public record PartitionSettings(
        PartitionMode mode, List<PriorityPrefix> priority, int floorPercent, int dampingPercent) {

    static final Setting<PartitionMode> PARTITION = Setting.of(
                    "cache.partition", "single, basic, partition", PartitionMode::parse)
            .byDefault("single")
            .effect("""
                    whether the cache is divided into a protected and a normal pool, each under `cache.policy`: `partition` moves the boundary by
                    what each pool leaves unused, `basic` lets the protected pool only grow (for comparison). See [Pools](#pools)""");

    static final Setting<List<PriorityPrefix>> PRIORITY = Setting.of(
                    "cache.priority", "URL prefixes", PriorityPrefix::parse)
            .list()
            .range("list of 0 to 1,000 URL prefixes")
            .effect("""
                    what belongs to the protected pool: `/PATH` on any host, `HOST`, `HOST/PATH`; with `/*` at the end only what lies directly in
                    that directory""");

    static final Setting<Integer> FLOOR = Setting.integer("cache.partition-floor", 1, 80)
            .range("1 to 80, percent")
            .byDefault("20")
            .effect("""
                    M: what the protected pool's target never falls below, of all that may be stored; as much of the disk, if there is one""");

    static final Setting<Integer> DAMPING = Setting.integer("cache.partition-damping", 1, 100)
            .range("1 to 100, percent")
            .byDefault("20")
            .effect(
                    "α: how much of what the protected pool leaves unused it is asked to give up at a time");

    public static final PartitionSettings DEFAULT = read(SettingReader.ofDefaults());

    /** Reads these settings; mistakes are noted in the reader. */
    public static PartitionSettings read(SettingReader reader) {
        return new PartitionSettings(
                reader.get(PARTITION),
                reader.get(PRIORITY, List.of()),
                reader.get(FLOOR),
                reader.get(DAMPING));
    }

    private static final int MOST_PREFIXES = 1_000;

    public PartitionSettings {
        priority = List.copyOf(priority);
    }

    /** Adds "name: value (expected …)" for each value out of range, or that contradicts another. */
    public void check(List<String> problems) {
        if (mode != PartitionMode.SINGLE && priority.isEmpty()) {
            problems.add(
                    "cache.priority: empty (expected: at least one URL prefix, because cache.partition is "
                            + mode.text() + ")");
        }
        if (priority.size() > MOST_PREFIXES) {
            problems.add("cache.priority: " + priority.size() + " prefixes (expected: at most "
                    + MOST_PREFIXES + ")");
        }
        FLOOR.check(floorPercent, problems);
        DAMPING.check(dampingPercent, problems);
    }

    /** What has priority, when anything has. */
    public PriorityRules divided() {
        return mode == PartitionMode.SINGLE ? PriorityRules.NONE : new PriorityRules(priority);
    }
}
