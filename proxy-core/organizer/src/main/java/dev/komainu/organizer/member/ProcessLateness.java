package dev.komainu.organizer.member;

/**
 * How late this process is with what it wanted to do, and how long it is to be patient with others
 * for that: they may share its processors, and what they said may lie unread here. {@value #FACTOR}
 * times as long as it was late, {@value #MOST_MILLIS} ms at most. One thread at a time.
 *
 * <p>A beat that comes 50 ms late is no sign of anything. Of a message that a starved process
 * sends, writes, reads and hands on each step is late as a timer is; that is the factor.
 */
final class ProcessLateness {

    private static final int UNNOTICED_MILLIS = 50;
    private static final int FACTOR = 10;
    private static final int MOST_MILLIS = 10_000;
    private static final long MILLI = 1_000_000L;

    private long patientUntil;
    private boolean patient;

    /** Something was done so much later than it was due. */
    void late(long nanos, long nowNanos) {
        if (nanos > UNNOTICED_MILLIS * MILLI) {
            long until = nowNanos + Math.min(MOST_MILLIS * MILLI, FACTOR * nanos);
            if (!patient || until - patientUntil > 0) {
                patientUntil = until;
                patient = true;
            }
        }
    }

    /** How much longer than usual to wait for others; 0: this process is in time. */
    long patienceMillis(long nowNanos) {
        if (patient && patientUntil - nowNanos <= 0) {
            patient = false;
        }
        return patient ? (patientUntil - nowNanos + MILLI - 1) / MILLI : 0;
    }
}
