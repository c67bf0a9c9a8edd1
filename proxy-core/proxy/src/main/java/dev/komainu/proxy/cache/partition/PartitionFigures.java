package dev.komainu.proxy.cache.partition;

import dev.komainu.proxy.cache.PartitionSettings;

/**
 * How the cache is divided now. In mode {@code single} all is in the normal pool.
 *
 * @param settings in force
 * @param wholeBytes what both pools may weigh together
 * @param targetBytes S_target: what the protected pool is to weigh; S_cur is what it weighs
 * @param periods how often a pool had run out of unreferenced bytes, since start
 * @param guarded the protected pool
 * @param settled whether all entries are in the pool that the rules in force give them
 * @param resettled entries looked at since the rules were changed last, to bring them to their pool
 * @param toResettle of so many
 * @param moved of those looked at, the ones that changed pools
 * @param turnedAway answers not stored because the protected pool was full and they were asked for
 *     the first time, since start
 */
public record PartitionFigures(
        PartitionSettings settings,
        long wholeBytes,
        long targetBytes,
        long periods,
        PoolFigures guarded,
        PoolFigures normal,
        boolean settled,
        long resettled,
        long toResettle,
        long moved,
        long turnedAway) {}
