package dev.komainu.agent.connection.tcp;

/** Arithmetic on sequence numbers, which wrap (RFC 9293 3.4). */
public final class SequenceNumbers {

    /**
     * Largest plausible distance (no window is larger: RFC 7323 2.3); a segment beyond it is not
     * tracked.
     */
    public static final int FARTHEST = 1 << 30;

    private SequenceNumbers() {}

    /** Returns how far {@code b} lies behind {@code a}; negative when before it. */
    public static int distance(int a, int b) {
        return b - a;
    }

    public static boolean before(int a, int b) {
        return a - b < 0;
    }
}
