package dev.komainu.proxy.cache;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.caching.Vary;
import dev.komainu.intermediary.message.Fields;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rule that selects among a URI's variants by request fields (RFC 9111 section 4.1).
 *
 * @param names lower case, sorted
 * @param generation distinguishes this rule from an earlier, purged one, whose variants must not be
 *     found again
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

    /** Changes the URI's key to the key of the variant that this request selects. */
    public void select(CacheKey key, Fields request) {
        key.append(Long.toString(generation) + Vary.selection(names, request));
    }

    /**
     * Reports whether a variant was stored under this rule, and not under an earlier one of the
     * same URI.
     */
    public boolean owns(CacheKey variant) {
        String text = variant.toString();
        return text.startsWith(Long.toString(generation) + "\n", text.indexOf('\0') + 1);
    }

    /**
     * Returns a key of the variant that stays valid after this rule: with the fields' names in the
     * place of the generation.
     *
     * @param variant a variant that this rule {@link #owns}
     */
    public CacheKey persistentKey(CacheKey variant) {
        String text = variant.toString();
        int divider = text.indexOf('\0');
        return CacheKey.of(text.substring(0, divider + 1)
                + String.join(",", names)
                + text.substring(text.indexOf('\n', divider)));
    }

    /**
     * Returns the values that select a variant of this rule, by field name; null for a field that
     * the request did not have.
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
