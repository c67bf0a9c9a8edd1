package dev.komainu.intermediary.buffer;

import java.util.Arrays;

/**
 * Max-min fair sharing: no share exceeds its demand, and no connection with an unmet demand gets
 * less than another. One number describes such a distribution, the level up to which every demand
 * is met.
 *
 * <pre>
 * demand  ███          ▒▒ not met
 *         ▓▓▓  ▒▒▒
 *  level ─▓▓▓──▒▒▒─────────
 *         ███  ███  ███
 *         ███  ███  ███  ███
 * </pre>
 */
final class MaxMinShares {

    private MaxMinShares() {}

    /**
     * Returns the largest level at which the shares {@code min(demand, level)} together do not
     * exceed the budget; the largest demand when all can be met.
     *
     * @param demands not below 0; the first {@code count} are sorted by this method
     */
    static long level(long[] demands, int count, long budget) {
        Arrays.sort(demands, 0, count);
        long remaining = Math.max(0, budget);
        for (int i = 0; i < count; i++) {
            long equalShare = remaining / (count - i);
            if (demands[i] > equalShare) {
                // This demand and all larger ones get equal shares.
                return equalShare;
            }
            remaining -= demands[i];
        }
        return count == 0 ? 0 : demands[count - 1];
    }
}
