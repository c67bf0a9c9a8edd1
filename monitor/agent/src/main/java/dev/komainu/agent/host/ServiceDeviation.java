package dev.komainu.agent.host;

import dev.komainu.telemetry.record.ClientPaths;
import dev.komainu.telemetry.record.DirectionTotals;
import dev.komainu.telemetry.record.ServiceWindow;
import org.jspecify.annotations.Nullable;

/**
 * The usual behaviour of one service, and the test whether its last windows deviate from it. T_r is
 * computed by Little's law, waiting requests divided by responses per second, so only the histogram
 * of round trips is decoded. Not thread-safe.
 */
final class ServiceDeviation {

    /** Weight of a new window: the usual value is a mean over about the last minute. */
    private static final double WEIGHT = 1 / 60.0;

    private static final int LEARNING_WINDOWS = 10;
    private static final int IN_A_ROW = 2;
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
    /** Usual responses per second from which on a second without any is no chance. */
    private static final double REGULAR = 5;

    private static final long LEAST_ASKING = 3;
    private static final long LEAST_ROUND_TRIPS = 10;
    private static final double LONGER_PATH = 2;
    private static final double LONGER_PATH_MICROS = 20_000;

    private double usualSeconds = Double.NaN;
    private double usualConnections = Double.NaN;
    private double usualResponses = Double.NaN;
    private double usualPathMicros = Double.NaN;
    private double connectionsBefore;
    private int distant;
    private int learned;
    private int slow;
    private int climbing;
    private int unanswered;
    private int repeating;
    private int failing;
    private int cutting;

    /** Returns the cause when this window deviates from the usual behaviour, else null. */
    @Nullable
    String evaluate(ServiceWindow window) {
        double length = Math.max(1e-3, window.lengthMicros() / 1e6);
        ServiceWindow.Connections connections = window.connections();
        ServiceWindow.Exchanges exchanges = window.exchanges();
        ServiceWindow.Concurrency concurrency = window.concurrency();
        DirectionTotals down = window.packets().down();
        double responses = exchanges.responses() / length;
        // Without a response, each waiting request has waited at least for the window's length.
        double seconds = responses > 0
                ? concurrency.processingMean() / responses
                : concurrency.processingMean() >= 1 ? length : Double.NaN;
        slow = seconds > usualSeconds * SLOWER && seconds > usualSeconds + SLOWER_SECONDS
                ? slow + 1
                : 0;
        climbing = concurrency.concurrentMean() > usualConnections * MORE
                        && concurrency.concurrentMean() > usualConnections + MORE_CONNECTIONS
                        && concurrency.concurrentMean() > connectionsBefore
                ? climbing + 1
                : 0;
        unanswered = exchanges.requests() >= LEAST_REQUESTS
                        && exchanges.responses() < exchanges.requests() * UNANSWERED
                ? unanswered + 1
                : 0;
        long repeats = down.retransmissions();
        repeating = repeats >= LEAST_REPEATS && repeats >= down.packets() * REPEATED
                ? repeating + 1
                : 0;
        failing = exchanges.errors() >= FAILED
                        && exchanges.errors() >= exchanges.responses() * FAILED_SHARE
                ? failing + 1
                : 0;
        long cut = connections.refused() + connections.resetsByServer();
        cutting = cut >= FAILED && cut >= connections.arrivals() * FAILED_SHARE ? cutting + 1 : 0;
        double path = pathMicros(window);
        distant =
                path > usualPathMicros * LONGER_PATH && path > usualPathMicros + LONGER_PATH_MICROS
                        ? distant + 1
                        : 0;
        connectionsBefore = concurrency.concurrentMean();
        String cause = isSilent(window) ? "no response in a second" : cause(window);
        if (cause == null) {
            learn(seconds, concurrency.concurrentMean());
            usualResponses = blend(usualResponses, responses);
            usualPathMicros = blend(usualPathMicros, path);
        }
        return cause;
    }

    /**
     * Reports whether clients ask and nothing is answered: a server that stands still produces no
     * packets of its own. Requests that it does not even read, as under TLS before its hello, show
     * as connections and as bytes.
     */
    private boolean isSilent(ServiceWindow window) {
        return learned >= LEARNING_WINDOWS
                && usualResponses >= REGULAR
                && window.exchanges().responses() == 0
                && (window.exchanges().requests() >= LEAST_ASKING
                        || window.connections().arrivals() >= LEAST_ASKING
                        || window.concurrency().processingMean() >= LEAST_ASKING
                        || window.packets().up().uniqueBytes() > 0)
                && window.packets().down().uniqueBytes() == 0;
    }

    /** Returns the median round trip of data to the clients; NaN with few samples. */
    private static double pathMicros(ServiceWindow window) {
        ClientPaths paths = window.clientPaths();
        return paths == null || paths.roundTrip().count() < LEAST_ROUND_TRIPS
                ? Double.NaN
                : paths.roundTrip().toHistogram().getValueAtPercentile(50);
    }

    private @Nullable String cause(ServiceWindow window) {
        if (learned >= LEARNING_WINDOWS && slow >= IN_A_ROW) {
            return "responses take longer than usual";
        }
        if (learned >= LEARNING_WINDOWS && climbing >= IN_A_ROW) {
            return "open connections increase";
        }
        if (unanswered >= IN_A_ROW) {
            return "requests arrive faster than responses leave";
        }
        if (learned >= LEARNING_WINDOWS && distant >= IN_A_ROW) {
            return "data takes longer to the clients than usual";
        }
        if (repeating >= IN_A_ROW) {
            return "segments are retransmitted";
        }
        if (failing >= FAILED_IN_A_ROW) {
            return "responses are server errors";
        }
        if (cutting >= FAILED_IN_A_ROW) {
            return "connections are refused or cut";
        }
        return window.packets().synRepeats() >= SYN_REPEATS
                ? "connection requests are repeated"
                : null;
    }

    private void learn(double seconds, double connections) {
        learned = Math.min(LEARNING_WINDOWS, learned + 1);
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
