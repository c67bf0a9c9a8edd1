package dev.komainu.organizer.route;

/**
 * The delay of a member: the minimum of its last round trips. The time above the minimum was spent
 * in a queue, in a pause or in uncompiled code, and is not part of the path delay (as in BBR's
 * estimate, draft-ietf-ccwg-bbr section 2.13). The first round trip includes the connection setup,
 * so the delay is known after {@value #REMEMBERED}. Single-threaded.
 */
final class MemberDelay {

    /**
     * Round trips are measured every five seconds: a path that became longer is detected after
     * twenty seconds.
     */
    private static final int REMEMBERED = 4;

    private final long[] last = new long[REMEMBERED];
    private long count;
    private long minimum;

    void measured(long micros) {
        last[(int) (count++ % REMEMBERED)] = Math.max(1, micros);
        minimum = Long.MAX_VALUE;
        for (long one : last) {
            if (one > 0) {
                minimum = Math.min(minimum, one);
            }
        }
    }

    boolean isKnown() {
        return count >= REMEMBERED;
    }

    /** Returns the delay; 0: none was measured. */
    long micros() {
        return minimum;
    }
}
