package dev.komainu.intermediary.upstream;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/**
 * What tunes the looking up of origins' names.
 *
 * @param servers name servers to ask; empty: the system's
 * @param minTtl a shorter time to live counts as this: 0 to 1 h (1 s)
 * @param maxTtl a longer one counts as this: 1 s to 1 day (1 h)
 * @param negativeTtl how long "no such name" is remembered: 0 to 1 h (5 s)
 * @param timeout of one query: 10 ms to 1 min (2 s)
 */
public record DnsSettings(
        List<InetSocketAddress> servers, Duration minTtl, Duration maxTtl, Duration negativeTtl, Duration timeout) {

    public static final DnsSettings DEFAULT = new DnsSettings(
            List.of(), Duration.ofSeconds(1), Duration.ofHours(1), Duration.ofSeconds(5), Duration.ofSeconds(2));

    void check(List<String> problems) {
        UpstreamSettings.span(problems, "upstream.dns.min-ttl", minTtl, 0, 3_600_000);
        UpstreamSettings.span(problems, "upstream.dns.max-ttl", maxTtl, 1000, 86_400_000);
        UpstreamSettings.span(problems, "upstream.dns.negative-ttl", negativeTtl, 0, 3_600_000);
        UpstreamSettings.span(problems, "upstream.dns.timeout", timeout, 10, 60_000);
        if (minTtl.compareTo(maxTtl) > 0) {
            problems.add("upstream.dns.min-ttl: " + minTtl.toMillis() + "ms (expected: at most upstream.dns.max-ttl, "
                    + maxTtl.toMillis() + "ms)");
        }
    }
}
