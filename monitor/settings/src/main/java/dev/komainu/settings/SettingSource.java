package dev.komainu.settings;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A place where settings stand. The first of several that has one counts. Any thread. */
public interface SettingSource {

    /** What is written for a key; absent: nothing. */
    @Nullable
    Given find(String key);

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
            public @Nullable Given find(String key) {
                String text = byKey.get(key);
                return text == null ? null : new Given(text, "command line", "the command line");
            }

            @Override
            public List<Stray> strays(Set<String> known) {
                return List.of();
            }
        };
    }

    /**
     * Variables of the environment: {@code cache.memory} is {@code KOMAINU_CACHE_MEMORY}. Other parts and the launcher have variables of that
     * prefix, too, so one that is not read is no mistake.
     *
     * @param prefix such as {@code KOMAINU_}
     */
    static SettingSource environment(Map<String, String> variables, String prefix) {
        return environment(variables, prefix, Set.of());
    }

    /**
     * Likewise.
     *
     * @param own beginnings of names that nobody else uses: an unknown variable that begins so is a mistake
     */
    static SettingSource environment(Map<String, String> variables, String prefix, Set<String> own) {
        return new SettingSource() {
            @Override
            public @Nullable Given find(String key) {
                String name = name(key);
                String text = variables.get(name);
                return text == null ? null : new Given(text, "$" + name, "$" + name);
            }

            private String name(String key) {
                return prefix + key.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
            }

            @Override
            public List<Stray> strays(Set<String> known) {
                Set<String> names = new TreeSet<>(known.stream().map(this::name).toList());
                return variables.keySet().stream()
                        .filter(name -> own.stream().anyMatch(name::startsWith) && !names.contains(name))
                        .sorted()
                        .map(name -> new Stray("$" + name, "", Stray.UNKNOWN))
                        .toList();
            }
        };
    }
}
