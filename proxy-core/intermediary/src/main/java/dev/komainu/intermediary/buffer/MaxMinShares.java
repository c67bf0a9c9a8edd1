package dev.komainu.intermediary.buffer;

import java.util.Arrays;

/**
 * Max-min fair sharing: nobody gets more than he wants, and nobody who wants more gets less than
 * another. Such a sharing is told by one number, the level up to which every want is met.
 *
 * <pre>
 *   want  ███          ▒▒ not met
 *         ▓▓▓  ▒▒▒
 *  level ─▓▓▓──▒▒▒─────────
 *         ███  ███  ███
 *         ███  ███  ███  ███
 * </pre>
 */
final class MaxMinShares {

    private MaxMinShares() {}

    /**
     * The largest level at which the shares {@code min(want, level)} together take no more than the
     * budget; when all wants together do not, the largest want.
     *
     * @param wants not below 0; the first {@code count} are sorted by this
     */
    static long level(long[] demands, int count, long budget) {
        Arrays.sort(demands, 0, count);
        long remaining = Math.max(0, budget);
        for (int i = 0; i < count; i++) {
            long equalShare = remaining / (count - i);
            if (demands[i] > equalShare) {
                // He and all who want more get as much as each other.
                return equalShare;
            }
            remaining -= demands[i];
        }
        return count == 0 ? 0 : demands[count - 1];
    }
}
