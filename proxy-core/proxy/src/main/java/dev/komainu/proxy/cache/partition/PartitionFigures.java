package dev.komainu.proxy.cache.partition;

import dev.komainu.proxy.cache.PartitionSettings;

/**
 * The division of the cache. In mode {@code single} all entries are in the normal pool.
 *
 * @param settings settings in force
 * @param wholeBytes limit of both pools together
 * @param targetBytes S_target: target weight of the protected pool; S_cur is its present weight
 * @param periods number of times a pool had no unreferenced bytes left, since start
 * @param guarded the protected pool
 * @param settled whether all entries are in the pool of the rules in force
 * @param resettled entries checked since the last change of the rules, to move them to their pool
 * @param toResettle entries to check since the last change of the rules
 * @param moved checked entries that changed pools
 * @param turnedAway responses not stored because the protected pool was full and they were
 *     requested for the first time, since start
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
