package dev.komainu.settings;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a file: maps, lists and texts. A key is written as a tree or with dots,
 * completely or in part: the documentation names a setting by its dotted key, so people write that,
 * too.
 */
public final class SettingTree implements SettingSource {

    private static final String SOURCE = "file";

    private final Map<String, WrittenValue> map;

    SettingTree(Map<String, WrittenValue> map) {
        this.map = map;
    }

    /**
     * Returns a tree of maps, lists and plain values; {@code null} values count as absent. Places
     * are unknown.
     */
    public static SettingTree of(Map<?, ?> tree) {
        return new SettingTree(given(tree));
    }

    private static Map<String, WrittenValue> given(Map<?, ?> tree) {
        Map<String, WrittenValue> given = new LinkedHashMap<>();
        tree.forEach((key, value) -> {
            if (value != null) {
                given.put(String.valueOf(key), given(value));
            }
        });
        return given;
    }

    private static WrittenValue given(Object value) {
        return switch (value) {
            case Map<?, ?> inner -> new WrittenValue(given(inner), SOURCE, "");
            case List<?> list ->
                new WrittenValue(list.stream().map(SettingTree::given).toList(), SOURCE, "");
            default -> new WrittenValue(value.toString(), SOURCE, "");
        };
    }

    /**
     * Returns the tree below a value.
     *
     * @throws ClassCastException when the value is no map
     */
    @SuppressWarnings("unchecked")
    static SettingTree below(WrittenValue given) {
        return new SettingTree((Map<String, WrittenValue>) given.value());
    }

    @Override
    public @Nullable WrittenValue find(String key) {
        return in(map, key);
    }

    @Override
    public boolean hasBelow(String key) {
        return find(key) != null
                || map.keySet().stream().anyMatch(one -> one.startsWith(key + "."));
    }

    private static @Nullable WrittenValue in(Map<?, ?> map, String key) {
        if (map.get(key) instanceof WrittenValue found) {
            return found;
        }
        for (int dot = key.indexOf('.'); dot > 0; dot = key.indexOf('.', dot + 1)) {
            if (map.get(key.substring(0, dot)) instanceof WrittenValue inner
                    && inner.value() instanceof Map<?, ?> below) {
                WrittenValue found = in(below, key.substring(dot + 1));
                if (found != null) {
                    return found;
                }
            }
        }
        return null;
    }

    @Override
    public List<Stray> strays(Set<String> known) {
        List<Stray> strays = new ArrayList<>();
        strays("", map, known, new HashSet<>(), strays);
        return strays;
    }

    private static void strays(
            String prefix,
            Map<?, ?> inside,
            Set<String> known,
            Set<String> seen,
            List<Stray> strays) {
        inside.forEach((key, value) -> {
            String name = prefix + key;
            WrittenValue given = (WrittenValue) value;
            if (known.contains(name)) {
                if (!seen.add(name)) {
                    strays.add(new Stray(
                            name,
                            given.place(),
                            "written twice (expected: once, as a tree or with dots)"));
                }
            } else if (given.value() instanceof Map<?, ?> inner && !inner.isEmpty()) {
                strays(name + ".", inner, known, seen, strays);
            } else if (known.stream().noneMatch(one -> one.startsWith(name + "."))) {
                strays.add(new Stray(name, given.place(), Stray.UNKNOWN));
            } else if (!given.isMap()) {
                strays.add(new Stray(
                        name, given.place(), given.text() + " (expected: a map of settings)"));
            }
        });
    }
}
