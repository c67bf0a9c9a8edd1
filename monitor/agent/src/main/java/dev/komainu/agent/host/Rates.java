package dev.komainu.agent.host;

/** What a counter grew by, when counters may wrap or begin anew. Pure. */
final class Rates {

    private static final long WRAP_32 = 1L << 32;

    private Rates() {}

    /**
     * Growth from {@code before} to {@code now}. A counter that fell either wrapped at 32 bits, when it stood in the last
     * quarter below and stands in the first quarter above, or was set back to zero (a device plugged in again), when what
     * it shows now is what happened since. Never negative.
     */
    static long growth(long before, long now) {
        if (now >= before || before < 0) {
            // Counters of 64 bits may pass Long.MAX_VALUE: their difference is still right.
            return Math.max(0, now - before);
        }
        boolean wrapped = before < WRAP_32 && before >= WRAP_32 / 4 * 3 && now < WRAP_32 / 4;
        return wrapped ? now + WRAP_32 - before : Math.max(0, now);
    }

    /** Growth per second; 0 for an interval of no length. */
    static double perSecond(long before, long now, double seconds) {
        return seconds > 0 ? growth(before, now) / seconds : 0;
    }
}
