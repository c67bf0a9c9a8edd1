package dev.komainu.proxy.cache;

import dev.komainu.proxy.http.Fields;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The request fields that select among a URI's variants (RFC 9111 section 4.1).
 *
 * @param names lower case, sorted
 * @param generation distinguishes this rule from an earlier, purged one: its variants must not come back
 * @param weight bytes charged
 */
public record VaryRule(List<String> names, long generation, int weight) implements CacheEntry {

    public VaryRule {
        names = List.copyOf(names);
    }

    /** Lower-case, sorted names of a Vary value; empty when absent. {@code *} must have been refused before. */
    public static List<String> names(String vary) {
        List<String> names = new ArrayList<>();
        for (String name : dev.komainu.proxy.http.Tokens.split(vary)) {
            names.add(name.toLowerCase(Locale.ROOT));
        }
        return names.stream().distinct().sorted().toList();
    }

    /** Turns the URI's key into the key of the variant this request selects. */
    public void select(CacheKey key, Fields request) {
        key.append(Long.toString(generation) + selection(names, request));
    }

    /** The selecting values, normalised: members without surrounding space, joined in order. */
    public static String selection(List<String> names, Fields request) {
        StringBuilder text = new StringBuilder();
        for (String name : names) {
            String value = request.joined(name);
            text.append('\n');
            if (value != null) {
                text.append('=').append(String.join(",", dev.komainu.proxy.http.Tokens.split(value)));
            }
        }
        return text.toString();
    }
}
