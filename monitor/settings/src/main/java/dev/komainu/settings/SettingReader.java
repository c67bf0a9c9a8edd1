package dev.komainu.settings;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A reader of settings by their declarations, from several sources. A mistake is recorded and the
 * default is used, so that reading continues and {@link #finish} reports all mistakes together. One
 * thread.
 */
public final class SettingReader {

    private final List<SettingSource> sources;
    private final String prefix;
    private final String shown;
    private final @Nullable String atStart;
    private final List<String> mistakes;
    private final Map<String, ReadSetting> readSettings;

    /** A setting that was read, with its default and the reason why only a start changes it. */
    private record ReadSetting(
            Setting<?> setting,
            @Nullable WrittenValue given,
            @Nullable Object fallback,
            @Nullable String atStart) {}

    /**
     * Creates a reader.
     *
     * @param sources the first source that contains a setting has precedence
     */
    public SettingReader(List<? extends SettingSource> sources) {
        this(List.copyOf(sources), "", "", null, new ArrayList<>(), new LinkedHashMap<>());
    }

    /** Returns a reader without sources: every setting has its default. */
    public static SettingReader ofDefaults() {
        return new SettingReader(List.of());
    }

    /**
     * Returns every setting that the function reads, in this order, even when required settings are
     * missing.
     */
    public static List<Setting<?>> declared(Configuration.Reading<?> reading) {
        SettingReader reader = ofDefaults();
        try {
            reading.read(reader);
        } catch (SettingMistakesException e) {
            // Expected: mistakes are thrown after all settings were read.
        }
        return reader.settings();
    }

    private SettingReader(
            List<SettingSource> sources,
            String prefix,
            String shown,
            @Nullable String atStart,
            List<String> mistakes,
            Map<String, ReadSetting> readSettings) {
        this.sources = sources;
        this.prefix = prefix;
        this.shown = shown;
        this.atStart = atStart;
        this.mistakes = mistakes;
        this.readSettings = readSettings;
    }

    /**
     * Returns a reader of a group of settings with a common prefix.
     *
     * @param key the prefix of their keys
     * @param why reason why only the next start changes them
     */
    public SettingReader below(String key, String why) {
        return new SettingReader(
                sources, prefix + key + ".", shown + key + ".", why, mistakes, readSettings);
    }

    /** Reports whether any setting below {@code key} is written in a file. */
    public boolean has(String key) {
        return sources.stream().anyMatch(source -> source.hasBelow(prefix + key));
    }

    /**
     * Returns the value; the default when it is not written or is invalid (then a mistake is
     * recorded).
     */
    public <T> T get(Setting<T> setting) {
        T value = find(setting, setting.defaultValue());
        return Objects.requireNonNull(value, setting.key());
    }

    /**
     * Returns the value; {@code otherwise}, a default that depends on other settings, when it is
     * not written or is invalid (then a mistake is recorded).
     */
    public <T> T get(Setting<T> setting, T otherwise) {
        T value = find(setting, otherwise);
        return value == null ? otherwise : value;
    }

    /** Returns the value; null when it is not written, is {@code none}, or is invalid. */
    public <T> @Nullable T find(Setting<T> setting) {
        return find(setting, setting.defaultValue());
    }

    private <T> @Nullable T find(Setting<T> setting, @Nullable T otherwise) {
        String key = prefix + setting.key();
        WrittenValue given = given(setting);
        readSettings.put(
                key,
                new ReadSetting(
                        setting, given, otherwise, atStart == null ? setting.atStart() : atStart));
        if (given == null) {
            return otherwise;
        }
        if (setting.isAbsent(given)) {
            return null;
        }
        try {
            if (given.isMap()) {
                throw SettingGrammar.wrong(given.text(), "a single value");
            }
            return setting.read(given);
        } catch (ListMistakesException e) {
            e.mistakes().forEach(mistake -> mistakes.add(shown + setting.key() + ": " + mistake));
            return validMembers(e);
        } catch (IllegalArgumentException e) {
            mistakes.add(shown + setting.key() + ": " + given.mistake(e));
        }
        return otherwise;
    }

    /**
     * Returns the valid members of a list with mistakes. The cast is safe: the exception comes from
     * the setting's own list.
     */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <T> T validMembers(ListMistakesException e) {
        return (T) e.rest();
    }

    private @Nullable WrittenValue given(Setting<?> setting) {
        for (SettingSource source : sources) {
            WrittenValue given = source.find(prefix + setting.key());
            if (given != null) {
                boolean isOption = given.place().equals(SettingSource.COMMAND_LINE)
                        && !setting.option().isEmpty();
                return isOption ? given.in(setting.option()) : given;
            }
        }
        return null;
    }

    /** Reports whether it is written, and not as {@code none} where that means absent. */
    public boolean isGiven(Setting<?> setting) {
        WrittenValue given = given(setting);
        return given != null && !setting.isAbsent(given);
    }

    /**
     * Reads the maps in a list. A key in a map that is not read is a mistake.
     *
     * @param list declares key and effect of the list
     * @param read reads one map; null when a mistake prevents a result
     */
    public <T> List<T> members(Setting<?> list, Function<SettingReader, @Nullable T> read) {
        String key = prefix + list.key();
        WrittenValue given = given(list);
        readSettings.put(
                key,
                new ReadSetting(
                        list, given, List.of(), atStart == null ? list.atStart() : atStart));
        List<T> members = new ArrayList<>();
        if (given == null) {
            return members;
        }
        if (!(given.value() instanceof List<?> written)) {
            mistakes.add(shown + list.key() + ": "
                    + given.mistake(SettingGrammar.wrong(given.text(), "a list")));
            return members;
        }
        for (int i = 0; i < written.size(); i++) {
            WrittenValue element = (WrittenValue) written.get(i);
            String name = shown + list.key() + "[" + i + "]";
            if (element.isMap()) {
                SettingReader inside = new SettingReader(
                        List.of(SettingTree.below(element)),
                        "",
                        name + ".",
                        null,
                        mistakes,
                        new LinkedHashMap<>());
                T member = read.apply(inside);
                inside.refuseUnknown();
                if (member != null) {
                    members.add(member);
                }
            } else {
                mistakes.add(name + ": "
                        + element.mistake(
                                SettingGrammar.wrong(element.text(), "a map of settings")));
            }
        }
        return members;
    }

    /** Records that a required setting is missing or {@code none}. */
    public void require(Setting<?> setting, String expected) {
        if (!isGiven(setting)) {
            mistake(setting, "none", expected);
        }
    }

    /**
     * Records a mistake of the written text, such as a text that another setting does not allow.
     */
    public void mistake(Setting<?> setting, String expected) {
        WrittenValue given = given(setting);
        mistake(setting, given == null ? setting.defaultText() : given.text(), expected);
    }

    /** Records a mistake of the value, such as two settings that contradict each other. */
    public void mistake(Setting<?> setting, Object value, String expected) {
        WrittenValue given = given(setting);
        String text = String.valueOf(value) + " (expected: " + expected + ")";
        mistake(setting.key() + ": "
                + (given == null ? text : given.mistake(new IllegalArgumentException(text))));
    }

    /** Records a mistake in full: {@code key: value (expected: …)}. */
    public void mistake(String text) {
        mistakes.add(shown + text);
    }

    /** Records the mistakes that a check finds, each in full. */
    public void check(Consumer<List<String>> check) {
        List<String> found = new ArrayList<>();
        check.accept(found);
        found.forEach(this::mistake);
    }

    /** Reports whether a mistake was recorded. */
    public boolean hasMistakes() {
        return !mistakes.isEmpty();
    }

    /**
     * Records every written key that was not read: a misspelt key must not be ignored. Call after
     * all settings were read.
     */
    public void refuseUnknown() {
        Map<String, String> renamed = new TreeMap<>();
        readSettings.forEach((key, read) -> read.setting()
                .formerKeys()
                .forEach(former -> renamed.put(
                        key.substring(0, key.length() - read.setting().key().length()) + former,
                        key)));
        for (SettingSource source : sources) {
            for (SettingSource.Stray stray : source.strays(readSettings.keySet())) {
                String place = stray.place().isEmpty() ? "" : " in " + stray.place();
                String now = renamed.get(stray.key());
                String why = now != null
                        ? "renamed (expected: " + now + ")"
                        : stray.why().equals(SettingSource.Stray.UNKNOWN)
                                ? stray.why() + " (" + nearest(stray.key()) + "expected one of "
                                        + String.join(", ", sorted(readSettings.keySet())) + ")"
                                : stray.why();
                mistakes.add((prefix.isEmpty() ? shown : "") + stray.key() + place + ": " + why);
            }
        }
    }

    private String nearest(String key) {
        return NearestKey.of(key, readSettings.keySet())
                .map(near -> "nearest: " + near + "; ")
                .orElse("");
    }

    private static List<String> sorted(Collection<String> keys) {
        return keys.stream().sorted().toList();
    }

    /**
     * Ends the reading.
     *
     * @throws SettingMistakesException with all mistakes, when there are any
     */
    public void finish() throws SettingMistakesException {
        if (!mistakes.isEmpty()) {
            throw new SettingMistakesException(mistakes);
        }
    }

    /** Returns every setting that was read, in the order of reading. */
    public List<Setting<?>> settings() {
        return readSettings.values().stream()
                .<Setting<?>>map(ReadSetting::setting)
                .toList();
    }

    /** Returns the value in force of every setting that was read, sorted by key. */
    public List<EffectiveSetting> effective() {
        return sorted(readSettings.keySet()).stream()
                .map(key -> {
                    ReadSetting read = Objects.requireNonNull(readSettings.get(key));
                    return read.given() == null
                            ? new EffectiveSetting(
                                    key,
                                    read.setting().writtenDefault(read.fallback()),
                                    EffectiveSetting.DEFAULT)
                            : new EffectiveSetting(
                                    key, read.given().written(), read.given().source());
                })
                .toList();
    }

    /** Returns the written value of each key that was read, sorted. */
    SortedMap<String, Configuration.Written> written() {
        SortedMap<String, Configuration.Written> written = new TreeMap<>();
        readSettings.forEach((key, read) -> written.put(
                key,
                new Configuration.Written(
                        read.given(), read.atStart() == null ? "" : read.atStart())));
        return written;
    }
}
