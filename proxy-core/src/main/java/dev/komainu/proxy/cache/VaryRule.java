package dev.komainu.proxy.cache;

import dev.komainu.proxy.http.Fields;
import dev.komainu.proxy.http.Tokens;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The request fields that select among a URI's variants (RFC 9111 section 4.1).
 *
 * @param names lower case, sorted
 * @param generation distinguishes this rule from an earlier, purged one: its variants must not come back
 * @param weight bytes charged
 */
public record VaryRule(List<String> names, long generation, int weight) implements CacheEntry {

    private static final Set<String> NEGOTIATION = Set.of("accept-encoding", "accept-language", "accept-charset");

    public VaryRule {
        names = List.copyOf(names);
    }

    @Override
    public int heapBytes() {
        return weight;
    }

    /** Lower-case, sorted names of a Vary value; empty when absent. {@code *} must have been refused before. */
    public static List<String> names(String vary) {
        List<String> names = new ArrayList<>();
        for (String name : Tokens.split(vary)) {
            names.add(name.toLowerCase(Locale.ROOT));
        }
        return names.stream().distinct().sorted().toList();
    }

    /** Turns the URI's key into the key of the variant this request selects. */
    public void select(CacheKey key, Fields request) {
        key.append(Long.toString(generation) + selection(names, request));
    }

    /** Whether a variant was stored under this rule, and not under an earlier one of the same URI. */
    public boolean owns(CacheKey variant) {
        String text = variant.toString();
        return text.startsWith(Long.toString(generation) + "\n", text.indexOf('\0') + 1);
    }

    /**
     * The variant's key as it may outlive this rule: with the fields' names in the place of the generation.
     *
     * @param variant that this rule {@link #owns}
     */
    public CacheKey lasting(CacheKey variant) {
        String text = variant.toString();
        int divider = text.indexOf('\0');
        return CacheKey.of(
                text.substring(0, divider + 1) + String.join(",", names) + text.substring(text.indexOf('\n', divider)));
    }

    /** The values that lead to a variant of this rule, by name; absent for a field that the request lacked. */
    public Map<String, @Nullable String> selectedBy(CacheKey variant) {
        String text = variant.toString();
        String[] parts = text.substring(text.indexOf('\0') + 1).split("\n", -1);
        Map<String, @Nullable String> values = new LinkedHashMap<>();
        for (int i = 0; i < names.size() && i + 1 < parts.length; i++) {
            values.put(names.get(i), parts[i + 1].isEmpty() ? null : parts[i + 1].substring(1));
        }
        return values;
    }

    /**
     * The selecting values, normalised as far as RFC 9111 section 4.1 allows: space around members is nothing; of the
     * negotiation fields, whose grammar is known, neither case nor the order of members matters, because q alone weighs.
     */
    public static String selection(List<String> names, Fields request) {
        StringBuilder text = new StringBuilder();
        for (String name : names) {
            String value = request.joined(name);
            text.append('\n');
            if (value != null) {
                List<String> members = Tokens.split(value);
                text.append('=').append(String.join(",", NEGOTIATION.contains(name) ? weighed(members) : members));
            }
        }
        return text.toString();
    }

    private static List<String> weighed(List<String> members) {
        return members.stream()
                .map(member -> {
                    String bare =
                            member.toLowerCase(Locale.ROOT).replace(" ", "").replace("\t", "");
                    // RFC 9110 section 12.4.2: q=1 is what no q means.
                    return bare.replaceFirst(";q=1(\\.0{0,3})?$", "").replaceFirst("(;q=0\\.\\d*?)0+$", "$1");
                })
                .distinct()
                .sorted()
                .toList();
    }
}
