package dev.komainu.organizer.route;

/**
 * When to try again, after one failure or several in a row: a second later, then two, then four.
 * Immutable. Four at most, so that whoever is back is found within five seconds.
 *
 * @param failures in a row, at least 1
 * @param dueNanos on the monotonic clock
 */
record Backoff(int failures, long dueNanos) {

    private static final long FIRST_NANOS = 1_000_000_000L;
    private static final int MOST_DOUBLINGS = 2;

    static Backoff first(long nowNanos) {
        return new Backoff(1, nowNanos + FIRST_NANOS);
    }

    Backoff again(long nowNanos) {
        return new Backoff(
                failures + 1, nowNanos + (FIRST_NANOS << Math.min(failures, MOST_DOUBLINGS)));
    }

    /** While one tries, the others wait. */
    Backoff tried(long nowNanos) {
        return new Backoff(
                failures, nowNanos + (FIRST_NANOS << Math.min(failures - 1, MOST_DOUBLINGS)));
    }

    boolean isDue(long nowNanos) {
        return nowNanos - dueNanos >= 0;
    }
}
