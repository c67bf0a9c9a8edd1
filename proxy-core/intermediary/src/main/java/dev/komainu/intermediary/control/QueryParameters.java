package dev.komainu.intermediary.control;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a request's query, decoded once. Mistakes are reported as {@code name: value
 * (expected …)}.
 */
public final class QueryParameters {

    private final Map<String, String> values = new LinkedHashMap<>();
    private final Set<String> known = new HashSet<>();

    private QueryParameters() {}

    /**
     * Decodes the query of a request.
     *
     * @throws IllegalArgumentException for a name given twice, or an invalid escape
     */
    public static QueryParameters of(ControlExchange exchange) {
        QueryParameters all = new QueryParameters();
        String raw = exchange.rawQuery();
        if (raw == null || raw.isEmpty()) {
            return all;
        }
        for (String pair : raw.split("&")) {
            int equals = pair.indexOf('=');
            String name = decoded(equals < 0 ? pair : pair.substring(0, equals));
            String value = equals < 0 ? "" : decoded(pair.substring(equals + 1));
            if (all.values.putIfAbsent(name, value) != null) {
                throw new IllegalArgumentException(name + ": given twice (expected: once)");
            }
        }
        return all;
    }

    private static String decoded(String text) {
        // A plus sign is not a space here: URLs are given as values.
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    /** Returns a parameter's value; absent when the parameter is. */
    public @Nullable String text(String name) {
        known.add(name);
        return values.get(name);
    }

    /** Returns a parameter's value; {@code fallback} when it is absent. */
    public String text(String name, String fallback) {
        String value = text(name);
        return value == null ? fallback : value;
    }

    /**
     * Returns the value of a required parameter.
     *
     * @throws IllegalArgumentException when it is absent or empty
     */
    public String required(String name, String expected) {
        String value = text(name);
        if (value == null || value.isEmpty()) {
            throw new IllegalArgumentException(
                    name + ": none (expected: ?" + name + "=" + expected + ")");
        }
        return value;
    }

    /**
     * Returns a boolean; false when the parameter is absent.
     *
     * @throws IllegalArgumentException for another value than true or false
     */
    public boolean truth(String name) {
        String value = text(name, "false");
        if (!value.equals("true") && !value.equals("false")) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: true or false)");
        }
        return value.equals("true");
    }

    /**
     * Returns a number; {@code fallback} when the parameter is absent.
     *
     * @throws IllegalArgumentException when it is not a number from {@code least} to {@code most}
     */
    public int number(String name, int fallback, int least, int most) {
        String value = text(name);
        if (value == null) {
            return fallback;
        }
        int number = value.matches("\\d{1,9}") ? Integer.parseInt(value) : -1;
        if (number < least || number > most) {
            throw new IllegalArgumentException(
                    name + ": " + value + " (expected: " + least + " to " + most + ")");
        }
        return number;
    }

    /**
     * Rejects parameters that were not read before.
     *
     * @throws IllegalArgumentException when there is one
     */
    public void refuseUnknown() {
        for (String name : values.keySet()) {
            if (!known.contains(name)) {
                throw new IllegalArgumentException(
                        name + ": unknown (expected one of " + known + ")");
            }
        }
    }
}
