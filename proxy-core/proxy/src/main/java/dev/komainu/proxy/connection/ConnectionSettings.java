package dev.komainu.proxy.connection;

import java.time.Duration;
import java.util.List;

/**
 * What tunes client connections.
 *
 * @param headTimeout from the first byte of a request, or the accept, until its head is complete: 100 ms to 5 min (10 s)
 * @param idleTimeout keep-alive without a request: 100 ms to 1 h (60 s)
 * @param maxConnections client connections in all: 1 to 1,000,000 (10,000); more are closed at accept
 * @param maxOf what is counted against {@code maxConnections}
 * @param maxPerClient client connections from one address: 1 to 1,000,000 (10,000)
 * @param drainTimeout how long exchanges may finish after SIGTERM: 0 to 5 min (10 s)
 * @param minBodyRate bytes a second that an upload must keep up over each window: 0 (any) to 1,000,000 (128)
 * @param bodyWindow that window: 100 ms to 5 min (20 s)
 */
public record ConnectionSettings(
        Duration headTimeout,
        Duration idleTimeout,
        int maxConnections,
        MaxOf maxOf,
        int maxPerClient,
        Duration drainTimeout,
        int minBodyRate,
        Duration bodyWindow) {

    /** Which connections {@code connections.max} bounds. */
    public enum MaxOf {
        /** Clients'. */
        CLIENTS,
        /** Those to origins, too: DRM's N_max. They are opened all the same where a request needs one; newcomers wait for both. */
        BOTH;

        /** @throws IllegalArgumentException naming the text and what was expected */
        public static MaxOf parse(String text) {
            return switch (text) {
                case "clients" -> CLIENTS;
                case "both" -> BOTH;
                default -> throw new IllegalArgumentException(text + " (expected: clients or both)");
            };
        }
    }

    public static final ConnectionSettings DEFAULT = new ConnectionSettings(
            Duration.ofSeconds(10),
            Duration.ofSeconds(60),
            10_000,
            MaxOf.CLIENTS,
            10_000,
            Duration.ofSeconds(10),
            128,
            Duration.ofSeconds(20));

    /** Adds "name: value (expected …)" for each value out of range. */
    public void check(List<String> problems) {
        span(problems, "connections.head-timeout", headTimeout, 100, 300_000);
        span(problems, "connections.idle-timeout", idleTimeout, 100, 3_600_000);
        span(problems, "connections.drain-timeout", drainTimeout, 0, 300_000);
        span(problems, "connections.body-window", bodyWindow, 100, 300_000);
        if (minBodyRate < 0 || minBodyRate > 1_000_000) {
            problems.add("connections.min-body-rate: " + minBodyRate + " (expected: 0 to 1000000)");
        }
        if (maxConnections < 1 || maxConnections > 1_000_000) {
            problems.add("connections.max: " + maxConnections + " (expected: 1 to 1000000)");
        }
        if (maxPerClient < 1 || maxPerClient > 1_000_000) {
            problems.add("connections.max-per-client: " + maxPerClient + " (expected: 1 to 1000000)");
        }
    }

    /** Bytes of an upload that must come in each window; 0 lets any pace pass. */
    public long leastBodyBytes() {
        return minBodyRate * bodyWindow.toMillis() / 1000;
    }

    private static void span(List<String> problems, String name, Duration value, long least, long most) {
        if (value.toMillis() < least || value.toMillis() > most) {
            problems.add(name + ": " + value.toMillis() + "ms (expected: " + least + "ms to " + most + "ms)");
        }
    }
}
