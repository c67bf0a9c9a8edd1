package dev.komainu.settings;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A setting with the value in force and its source, as {@code --print-settings} prints it.
 *
 * @param key dotted
 * @param value as it may be written in a file; {@code none} when there is no value
 * @param source {@code default}, {@code file}, an environment variable, an option
 */
public record EffectiveSetting(String key, String value, String source) {

    public static final String DEFAULT = "default";

    /** Returns a line of YAML, with the source as its comment. */
    public String line() {
        return key + ": " + (value.isEmpty() ? "\"\"" : value) + "  # " + source;
    }

    /** Returns a value as it may be written in a file. */
    static String written(@Nullable Object value) {
        return switch (value) {
            case null -> SettingGrammar.NONE;
            case Duration duration -> written(duration);
            case InetSocketAddress address -> written(address);
            case Collection<?> all ->
                all.isEmpty()
                        ? SettingGrammar.NONE
                        : all.stream()
                                .map(EffectiveSetting::written)
                                .collect(Collectors.joining(","));
            case Map<?, ?> all -> all.isEmpty() ? SettingGrammar.NONE : all.toString();
            case Enum<?> one -> one.name().toLowerCase(Locale.ROOT).replace('_', '-');
            default -> value.toString();
        };
    }

    private static String written(InetSocketAddress address) {
        String host = address.isUnresolved()
                ? address.getHostString()
                : address.getAddress().getHostAddress();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
    }

    /** Returns a duration in the largest unit that is exact. */
    private static String written(Duration duration) {
        long millis = duration.toMillis();
        if (!duration.equals(Duration.ofMillis(millis))) {
            return duration.toString();
        }
        if (millis == 0) {
            return "0s";
        }
        for (Unit unit : Unit.values()) {
            if (millis % unit.millis == 0) {
                return millis / unit.millis + unit.text;
            }
        }
        return millis + "ms";
    }

    private enum Unit {
        DAY("d", 86_400_000),
        HOUR("h", 3_600_000),
        MINUTE("m", 60_000),
        SECOND("s", 1_000);

        private final String text;
        private final long millis;

        Unit(String text, long millis) {
            this.text = text;
            this.millis = millis;
        }
    }
}
