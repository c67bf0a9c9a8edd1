package dev.komainu.proxy.connection;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.time.Duration;

/**
 * The settings for client connections.
 *
 * @param headTimeout the time from the first byte of a request, or the accept, until its head is
 *     complete, 100 ms to 5 min (10 s)
 * @param idleTimeout the time of keep-alive without a request, 100 ms to 1 h (60 s)
 * @param maxConnections the client connections in total, 1 to 1,000,000 (10,000); more are closed
 *     at accept
 * @param maxOf the connections that count towards {@code maxConnections}
 * @param maxPerClient the client connections from one address, 1 to 1,000,000 (10,000)
 * @param drainTimeout the time for exchanges to finish after SIGTERM, 0 to 5 min (10 s)
 * @param minBodyRate the minimum bytes per second of an upload over each window, 0 (no minimum) to
 *     1,000,000 (128)
 * @param bodyWindow that window, 100 ms to 5 min (20 s)
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

    static final Setting<Integer> MAX = Setting.integer("connections.max", 1, 1000000)
            .byDefault("10000")
            .effect("Client connections in total")
            .detail("""
                    At the limit a new client replaces one that has sent nothing for a second,
                    otherwise the client that is idle longest. When there is none, the new client
                    waits for `connections.wait`, then gets a short 503, is closed and counted. See
                    [Idle connections](#idle-connections). The launcher adds 8 KB of heap for each.""");

    static final Setting<Integer> MAX_PER_CLIENT = Setting.integer(
                    "connections.max-per-client", 1, 1000000)
            .byDefault("10000")
            .effect("Client connections from one IPv4 address or one IPv6 network of 64 bits")
            .detail("""
                    More connections get a short 503, are closed and counted.""");

    static final Setting<Duration> HEAD_TIMEOUT = Setting.duration(
                    "connections.head-timeout", "100ms", "5m")
            .byDefault("10s")
            .effect("Time from accept, later from a request's first byte, until its head is "
                    + "complete")
            .detail("""
                    Then the connection is closed. For a request with a body it also includes the
                    body's first bytes (otherwise 408), unless its client waits for 100 (Continue).""");

    static final Setting<Duration> IDLE_TIMEOUT = Setting.duration(
                    "connections.idle-timeout", "100ms", "1h")
            .byDefault("60s")
            .effect("Longest time of keep-alive without a request, or of an upload without a "
                    + "byte");

    static final Setting<MaxOf> MAX_OF = Setting.choice("connections.max-of", MaxOf.class)
            .byDefault("clients")
            .effect("Connections that count towards `connections.max`")
            .detail("""
                    `both` also counts connections to origins, including parked ones (DRM's N_max).
                    A new client then replaces the connection of either kind that is idle longest.
                    A connection to an origin is opened even at the limit when a request needs it,
                    so that accepted clients do not wait for new ones.""");

    static final Setting<Duration> DRAIN_TIMEOUT = Setting.duration(
                    "connections.drain-timeout", "0", "5m")
            .byDefault("10s")
            .effect("Time for exchanges to finish after SIGTERM")
            .detail("""
                    Idle connections stay open for the first half second (at most half of this
                    time). A request that arrives there is served with `Connection: close`.""");

    static final Setting<Integer> MIN_BODY_RATE = Setting.integer(
                    "connections.min-body-rate", 0, 1000000)
            .range("bytes a second, 0 to 1,000,000")
            .byDefault("128")
            .effect("Minimum rate of an upload while the proxy reads it; 0: no minimum")
            .detail("""
                    The rate is measured over each `connections.body-window`. A slower upload gets
                    a 408, is cut off and counted as `komainu_proxy_slow_bodies_total`.""");

    static final Setting<Duration> BODY_WINDOW = Setting.duration(
                    "connections.body-window", "100ms", "5m")
            .byDefault("20s")
            .effect("Window of `connections.min-body-rate`");

    /** The connections that {@code connections.max} limits. */
    public enum MaxOf {
        /** Client connections only. */
        CLIENTS,
        /**
         * Connections to origins, too: DRM's N_max. They are opened even at the limit when a
         * request needs one; new clients wait for both.
         */
        BOTH
    }

    public static final ConnectionSettings DEFAULT = read(SettingReader.ofDefaults());

    /** Reads these settings; the reader records invalid values. */
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

    /** Returns the bytes of an upload that must arrive in each window; 0 for no minimum. */
    public long leastBodyBytes() {
        return minBodyRate * bodyWindow.toMillis() / 1000;
    }
}
