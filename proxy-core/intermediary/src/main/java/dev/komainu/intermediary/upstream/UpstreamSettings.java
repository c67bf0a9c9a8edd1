package dev.komainu.intermediary.upstream;

import java.time.Duration;
import java.util.List;

/**
 * What tunes connections to origins.
 *
 * @param connectTimeout 10 ms to 5 min (5 s); then 504
 * @param responseTimeout silence of an origin that owes bytes: 10 ms to 1 h (60 s); then 504, or a broken answer
 * @param idleTimeout how long a parked connection is kept: 10 ms to 1 h (50 s, below the usual 60 s of servers)
 * @param minBodyRate bytes a second that an answer's body must keep up over each window while its client takes it: 0 (any)
 *     to 1,000,000 (0, because event streams may be silent for long); then the answer breaks off
 * @param bodyWindow that window: 100 ms to 5 min (20 s)
 * @param maxIdle parked connections of each server and event loop: 0 to 100,000 (256)
 * @param maxOpen open connections of each server and event loop: 1 to 100,000 (4,096); more requests wait. Not of
 *     all loops together: a place that one loop frees would have to wake a waiter of another, and its parked
 *     connection cannot serve there
 * @param maxWaiting requests that wait for a connection of one server and event loop: 0 to 100,000 (1,024); then 503
 * @param waitTimeout how long they wait: 10 ms to 5 min (5 s); then 503
 */
public record UpstreamSettings(
        Duration connectTimeout,
        Duration responseTimeout,
        Duration idleTimeout,
        int minBodyRate,
        Duration bodyWindow,
        int maxIdle,
        int maxOpen,
        int maxWaiting,
        Duration waitTimeout,
        HealthSettings health,
        DnsSettings dns,
        TlsSettings tls) {

    public static final UpstreamSettings DEFAULT = new UpstreamSettings(
            Duration.ofSeconds(5),
            Duration.ofSeconds(60),
            Duration.ofSeconds(50),
            0,
            Duration.ofSeconds(20),
            256,
            4096,
            1024,
            Duration.ofSeconds(5),
            HealthSettings.DEFAULT,
            DnsSettings.DEFAULT,
            TlsSettings.DEFAULT);

    /** Adds "name: value (expected …)" for each value out of range. */
    public void check(List<String> problems) {
        span(problems, "upstream.connect-timeout", connectTimeout, 10, 300_000);
        span(problems, "upstream.response-timeout", responseTimeout, 10, 3_600_000);
        span(problems, "upstream.idle-timeout", idleTimeout, 10, 3_600_000);
        count(problems, "upstream.min-body-rate", minBodyRate, 0, 1_000_000);
        span(problems, "upstream.body-window", bodyWindow, 100, 300_000);
        count(problems, "upstream.max-idle", maxIdle, 0, 100_000);
        count(problems, "upstream.max-open", maxOpen, 1, 100_000);
        count(problems, "upstream.max-waiting", maxWaiting, 0, 100_000);
        span(problems, "upstream.wait-timeout", waitTimeout, 10, 300_000);
        health.check(problems);
        dns.check(problems);
        tls.check(problems);
    }

    /** Bytes of a body that must come in each window; 0 lets any pace pass. */
    public long leastBodyBytes() {
        return minBodyRate * bodyWindow.toMillis() / 1000;
    }

    static void span(List<String> problems, String name, Duration value, long least, long most) {
        if (value.toMillis() < least || value.toMillis() > most) {
            problems.add(name + ": " + value.toMillis() + "ms (expected: " + least + "ms to " + most + "ms)");
        }
    }

    static void count(List<String> problems, String name, int value, int least, int most) {
        if (value < least || value > most) {
            problems.add(name + ": " + value + " (expected: " + least + " to " + most + ")");
        }
    }
}
