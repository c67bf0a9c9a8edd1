package dev.komainu.organizer.route;

/**
 * How far away a member is: the least of its last round trips. What is above the least was spent in
 * a queue, in a pause, or in code that was not compiled yet, and says nothing of the way (as in
 * BBR's estimate of the path, draft-ietf-ccwg-bbr section 2.13). The first one has connecting in
 * it, so it takes {@value #REMEMBERED} to know. One thread at a time.
 */
final class MemberDelay {

    /** Measured every five seconds: a way that became longer is known after twenty. */
    private static final int REMEMBERED = 4;

    private final long[] last = new long[REMEMBERED];
    private long count;
    private long least;

    void measured(long micros) {
        last[(int) (count++ % REMEMBERED)] = Math.max(1, micros);
        least = Long.MAX_VALUE;
        for (long one : last) {
            if (one > 0) {
                least = Math.min(least, one);
            }
        }
    }

    boolean isKnown() {
        return count >= REMEMBERED;
    }

    /** 0: none was measured. */
    long micros() {
        return least;
    }
}
