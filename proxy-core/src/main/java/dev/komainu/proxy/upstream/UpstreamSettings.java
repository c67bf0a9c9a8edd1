package dev.komainu.proxy.upstream;

import java.time.Duration;
import java.util.List;

/**
 * What tunes connections to origins.
 *
 * @param connectTimeout 10 ms to 5 min (5 s); then 504
 * @param responseTimeout silence of an origin that owes bytes: 10 ms to 1 h (60 s); then 504, or a broken answer
 * @param idleTimeout how long a parked connection is kept: 10 ms to 1 h (50 s, below the usual 60 s of servers)
 * @param maxIdle parked connections of each origin and event loop: 0 to 100,000 (256)
 * @param maxOpen open connections of each origin and event loop: 1 to 100,000 (1,024); then 503
 */
public record UpstreamSettings(
        Duration connectTimeout, Duration responseTimeout, Duration idleTimeout, int maxIdle, int maxOpen) {

    public static final UpstreamSettings DEFAULT =
            new UpstreamSettings(Duration.ofSeconds(5), Duration.ofSeconds(60), Duration.ofSeconds(50), 256, 1024);

    /** Adds "name: value (expected …)" for each value out of range. */
    public void check(List<String> problems) {
        span(problems, "upstream.connect-timeout", connectTimeout, 300_000);
        span(problems, "upstream.response-timeout", responseTimeout, 3_600_000);
        span(problems, "upstream.idle-timeout", idleTimeout, 3_600_000);
        if (maxIdle < 0 || maxIdle > 100_000) {
            problems.add("upstream.max-idle: " + maxIdle + " (expected: 0 to 100000)");
        }
        if (maxOpen < 1 || maxOpen > 100_000) {
            problems.add("upstream.max-open: " + maxOpen + " (expected: 1 to 100000)");
        }
    }

    private static void span(List<String> problems, String name, Duration value, long most) {
        if (value.toMillis() < 10 || value.toMillis() > most) {
            problems.add(name + ": " + value.toMillis() + "ms (expected: 10ms to " + most + "ms)");
        }
    }
}
