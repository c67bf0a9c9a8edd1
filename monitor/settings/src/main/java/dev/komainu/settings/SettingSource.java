package dev.komainu.settings;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A source of settings. The first of several sources that contains a setting has precedence. Any
 * thread.
 */
public interface SettingSource {

    /** Place of a setting from an option that its declaration does not name. */
    String COMMAND_LINE = "the command line";

    /** Returns the written value of a key; null when there is none. */
    @Nullable
    WrittenValue find(String key);

    /** Reports whether it contains settings below a key, other than single variables. */
    default boolean hasBelow(String key) {
        return find(key) != null;
    }

    /**
     * Returns the written keys that no program part reads.
     *
     * @param known every key that is read
     * @return keys with their places, including keys that are written twice
     */
    List<Stray> strays(Set<String> known);

    /**
     * A written key that is not read.
     *
     * @param key as written
     * @param place empty: unknown
     * @param why {@code unknown setting}, or another mistake
     */
    record Stray(String key, String place, String why) {
        /** Mistake of a key that is never read. */
        public static final String UNKNOWN = "unknown setting";
    }

    /**
     * Returns the options of a command line.
     *
     * @param byKey texts by key, without options that were not given
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

    /**
     * Returns the environment variable of a key.
     *
     * @param prefix prefix of the variable
     */
    static String variable(String prefix, String key) {
        return prefix + key.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
    }

    /**
     * Returns the variables of the environment: {@code cache.memory} is
     * {@code KOMAINU_CACHE_MEMORY}. Other parts and the launcher have variables of that prefix,
     * too, so an unread variable is no mistake.
     *
     * @param prefix such as {@code KOMAINU_}
     */
    static SettingSource environment(Map<String, String> variables, String prefix) {
        return environment(variables, key -> List.of(variable(prefix, key)), Set.of());
    }

    /**
     * Returns the variables of the environment, with several variables for a key.
     *
     * @param names the variables of a key; the first that is set has precedence
     * @param own prefixes that only this program uses: an unknown variable with such a prefix is a
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
