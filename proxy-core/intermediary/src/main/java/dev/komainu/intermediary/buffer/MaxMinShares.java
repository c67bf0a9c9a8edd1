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
    static long level(long[] wants, int count, long budget) {
        Arrays.sort(wants, 0, count);
        long left = Math.max(0, budget);
        for (int i = 0; i < count; i++) {
            long each = left / (count - i);
            if (wants[i] > each) {
                // He and all who want more get as much as each other.
                return each;
            }
            left -= wants[i];
        }
        return count == 0 ? 0 : wants[count - 1];
    }
}
