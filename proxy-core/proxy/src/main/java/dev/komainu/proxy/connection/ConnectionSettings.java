package dev.komainu.proxy.connection;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.time.Duration;

/**
 * What tunes client connections.
 *
 * @param headTimeout from the first byte of a request, or the accept, until its head is complete:
 *     100 ms to 5 min (10 s)
 * @param idleTimeout keep-alive without a request: 100 ms to 1 h (60 s)
 * @param maxConnections client connections in all: 1 to 1,000,000 (10,000); more are closed at
 *     accept
 * @param maxOf what is counted against {@code maxConnections}
 * @param maxPerClient client connections from one address: 1 to 1,000,000 (10,000)
 * @param drainTimeout how long exchanges may finish after SIGTERM: 0 to 5 min (10 s)
 * @param minBodyRate bytes a second that an upload must keep up over each window: 0 (any) to
 *     1,000,000 (128)
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

    static final Setting<Integer> MAX =
            Setting.integer("connections.max", 1, 1000000).byDefault("10000").effect("""
                    client connections in all; who comes then gets the place of one that has said nothing for a second, else of the client that
                    is idle for longest, or, when there is none, waits for `connections.wait` and gets a short 503; that is closed and counted.
                    See [Idle connections](#idle-connections)""");

    static final Setting<Integer> MAX_PER_CLIENT = Setting.integer(
                    "connections.max-per-client", 1, 1000000)
            .byDefault("10000")
            .effect("""
                    client connections from one IPv4 address or one IPv6 network of 64 bits; more get a short 503, are closed and counted""");

    static final Setting<Duration> HEAD_TIMEOUT = Setting.duration(
                    "connections.head-timeout", "100ms", "5m")
            .byDefault("10s")
            .effect("""
                    from accept, later from a request's first byte, until its head is complete; then the connection is closed. A request with a
                    body ends with the body's first bytes here (408), unless its client waits for 100 (Continue)""");

    static final Setting<Duration> IDLE_TIMEOUT = Setting.duration(
                    "connections.idle-timeout", "100ms", "1h")
            .byDefault("60s")
            .effect("keep-alive without a request, or an upload without a byte");

    static final Setting<MaxOf> MAX_OF = Setting.choice("connections.max-of", MaxOf.class)
            .byDefault("clients")
            .effect("""
                    what counts against `connections.max`. `both`: connections to origins, too, parked ones included (DRM's N_max); newcomers
                    then get the place of whichever is idle for longest. One to an origin is opened all the same where a request needs it, so
                    that nobody inside waits for somebody outside""");

    static final Setting<Duration> DRAIN_TIMEOUT = Setting.duration(
                    "connections.drain-timeout", "0", "5m")
            .byDefault("10s")
            .effect("""
                    how long exchanges may finish after SIGTERM; idle connections are heard for the first half second (at most half of this), and
                    what comes there is answered with `Connection: close`""");

    static final Setting<Integer> MIN_BODY_RATE = Setting.integer(
                    "connections.min-body-rate", 0, 1000000)
            .range("bytes a second, 0 to 1,000,000")
            .byDefault("128")
            .effect("""
                    what an upload must keep up over each window while the proxy listens for it; a slower one is answered 408, cut off and
                    counted as `komainu_proxy_slow_bodies_total`; 0: any pace""");

    static final Setting<Duration> BODY_WINDOW = Setting.duration(
                    "connections.body-window", "100ms", "5m")
            .byDefault("20s")
            .effect("that window");

    /** Which connections {@code connections.max} bounds. */
    public enum MaxOf {
        /** Clients'. */
        CLIENTS,
        /**
         * Those to origins, too: DRM's N_max. They are opened all the same where a request needs
         * one; newcomers wait for both.
         */
        BOTH
    }

    public static final ConnectionSettings DEFAULT = read(SettingReader.ofDefaults());

    /** Reads these settings; mistakes are noted in the reader. */
    public static ConnectionSettings read(SettingReader reader) {
        return new ConnectionSettings(
                reader.get(HEAD_TIMEOUT),
                reader.get(IDLE_TIMEOUT),
                reader.get(MAX),
                reader.get(MAX_OF),
                reader.get(MAX_PER_CLIENT),
                reader.get(DRAIN_TIMEOUT),
                reader.get(MIN_BODY_RATE),
                reader.get(BODY_WINDOW));
    }

    /** Bytes of an upload that must come in each window; 0 lets any pace pass. */
    public long leastBodyBytes() {
        return minBodyRate * bodyWindow.toMillis() / 1000;
    }
}
