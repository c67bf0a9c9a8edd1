package dev.komainu.proxy.connection;

import dev.komainu.intermediary.connection.Ending;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What tunes the reclamation of idle connections (DRM 3.2).
 *
 * @param enabled whether idle connections are closed before their time, and stay longer while resources are plentiful (true)
 * @param usual when a resource counts as short (90 % to 85 %)
 * @param own of single resources, by name
 * @param plentiful how long idle clients stay while nothing is in use: {@code connections.idle-timeout} to 24 h (5 min where
 *     that is not set, else the same)
 * @param patience how long a newcomer waits for a place where no idle connection gives way: 0 (not at all; usual) to 5 min
 */
public record ReclaimSettings(
        boolean enabled, Threshold usual, Map<Ending, Threshold> own, Duration plentiful, Duration patience) {

    public static final ReclaimSettings DEFAULT =
            new ReclaimSettings(true, new Threshold(90, 85), Map.of(), Duration.ofMinutes(5), Duration.ZERO);

    public ReclaimSettings {
        own = Map.copyOf(own);
    }

    /** When this resource counts as short. */
    public Threshold of(Ending resource) {
        return own.getOrDefault(resource, usual);
    }

    /** Adds "name: value (expected …)" for each value out of range. */
    public void check(Duration idleTimeout, List<String> problems) {
        if (!usual.isSound()) {
            problems.add("connections.reclaim-begin: " + usual.beginPercent()
                    + " with connections.reclaim-end " + usual.endPercent()
                    + " (expected: 1 to 100, and an end of 0 to the beginning)");
        }
        if (patience.isNegative() || patience.toMillis() > 300_000) {
            problems.add("connections.wait: " + patience.toMillis() + "ms (expected: 0ms to 300000ms)");
        }
        if (plentiful.compareTo(idleTimeout) < 0 || plentiful.toHours() > 24) {
            problems.add("connections.idle-timeout-plentiful: " + plentiful.toMillis() + "ms (expected: "
                    + idleTimeout.toMillis() + "ms, as connections.idle-timeout, to 24h)");
        }
    }

    /**
     * Reads {@code RESOURCE=BEGIN-END}.
     *
     * @throws IllegalArgumentException naming the text and what was expected
     */
    public static Map.Entry<Ending, Threshold> parse(String text) {
        int equals = text.indexOf('=');
        String name = text.substring(0, Math.max(0, equals)).strip();
        for (Ending ending : Ending.values()) {
            if (ending.isShortage() && ending.text().equals(name)) {
                return Map.entry(ending, Threshold.parse(text.substring(equals + 1)));
            }
        }
        throw new IllegalArgumentException(text + " (expected: RESOURCE=BEGIN-END with one of "
                + Arrays.stream(Ending.values())
                        .filter(Ending::isShortage)
                        .map(Ending::text)
                        .collect(Collectors.joining(", "))
                + ")");
    }
}
