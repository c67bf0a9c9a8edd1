package dev.komainu.agent.connection;

/** Arithmetic on sequence numbers, which wrap (RFC 9293 3.4). */
final class Sequence {

    /** Distances beyond this are nonsense (no window is larger: RFC 7323 2.3), so such a segment is not tracked. */
    static final int FARTHEST = 1 << 30;

    private Sequence() {}

    /** How far {@code b} lies behind {@code a}; negative when before it. */
    static int distance(int a, int b) {
        return b - a;
    }

    static boolean before(int a, int b) {
        return a - b < 0;
    }
}
