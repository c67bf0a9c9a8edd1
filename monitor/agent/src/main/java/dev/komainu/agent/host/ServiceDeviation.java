package dev.komainu.agent.host;

import dev.komainu.telemetry.record.ServiceWindow;
import org.jspecify.annotations.Nullable;

/**
 * What is usual for one service, and whether its last windows leave that. T_r is taken by Little's
 * law, requests waiting divided by answers a second: no histogram need be opened for it. Not safe
 * for many threads.
 */
final class ServiceDeviation {

    /** Weight of a new window: what is usual is what was during the last minute. */
    private static final double WEIGHT = 1 / 60.0;

    private static final int LEARNING_WINDOWS = 10;
    private static final int IN_A_ROW = 3;
    private static final double SLOWER = 3;
    private static final double SLOWER_SECONDS = 0.05;
    private static final double MORE = 2;
    private static final double MORE_CONNECTIONS = 50;
    private static final long LEAST_REQUESTS = 10;
    private static final double UNANSWERED = 0.7;
    private static final long SYN_REPEATS = 3;
    private static final long LEAST_REPEATS = 5;
    private static final double REPEATED = 0.01;
    private static final long FAILED = 3;
    private static final double FAILED_SHARE = 0.1;
    private static final int FAILED_IN_A_ROW = 2;

    private double usualSeconds = Double.NaN;
    private double usualConnections = Double.NaN;
    private double connectionsBefore;
    private int learnt;
    private int slow;
    private int climbing;
    private int unanswered;
    private int repeating;
    private int failing;
    private int cutting;

    /** Why this window leaves what is usual; null when it does not. */
    @Nullable
    String judge(ServiceWindow window) {
        double length = Math.max(1e-3, window.lengthMicros() / 1e6);
        double answers = window.responses() / length;
        // Nobody answered: whoever waits has waited for the window's length at least.
        double seconds = answers > 0
                ? window.processingMean() / answers
                : window.processingMean() >= 1 ? length : Double.NaN;
        slow = seconds > usualSeconds * SLOWER && seconds > usualSeconds + SLOWER_SECONDS
                ? slow + 1
                : 0;
        climbing = window.concurrentMean() > usualConnections * MORE
                        && window.concurrentMean() > usualConnections + MORE_CONNECTIONS
                        && window.concurrentMean() > connectionsBefore
                ? climbing + 1
                : 0;
        unanswered = window.requests() >= LEAST_REQUESTS
                        && window.responses() < window.requests() * UNANSWERED
                ? unanswered + 1
                : 0;
        long repeats = window.down().retransmissions();
        repeating = repeats >= LEAST_REPEATS && repeats >= window.down().packets() * REPEATED
                ? repeating + 1
                : 0;
        failing = window.errors() >= FAILED && window.errors() >= window.responses() * FAILED_SHARE
                ? failing + 1
                : 0;
        long cut = window.refused() + window.resetsByServer();
        cutting = cut >= FAILED && cut >= window.arrivals() * FAILED_SHARE ? cutting + 1 : 0;
        connectionsBefore = window.concurrentMean();
        String cause = cause(window);
        if (cause == null) {
            learn(seconds, window.concurrentMean());
        }
        return cause;
    }

    private @Nullable String cause(ServiceWindow window) {
        if (learnt >= LEARNING_WINDOWS && slow >= IN_A_ROW) {
            return "answers take longer than usual";
        }
        if (learnt >= LEARNING_WINDOWS && climbing >= IN_A_ROW) {
            return "open connections climb";
        }
        if (unanswered >= IN_A_ROW) {
            return "requests come faster than answers go";
        }
        if (repeating >= IN_A_ROW) {
            return "segments are sent again and again";
        }
        if (failing >= FAILED_IN_A_ROW) {
            return "answers are server errors";
        }
        if (cutting >= FAILED_IN_A_ROW) {
            return "connections are refused or cut";
        }
        return window.synRepeats() >= SYN_REPEATS
                ? "connections are asked for again and again"
                : null;
    }

    private void learn(double seconds, double connections) {
        learnt = Math.min(LEARNING_WINDOWS, learnt + 1);
        usualSeconds = blend(usualSeconds, seconds);
        usualConnections = blend(usualConnections, connections);
    }

    private static double blend(double usual, double now) {
        if (Double.isNaN(now)) {
            return usual;
        }
        return Double.isNaN(usual) ? now : usual + (now - usual) * WEIGHT;
    }
}
