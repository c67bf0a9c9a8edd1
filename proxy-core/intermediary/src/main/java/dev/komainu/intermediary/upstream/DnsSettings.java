package dev.komainu.intermediary.upstream;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingGrammar;
import dev.komainu.settings.SettingReader;
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
        List<InetSocketAddress> servers,
        Duration minTtl,
        Duration maxTtl,
        Duration negativeTtl,
        Duration timeout) {

    static final Setting<List<InetSocketAddress>> SERVERS = Setting.of(
                    "upstream.dns.servers", "ADDRESS[:PORT]", DnsSettings::server)
            .list()
            .byDefaultOf("the system's")
            .effect("name servers to ask");

    static final Setting<Duration> MIN_TTL = Setting.duration("upstream.dns.min-ttl", "0", "1h")
            .byDefault("1s")
            .effect("a shorter time to live counts as this (whole seconds)");

    static final Setting<Duration> MAX_TTL = Setting.duration("upstream.dns.max-ttl", "1s", "24h")
            .byDefault("1h")
            .effect("a longer one counts as this");

    static final Setting<Duration> NEGATIVE_TTL = Setting.duration(
                    "upstream.dns.negative-ttl", "0", "1h")
            .byDefault("5s")
            .effect("""
                    how long "no such name" is remembered""");

    static final Setting<Duration> TIMEOUT = Setting.duration("upstream.dns.timeout", "10ms", "1m")
            .byDefault("2s")
            .effect("of one question to a name server");

    public static final DnsSettings DEFAULT = read(SettingReader.ofDefaults());

    /** Reads these settings; mistakes are noted in the reader. */
    public static DnsSettings read(SettingReader reader) {
        return new DnsSettings(
                reader.get(SERVERS, List.of()),
                reader.get(MIN_TTL),
                reader.get(MAX_TTL),
                reader.get(NEGATIVE_TTL),
                reader.get(TIMEOUT));
    }

    void check(List<String> problems) {
        if (minTtl.compareTo(maxTtl) > 0) {
            problems.add("upstream.dns.min-ttl: " + minTtl.toMillis()
                    + "ms (expected: at most upstream.dns.max-ttl, " + maxTtl.toMillis() + "ms)");
        }
    }

    /** {@code ADDRESS} or {@code ADDRESS:PORT}. */
    private static InetSocketAddress server(String text) {
        boolean bare = text.indexOf(':') < 0 || text.endsWith("]");
        return SettingGrammar.address(bare ? text + ":53" : text);
    }
}
