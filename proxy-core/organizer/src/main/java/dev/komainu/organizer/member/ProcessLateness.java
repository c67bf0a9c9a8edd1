package dev.komainu.organizer.member;

/**
 * The lateness of this process, and the extra patience with other members that follows from it:
 * they may share its processors, and their messages may wait unread here. The patience is
 * {@value #FACTOR} times the lateness, at most {@value #MOST_MILLIS} ms. Not thread-safe.
 *
 * <p>A tick that comes 50 ms late is not a sign of anything. When a starved process sends a
 * message, each step (send, write, read, pass on) is as late as a timer; hence the factor.
 */
final class ProcessLateness {

    private static final int UNNOTICED_MILLIS = 50;
    private static final int FACTOR = 10;
    private static final int MOST_MILLIS = 10_000;
    private static final long MILLI = 1_000_000L;

    private long patientUntil;
    private boolean patient;

    /** Records the lateness of one task. */
    void late(long nanos, long nowNanos) {
        if (nanos > UNNOTICED_MILLIS * MILLI) {
            long until = nowNanos + Math.min(MOST_MILLIS * MILLI, FACTOR * nanos);
            if (!patient || until - patientUntil > 0) {
                patientUntil = until;
                patient = true;
            }
        }
    }

    /**
     * Returns the extra time to wait for other members, in milliseconds; 0: this process is on
     * time.
     */
    long patienceMillis(long nowNanos) {
        if (patient && patientUntil - nowNanos <= 0) {
            patient = false;
        }
        return patient ? (patientUntil - nowNanos + MILLI - 1) / MILLI : 0;
    }
}
