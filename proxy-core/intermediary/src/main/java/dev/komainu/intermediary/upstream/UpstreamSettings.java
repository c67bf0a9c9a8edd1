package dev.komainu.intermediary.upstream;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.time.Duration;
import java.util.List;

/**
 * Settings of connections to origins.
 *
 * @param connectTimeout 10 ms to 5 min (5 s); then 504
 * @param responseTimeout longest silence of an origin that owes bytes: 10 ms to 1 h (60 s); then
 *     504, or a broken response
 * @param idleTimeout time for which a parked connection is kept: 10 ms to 1 h (50 s, below the
 *     usual 60 s of servers)
 * @param minBodyRate least bytes a second of a response body over each window while its client
 *     accepts them: 0 (any) to 1,000,000 (0, because event streams may be silent for long); then
 *     the response is broken off
 * @param bodyWindow that window: 100 ms to 5 min (20 s)
 * @param maxIdle parked connections of each server and event loop: 0 to 100,000 (256)
 * @param maxOpen open connections of each server and event loop: 1 to 100,000 (4,096); more
 *     requests wait. The limit is not for all loops together: a connection that one loop frees
 *     would have to wake a request of another loop, and cannot serve it
 * @param maxWaiting requests that wait for a connection of one server and event loop: 0 to 100,000
 *     (1,024); then 503
 * @param waitTimeout longest wait: 10 ms to 5 min (5 s); then 503
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

    static final Setting<Duration> CONNECT_TIMEOUT = Setting.duration(
                    "upstream.connect-timeout", "10ms", "5m")
            .byDefault("5s")
            .effect("Limit for each address, and for the TLS handshake; then 504 (502 for TLS)");

    static final Setting<Duration> RESPONSE_TIMEOUT = Setting.duration(
                    "upstream.response-timeout", "10ms", "1h")
            .byDefault("60s")
            .effect("Longest silence of an origin while its response is incomplete; then 504")
            .detail("""
                    Each byte restarts the time. A response that has already begun is broken off
                    instead. For origins that send slowly see `upstream.min-body-rate`.""");

    static final Setting<Integer> MIN_BODY_RATE = Setting.integer(
                    "upstream.min-body-rate", 0, 1000000)
            .range("bytes a second, 0 to 1,000,000")
            .byDefault("0")
            .effect("Minimum rate of a response body while its client accepts it; 0: any rate")
            .detail("""
                    The rate is measured over each `upstream.body-window`. A slower response is
                    broken off and not stored. Off by default, because event streams and long polls
                    may be silent for a long time.""");

    static final Setting<Duration> BODY_WINDOW = Setting.duration(
                    "upstream.body-window", "100ms", "5m")
            .byDefault("20s")
            .effect("Window of `upstream.min-body-rate`");

    static final Setting<Duration> IDLE_TIMEOUT = Setting.duration(
                    "upstream.idle-timeout", "10ms", "1h")
            .byDefault("50s")
            .effect("Time for which a parked origin connection is kept");

    static final Setting<Integer> MAX_IDLE = Setting.integer("upstream.max-idle", 0, 100000)
            .byDefault("256")
            .effect("Parked connections per server and worker");

    static final Setting<Integer> MAX_OPEN = Setting.integer("upstream.max-open", 1, 100000)
            .byDefault("4096")
            .effect("Open connections per server and worker; further requests wait")
            .detail("""
                    A request that waits for its origin takes 4 KB of heap; for each beyond 4,096
                    the launcher adds as much. For a total of N connections to a server, set N
                    divided by `workers`: workers share no connections, so that none has to wake
                    another.""");

    static final Setting<Integer> MAX_WAITING = Setting.integer("upstream.max-waiting", 0, 100000)
            .byDefault("1024")
            .effect("Requests that wait for a connection, per server and worker; further ones "
                    + "get 503 at once");

    static final Setting<Duration> WAIT_TIMEOUT = Setting.duration(
                    "upstream.wait-timeout", "10ms", "5m")
            .byDefault("5s")
            .effect("Longest wait for a connection; then 503 with the numbers");

    public static final UpstreamSettings DEFAULT = read(SettingReader.ofDefaults());

    /** Reads these settings; the reader collects mistakes. */
    public static UpstreamSettings read(SettingReader reader) {
        return new UpstreamSettings(
                reader.get(CONNECT_TIMEOUT),
                reader.get(RESPONSE_TIMEOUT),
                reader.get(IDLE_TIMEOUT),
                reader.get(MIN_BODY_RATE),
                reader.get(BODY_WINDOW),
                reader.get(MAX_IDLE),
                reader.get(MAX_OPEN),
                reader.get(MAX_WAITING),
                reader.get(WAIT_TIMEOUT),
                HealthSettings.read(reader),
                DnsSettings.read(reader),
                TlsSettings.read(reader));
    }

    /** Adds "name: value (expected …)" for each contradiction. */
    public void check(List<String> problems) {
        dns.check(problems);
        tls.check(problems);
    }

    /** Returns the bytes of a body that must arrive in each window; 0 permits any pace. */
    public long leastBodyBytes() {
        return minBodyRate * bodyWindow.toMillis() / 1000;
    }
}
