package dev.komainu.agent.host;

/**
 * The growth of a counter that may wrap or restart. Counters are unsigned, of 64 or 32 bits. Pure.
 */
final class Rates {

    private static final long WRAP_32 = 1L << 32;

    /**
     * The highest plausible value of a counter that decreased: more than 100 Gbit/s add in bytes,
     * or 1,000 processors in nanoseconds of a second, between two readings.
     */
    private static final long PLAUSIBLE = 1L << 40;

    private Rates() {}

    /**
     * Returns the growth from {@code before} to {@code now}, both unsigned. A decrease is explained
     * by the first of these that is plausible:
     *
     * <ol>
     *   <li>It wrapped at 64 bits: the distance past 2^64 is less than 2^40.
     *   <li>It wrapped at 32 bits: it was in the last quarter below 2^32 and is in the first
     *       quarter above 0.
     *   <li>It restarted (a device plugged in again): it is at most half of its last value, and
     *       less than 2^40. Its whole value is growth.
     *   <li>It was corrected, or a part was taken out of the sum. This is no growth.
     * </ol>
     *
     * Never negative.
     */
    static long growth(long before, long now) {
        long forward = now - before;
        if (Long.compareUnsigned(now, before) >= 0) {
            // An increase by half the range is a counter that decreased below zero.
            return Math.max(0, forward);
        }
        if (forward >= 0 && forward < PLAUSIBLE) {
            return forward;
        }
        boolean wrapped = Long.compareUnsigned(before, WRAP_32) < 0
                && before >= WRAP_32 / 4 * 3
                && now < WRAP_32 / 4;
        if (wrapped) {
            return now + WRAP_32 - before;
        }
        boolean restarted =
                Long.compareUnsigned(now, before >>> 1) <= 0 && now >= 0 && now < PLAUSIBLE;
        return restarted ? now : 0;
    }

    /** Returns the growth per second; 0 for an interval of length 0. */
    static double perSecond(long before, long now, double seconds) {
        return seconds > 0 ? growth(before, now) / seconds : 0;
    }
}
