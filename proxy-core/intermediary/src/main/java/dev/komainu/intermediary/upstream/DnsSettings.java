package dev.komainu.intermediary.upstream;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingGrammar;
import dev.komainu.settings.SettingReader;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/**
 * Settings of name look-ups for origins.
 *
 * @param servers name servers to query; empty: those of the system
 * @param minTtl lower limit of the time to live: 0 to 1 h (1 s)
 * @param maxTtl upper limit of the time to live: 1 s to 1 day (1 h)
 * @param negativeTtl time for which "no such name" is cached: 0 to 1 h (5 s)
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
            .byDefaultOf("those of the system")
            .effect("Name servers to query");

    static final Setting<Duration> MIN_TTL = Setting.duration("upstream.dns.min-ttl", "0", "1h")
            .byDefault("1s")
            .effect("Lower limit of a name's time to live, in whole seconds");

    static final Setting<Duration> MAX_TTL = Setting.duration("upstream.dns.max-ttl", "1s", "24h")
            .byDefault("1h")
            .effect("Upper limit of a name's time to live");

    static final Setting<Duration> NEGATIVE_TTL = Setting.duration(
                    "upstream.dns.negative-ttl", "0", "1h")
            .byDefault("5s")
            .effect("Time for which the response \"no such name\" is cached");

    static final Setting<Duration> TIMEOUT = Setting.duration("upstream.dns.timeout", "10ms", "1m")
            .byDefault("2s")
            .effect("Timeout of one query to a name server");

    public static final DnsSettings DEFAULT = read(SettingReader.ofDefaults());

    /** Reads these settings; the reader collects mistakes. */
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

    /** Parses {@code ADDRESS} or {@code ADDRESS:PORT}; the default port is 53. */
    private static InetSocketAddress server(String text) {
        boolean bare = text.indexOf(':') < 0 || text.endsWith("]");
        return SettingGrammar.address(bare ? text + ":53" : text);
    }
}
