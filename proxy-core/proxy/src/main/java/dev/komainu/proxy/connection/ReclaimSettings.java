package dev.komainu.proxy.connection;

import dev.komainu.intermediary.connection.CloseReason;
import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The settings for the reclamation of idle connections (DRM 3.2).
 *
 * @param enabled whether idle connections are closed before their timeout, and stay longer while
 *     resources are plentiful (true)
 * @param usual the threshold at which a resource counts as short (90 % to 85 %)
 * @param own the thresholds of single resources, by name
 * @param plentiful the idle timeout of clients while nothing is in use,
 *     {@code connections.idle-timeout} to 24 h (5 min where that is not set, else the same)
 * @param patience the time that a new client waits when no idle connection can be closed for it, 0
 *     (no wait; the default) to 5 min
 */
public record ReclaimSettings(
        boolean enabled,
        ShortageThreshold usual,
        Map<CloseReason, ShortageThreshold> own,
        Duration plentiful,
        Duration patience) {

    static final Setting<Duration> PLENTIFUL = Setting.duration(
                    "connections.idle-timeout-plentiful", "0", "24h")
            .range("`connections.idle-timeout` to 24h")
            .byDefaultOf("5m; where `connections.idle-timeout` is written, the same as that")
            .effect("Idle timeout of clients while almost nothing is in use")
            .detail("""
                    The effective timeout lies between this and `connections.idle-timeout`: the
                    more of the fullest resource is in use, the shorter it is. See [Idle
                    connections](#idle-connections).""");

    static final Setting<Boolean> RECLAIM = Setting.truth("connections.reclaim")
            .range("on, off")
            .byDefault("on")
            .effect("Whether idle connections are closed, oldest first, when resources run "
                    + "short")
            .detail("""
                    With `on` they are also closed when a new client arrives at the limit, and idle
                    clients stay longer while resources are plentiful.""");

    static final Setting<Duration> WAIT = Setting.duration("connections.wait", "0", "5m")
            .byDefault("0")
            .effect("Time that a new client waits when `connections.max` is reached and no "
                    + "idle connection can be closed")
            .detail("""
                    Nothing is read from a waiting client. Clients wait in the order of their
                    arrival, at most 1,024; then they get the 503. With 0 they get it at once. The
                    setting has no effect when `connections.reclaim` is off.""");

    static final Setting<Integer> BEGIN = Setting.integer("connections.reclaim-begin", 1, 100)
            .range("percent, 1 to 100")
            .byDefault("90")
            .effect("Used share of a resource at which idle connections start to be closed for "
                    + "it");

    static final Setting<Integer> END = Setting.integer("connections.reclaim-end", 0, 100)
            .range("percent, 0 to the beginning")
            .byDefault("85")
            .effect("Used share of a resource at which closing stops");

    static final Setting<List<Map.Entry<CloseReason, ShortageThreshold>>> AT = Setting.of(
                    "connections.reclaim-at",
                    "`RESOURCE=BEGIN-END` in percent",
                    ReclaimSettings::parse)
            .list()
            .effect("Both shares for single resources")
            .detail("""
                    Resources: `descriptors`, `socket-memory`, `ports`, `buffers`, `buffer-budget`,
                    `clients`.""");

    public static final ReclaimSettings DEFAULT = read(SettingReader.ofDefaults());

    /** Reads these settings; the reader records invalid values. */
    public static ReclaimSettings read(SettingReader reader) {
        Map<CloseReason, ShortageThreshold> own = new HashMap<>();
        reader.get(AT, List.of()).forEach(entry -> own.put(entry.getKey(), entry.getValue()));
        // Where the idle timeout is configured, no client stays longer by default.
        Duration plentiful = reader.isGiven(ConnectionSettings.IDLE_TIMEOUT)
                ? reader.get(ConnectionSettings.IDLE_TIMEOUT)
                : Duration.ofMinutes(5);
        return new ReclaimSettings(
                reader.get(RECLAIM),
                new ShortageThreshold(reader.get(BEGIN), reader.get(END)),
                own,
                reader.get(PLENTIFUL, plentiful),
                reader.get(WAIT));
    }

    public ReclaimSettings {
        own = Map.copyOf(own);
    }

    /** Returns the threshold of a resource. */
    public ShortageThreshold of(CloseReason resource) {
        return own.getOrDefault(resource, usual);
    }

    /** Adds "name: value (expected …)" for each value out of range. */
    public void check(Duration idleTimeout, List<String> problems) {
        if (!usual.isSound()) {
            problems.add("connections.reclaim-begin: " + usual.beginPercent()
                    + " with connections.reclaim-end " + usual.endPercent()
                    + " (expected: 1 to 100, and an end of 0 to the beginning)");
        }
        if (plentiful.compareTo(idleTimeout) < 0 || plentiful.toHours() > 24) {
            problems.add(
                    "connections.idle-timeout-plentiful: " + plentiful.toMillis() + "ms (expected: "
                            + idleTimeout.toMillis() + "ms, as connections.idle-timeout, to 24h)");
        }
    }

    /**
     * Reads {@code RESOURCE=BEGIN-END}.
     *
     * @throws IllegalArgumentException with the text and the expected form
     */
    public static Map.Entry<CloseReason, ShortageThreshold> parse(String text) {
        int equals = text.indexOf('=');
        String name = text.substring(0, Math.max(0, equals)).strip();
        for (CloseReason reason : CloseReason.values()) {
            if (reason.isShortage() && reason.text().equals(name)) {
                return Map.entry(reason, ShortageThreshold.parse(text.substring(equals + 1)));
            }
        }
        throw new IllegalArgumentException(text + " (expected: RESOURCE=BEGIN-END with one of "
                + Arrays.stream(CloseReason.values())
                        .filter(CloseReason::isShortage)
                        .map(CloseReason::text)
                        .collect(Collectors.joining(", "))
                + ")");
    }
}
