package dev.komainu.proxy;

import dev.komainu.settings.EffectiveSetting;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Settings as text by key, from all places they may stand in, and every mistake found while reading them.
 *
 * <p>The command line wins over the environment ({@code cache.memory} is {@code KOMAINU_CACHE_MEMORY} there), the
 * environment over the file, the file over the default.
 */
final class SettingValues {

    /** What is read as a tree, by whose it is. */
    private static final Set<String> TREES = Set.of("organizer");

    private final Map<String, String> values = new LinkedHashMap<>();
    private final Map<String, Map<?, ?>> trees = new LinkedHashMap<>();
    private final List<String> problems = new ArrayList<>();
    private final TreeSet<String> asked = new TreeSet<>();
    /** What the program itself says where nobody else does. */
    private final Map<String, String> assumed = new LinkedHashMap<>();

    private final Map<String, Object> defaults = new LinkedHashMap<>();

    SettingValues(Map<String, ?> file, Map<String, String> environment, Map<String, String> commandLine) {
        flatten("", file);
        environment.forEach((name, value) -> {
            if (name.startsWith("KOMAINU_")) {
                values.put("env:" + name, value);
            }
        });
        commandLine.forEach((key, value) -> values.put("cli:" + key, value));
    }

    private void flatten(String prefix, Map<?, ?> map) {
        map.forEach((key, value) -> {
            String name = prefix + key;
            if (TREES.contains(name) && value instanceof Map<?, ?> tree) {
                trees.put(name, tree);
                values.put(name, tree.toString());
            } else if (value instanceof Map<?, ?> inner) {
                flatten(name + ".", inner);
            } else if (value instanceof List<?> list) {
                values.put(
                        name,
                        String.join(
                                ",", list.stream().map(SettingValues::member).toList()));
            } else if (value != null) {
                values.put(name, value.toString());
            }
        });
    }

    /**
     * A route in a list is a small map: it becomes {@code prefix=origin}; several origins are divided by blanks. Likewise a
     * certificate: {@code certificate=key}.
     */
    private static String member(@Nullable Object member) {
        if (!(member instanceof Map<?, ?> route)) {
            return String.valueOf(member);
        }
        if (route.containsKey("certificate")) {
            return route.get("certificate") + "=" + (route.get("key") == null ? "" : route.get("key"));
        }
        String origins = route.get("origin") instanceof List<?> several
                ? several.stream().map(String::valueOf).collect(Collectors.joining(" "))
                : String.valueOf(route.get("origin"));
        return route.get("prefix") + "=" + origins;
    }

    @Nullable
    String text(String key) {
        asked.add(key);
        String fromLine = values.get("cli:" + key);
        if (fromLine != null) {
            return fromLine;
        }
        String fromEnvironment = values.get(environmentName(key));
        String given = fromEnvironment != null ? fromEnvironment : values.get(key);
        return given != null ? given : assumed.get(key);
    }

    /** What a key means where it stands nowhere. */
    void assume(String key, String text) {
        assumed.put(key, text);
    }

    /** Every setting there is, as it holds. After {@link ProxySettings#read}. */
    List<EffectiveSetting> effective() {
        return asked.stream().map(this::effective).toList();
    }

    private EffectiveSetting effective(String key) {
        String name = environmentName(key);
        String text = text(key);
        if (text == null
                || !values.containsKey("cli:" + key) && !values.containsKey(name) && !values.containsKey(key)) {
            return EffectiveSetting.byDefault(key, text == null ? defaults.get(key) : text);
        }
        String source = values.containsKey("cli:" + key)
                ? "command line"
                : values.containsKey(name) ? "$" + name.substring("env:".length()) : "file";
        return new EffectiveSetting(key, text, source);
    }

    /** The part of the file below a key that others read; absent: there is none. */
    @Nullable
    Map<?, ?> tree(String key) {
        if (text(key) != null && !trees.containsKey(key)) {
            problems.add(key + ": " + text(key) + " (expected: a map of settings)");
        }
        return trees.get(key);
    }

    /** Every variable of the environment that is ours. */
    Map<String, String> environment() {
        Map<String, String> all = new LinkedHashMap<>();
        values.forEach((name, value) -> {
            if (name.startsWith("env:")) {
                all.put(name.substring("env:".length()), value);
            }
        });
        return all;
    }

    private static String environmentName(String key) {
        return "env:KOMAINU_" + key.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
    }

    /** Every key that was asked for so far: after {@link ProxySettings#read}, all there are. */
    Set<String> asked() {
        return asked;
    }

    /** These values, but those of some keys as others have them. */
    SettingValues holding(Set<String> keys, SettingValues others) {
        SettingValues mixed = new SettingValues(Map.of(), Map.of(), Map.of());
        mixed.values.putAll(values);
        mixed.assumed.putAll(assumed);
        mixed.trees.putAll(trees);
        for (String key : keys) {
            mixed.values.remove(key);
            mixed.values.remove(environmentName(key));
            mixed.values.remove("cli:" + key);
            mixed.trees.remove(key);
            Map<?, ?> tree = others.trees.get(key);
            if (tree != null) {
                mixed.trees.put(key, tree);
            }
            String text = others.text(key);
            if (text != null) {
                mixed.values.put("cli:" + key, text);
            }
        }
        return mixed;
    }

    /** The value read by {@code reader}; the default when absent or, with a problem noted, unreadable. */
    <T> T value(String key, T fallback, Function<String, T> reader) {
        if (!(fallback instanceof Optional<?>)) {
            defaults.put(key, fallback);
        }
        String text = text(key);
        if (text == null) {
            return fallback;
        }
        try {
            return reader.apply(text.strip());
        } catch (IllegalArgumentException e) {
            problems.add(key + ": " + e.getMessage());
            return fallback;
        }
    }

    /** As {@link #value}, for settings that may be absent. */
    <T> @Nullable T optional(String key, Function<String, Optional<T>> reader) {
        return value(key, Optional.<T>empty(), reader).orElse(null);
    }

    <T> List<T> list(String key, Function<String, T> reader) {
        List<T> members = new ArrayList<>();
        String text = text(key);
        if (text != null) {
            for (String member : text.split(",")) {
                if (!member.isBlank()) {
                    try {
                        members.add(reader.apply(member.strip()));
                    } catch (IllegalArgumentException e) {
                        problems.add(key + ": " + e.getMessage());
                    }
                }
            }
        }
        return members;
    }

    List<String> problems() {
        return problems;
    }

    /** Notes every key of the file that nobody asked for: a misspelt one must not pass silently. */
    void refuseUnknown() {
        for (String key : values.keySet()) {
            if (!key.startsWith("env:") && !key.startsWith("cli:") && !asked.contains(key)) {
                problems.add(key + ": unknown setting (expected one of " + String.join(", ", asked) + ")");
            }
        }
    }
}
