package dev.komainu.organizer;

import dev.komainu.settings.EffectiveSetting;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Settings as a tree of maps, read by dotted keys; and every mistake found while reading. Unlike the proxy's, which are flat: here a
 * member of a list has settings of its own.
 */
final class SettingTree {

    private final Map<?, ?> map;
    private final Map<String, String> environment;
    private final String path;
    private final List<String> problems;
    private final TreeSet<String> asked = new TreeSet<>();
    private final Map<String, Object> defaults = new LinkedHashMap<>();

    SettingTree(Map<?, ?> map, Map<String, String> environment) {
        this(map, environment, "", new ArrayList<>());
    }

    private SettingTree(Map<?, ?> map, Map<String, String> environment, String path, List<String> problems) {
        this.map = map;
        this.environment = environment;
        this.path = path;
        this.problems = problems;
    }

    List<String> problems() {
        return problems;
    }

    /** Every key that somebody asked for: when all is read, all there are. */
    Set<String> asked() {
        return asked;
    }

    /** What is set of these, as it is written, by its dotted key: read as a tree without an environment it says the same. */
    Map<String, Object> written() {
        Map<String, Object> all = new LinkedHashMap<>();
        for (String key : List.copyOf(asked)) {
            String text = text(key);
            Object found = text == null ? at(key) : text;
            if (found != null) {
                all.put(key, found);
            }
        }
        return all;
    }

    void problem(String text) {
        problems.add(path + text);
    }

    /** Written as a tree or with dots, whole or in part: the documents name a setting by its dotted key, so people write that, too. */
    private @Nullable Object at(String key) {
        return in(map, key);
    }

    private static @Nullable Object in(Map<?, ?> map, String key) {
        Object found = map.get(key);
        for (int dot = key.indexOf('.'); found == null && dot > 0; dot = key.indexOf('.', dot + 1)) {
            if (map.get(key.substring(0, dot)) instanceof Map<?, ?> inner) {
                found = in(inner, key.substring(dot + 1));
            }
        }
        return found;
    }

    /** As written; absent when it is not, or is no single value. */
    @Nullable
    String text(String key) {
        asked.add(key);
        String variable = environment.get(variable(key));
        if (variable != null) {
            return variable.strip();
        }
        Object found = at(key);
        return found == null || found instanceof Map<?, ?> || found instanceof List<?>
                ? null
                : found.toString().strip();
    }

    private static String variable(String key) {
        return "KOMAINU_ORGANIZER_"
                + key.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
    }

    /** Every setting there is, as it holds; members of lists as they are written. After all is read. */
    List<EffectiveSetting> effective() {
        return List.copyOf(asked).stream().map(this::effective).toList();
    }

    private EffectiveSetting effective(String key) {
        String text = text(key);
        Object found = text == null ? at(key) : text;
        if (found == null) {
            return EffectiveSetting.byDefault(key, defaults.get(key));
        }
        return new EffectiveSetting(
                key, found.toString(), environment.containsKey(variable(key)) ? "$" + variable(key) : "file");
    }

    /** The value read by {@code reader}; the default when absent or, with a problem noted, unreadable. */
    <T> T value(String key, T fallback, Function<String, T> reader) {
        defaults.put(key, fallback);
        T read = optional(key, reader);
        return read == null ? fallback : read;
    }

    /** As {@link #value}, for settings that may be absent. */
    <T> @Nullable T optional(String key, Function<String, T> reader) {
        String text = text(key);
        if (text == null) {
            Object found = at(key);
            if (found != null) {
                problem(key + ": " + found + " (expected: a single value)");
            }
            return null;
        }
        try {
            return reader.apply(text);
        } catch (IllegalArgumentException e) {
            problem(key + ": " + e.getMessage());
            return null;
        }
    }

    /** A list, or one text with commas. */
    <T> List<T> list(String key, Function<String, T> reader) {
        String text = text(key);
        List<T> members = new ArrayList<>();
        List<?> written = text != null ? List.of(text.split(",")) : at(key) instanceof List<?> list ? list : List.of();
        for (Object member : written) {
            try {
                members.add(reader.apply(String.valueOf(member).strip()));
            } catch (IllegalArgumentException e) {
                problem(key + ": " + e.getMessage());
            }
        }
        return members;
    }

    /** Maps in a list, each to be read by itself. */
    List<SettingTree> members(String key) {
        asked.add(key);
        List<SettingTree> members = new ArrayList<>();
        Object found = at(key);
        if (found == null) {
            return members;
        }
        if (!(found instanceof List<?> list)) {
            problem(key + ": " + found + " (expected: a list)");
            return members;
        }
        for (int i = 0; i < list.size(); i++) {
            String inner = path + key + "[" + i + "].";
            if (list.get(i) instanceof Map<?, ?> one) {
                members.add(new SettingTree(one, Map.of(), inner, problems));
            } else {
                problems.add(path + key + "[" + i + "]: " + list.get(i) + " (expected: a map of settings)");
            }
        }
        return members;
    }

    void require(String key, String expected) {
        if (at(key) == null) {
            problem(key + ": none (expected: " + expected + ")");
        }
    }

    /** Notes every key that nobody asked for: a misspelt one must not pass silently. */
    void refuseUnknown() {
        refuseUnknown("", map, new HashSet<>());
    }

    private void refuseUnknown(String prefix, Map<?, ?> inside, Set<String> seen) {
        inside.forEach((key, value) -> {
            String name = prefix + key;
            if (asked.contains(name)) {
                if (!seen.add(name)) {
                    problem(name + ": written twice (expected: once, as a tree or with dots)");
                }
                return;
            }
            if (value instanceof Map<?, ?> inner && asked.stream().anyMatch(one -> one.startsWith(name + "."))) {
                refuseUnknown(name + ".", inner, seen);
            } else {
                problem(name + ": unknown setting (expected one of " + String.join(", ", asked) + ")");
            }
        });
    }
}
