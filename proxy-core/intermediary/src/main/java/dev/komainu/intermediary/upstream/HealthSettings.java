package dev.komainu.intermediary.upstream;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * When a server is left out, and how it comes back.
 *
 * @param ejectAfter failures in a row after which it is left out: 0 (never) to 1,000 (3)
 * @param ejectBase how long the first time, doubled each further time: 10 ms to 1 h (1 s)
 * @param ejectMost at most so long: 10 ms to 1 h (30 s)
 * @param checkPath what an active check asks for; absent: no active checks
 * @param checkInterval between two checks of a server: 100 ms to 1 h (5 s)
 * @param checkTimeout how long the answer may take: 10 ms to 5 min (2 s)
 * @param rise good checks in a row that bring a server back: 1 to 100 (2)
 * @param fall bad checks in a row that take it out: 1 to 100 (3)
 */
public record HealthSettings(
        int ejectAfter,
        Duration ejectBase,
        Duration ejectMost,
        @Nullable String checkPath,
        Duration checkInterval,
        Duration checkTimeout,
        int rise,
        int fall) {

    public static final HealthSettings DEFAULT = new HealthSettings(
            3, Duration.ofSeconds(1), Duration.ofSeconds(30), null, Duration.ofSeconds(5), Duration.ofSeconds(2), 2, 3);

    void check(List<String> problems) {
        UpstreamSettings.count(problems, "upstream.eject.after", ejectAfter, 0, 1000);
        UpstreamSettings.span(problems, "upstream.eject.base", ejectBase, 10, 3_600_000);
        UpstreamSettings.span(problems, "upstream.eject.most", ejectMost, 10, 3_600_000);
        UpstreamSettings.span(problems, "upstream.check.interval", checkInterval, 100, 3_600_000);
        UpstreamSettings.span(problems, "upstream.check.timeout", checkTimeout, 10, 300_000);
        UpstreamSettings.count(problems, "upstream.check.rise", rise, 1, 100);
        UpstreamSettings.count(problems, "upstream.check.fall", fall, 1, 100);
        if (checkPath != null && !checkPath.matches("/[!-~]*")) {
            problems.add("upstream.check.path: " + checkPath + " (expected: a path such as /health)");
        }
    }
}
