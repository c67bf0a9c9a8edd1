package dev.komainu.proxy.cache;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.caching.Vary;
import dev.komainu.intermediary.message.Fields;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The request fields that select among a URI's variants (RFC 9111 section 4.1).
 *
 * @param names lower case, sorted
 * @param generation distinguishes this rule from an earlier, purged one: its variants must not come
 *     back
 * @param weight bytes charged
 */
public record VaryRule(List<String> names, long generation, int weight) implements CacheEntry {

    public VaryRule {
        names = List.copyOf(names);
    }

    @Override
    public int heapBytes() {
        return weight;
    }

    /** Turns the URI's key into the key of the variant this request selects. */
    public void select(CacheKey key, Fields request) {
        key.append(Long.toString(generation) + Vary.selection(names, request));
    }

    /**
     * Whether a variant was stored under this rule, and not under an earlier one of the same URI.
     */
    public boolean owns(CacheKey variant) {
        String text = variant.toString();
        return text.startsWith(Long.toString(generation) + "\n", text.indexOf('\0') + 1);
    }

    /**
     * The variant's key as it may outlive this rule: with the fields' names in the place of the
     * generation.
     *
     * @param variant that this rule {@link #owns}
     */
    public CacheKey lasting(CacheKey variant) {
        String text = variant.toString();
        int divider = text.indexOf('\0');
        return CacheKey.of(text.substring(0, divider + 1)
                + String.join(",", names)
                + text.substring(text.indexOf('\n', divider)));
    }

    /**
     * The values that lead to a variant of this rule, by name; absent for a field that the request
     * lacked.
     */
    public Map<String, @Nullable String> selectedBy(CacheKey variant) {
        String text = variant.toString();
        String[] parts = text.substring(text.indexOf('\0') + 1).split("\n", -1);
        Map<String, @Nullable String> values = new LinkedHashMap<>();
        for (int i = 0; i < names.size() && i + 1 < parts.length; i++) {
            values.put(names.get(i), parts[i + 1].isEmpty() ? null : parts[i + 1].substring(1));
        }
        return values;
    }
}
