package dev.komainu.settings;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A place where settings stand. The first of several that has one counts. Any thread. */
public interface SettingSource {

    /** The place of a setting from an option that its declaration does not name. */
    String COMMAND_LINE = "the command line";

    /** What is written for a key; absent: nothing. */
    @Nullable
    WrittenValue find(String key);

    /** Whether it tells anything below a key, other than single variables. */
    default boolean hasBelow(String key) {
        return find(key) != null;
    }

    /**
     * What is written there and means nothing.
     *
     * @param known every key that is read
     * @return each as {@code key}, with its place; keys written twice are here, too
     */
    List<Stray> strays(Set<String> known);

    /**
     * Something written that is not read.
     *
     * @param key as written
     * @param place empty: not told
     * @param why {@code unknown setting}, or what else is wrong
     */
    record Stray(String key, String place, String why) {
        /** Nothing reads the key. */
        public static final String UNKNOWN = "unknown setting";
    }

    /**
     * The options of a command line.
     *
     * @param byKey texts by key; options that were not given are not in it
     */
    static SettingSource commandLine(Map<String, String> byKey) {
        return new SettingSource() {
            @Override
            public @Nullable WrittenValue find(String key) {
                String text = byKey.get(key);
                return text == null ? null : new WrittenValue(text, "command line", COMMAND_LINE);
            }

            @Override
            public List<Stray> strays(Set<String> known) {
                return List.of();
            }
        };
    }

    /** The variable of a key. @param prefix stands before it */
    static String variable(String prefix, String key) {
        return prefix + key.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
    }

    /**
     * Variables of the environment: {@code cache.memory} is {@code KOMAINU_CACHE_MEMORY}. Other
     * parts and the launcher have variables of that prefix, too, so one that is not read is no
     * mistake.
     *
     * @param prefix such as {@code KOMAINU_}
     */
    static SettingSource environment(Map<String, String> variables, String prefix) {
        return environment(variables, key -> List.of(variable(prefix, key)), Set.of());
    }

    /**
     * Likewise, with several variables for a key.
     *
     * @param names the variables of a key; the first that is set counts
     * @param own beginnings of names that nobody else uses: an unknown variable that begins so is a
     *     mistake
     */
    static SettingSource environment(
            Map<String, String> variables, Function<String, List<String>> names, Set<String> own) {
        return new SettingSource() {
            @Override
            public @Nullable WrittenValue find(String key) {
                for (String name : names.apply(key)) {
                    String text = variables.get(name);
                    if (text != null) {
                        return new WrittenValue(text, "$" + name, "$" + name);
                    }
                }
                return null;
            }

            @Override
            public List<Stray> strays(Set<String> known) {
                Set<String> read = known.stream()
                        .flatMap(key -> names.apply(key).stream())
                        .collect(Collectors.toSet());
                return variables.keySet().stream()
                        .filter(name ->
                                own.stream().anyMatch(name::startsWith) && !read.contains(name))
                        .sorted()
                        .map(name -> new Stray("$" + name, "", Stray.UNKNOWN))
                        .toList();
            }
        };
    }
}
