package dev.komainu.organizer.route;

/**
 * The back-off after one failure or several in a row: one second, then two, then four. Immutable.
 * The maximum is four seconds, so that a member that returns is found within five seconds.
 *
 * @param failures failures in a row, at least 1
 * @param dueNanos time of the next attempt, on the monotonic clock
 */
record Backoff(int failures, long dueNanos) {

    private static final long FIRST_NANOS = 1_000_000_000L;
    private static final int MAX_DOUBLINGS = 2;

    static Backoff first(long nowNanos) {
        return new Backoff(1, nowNanos + FIRST_NANOS);
    }

    Backoff failedAgain(long nowNanos) {
        return new Backoff(
                failures + 1, nowNanos + (FIRST_NANOS << Math.min(failures, MAX_DOUBLINGS)));
    }

    /** Returns the back-off during an attempt: meanwhile no other request tries. */
    Backoff attempted(long nowNanos) {
        return new Backoff(
                failures, nowNanos + (FIRST_NANOS << Math.min(failures - 1, MAX_DOUBLINGS)));
    }

    boolean isDue(long nowNanos) {
        return nowNanos - dueNanos >= 0;
    }
}
