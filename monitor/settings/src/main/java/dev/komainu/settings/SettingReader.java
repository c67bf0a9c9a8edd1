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
 * Reads settings by their declarations from the places where they may stand. A mistake is noted and
 * the default used, so that reading goes on and {@link #finish} can tell all mistakes together. One
 * thread.
 */
public final class SettingReader {

    private final List<SettingSource> sources;
    private final String prefix;
    private final String shown;
    private final @Nullable String atStart;
    private final List<String> mistakes;
    private final Map<String, Asked> asked;

    /**
     * A setting that was read, how it holds where it stands nowhere, and why only a start changes
     * it.
     */
    private record Asked(
            Setting<?> setting,
            @Nullable WrittenValue given,
            @Nullable Object fallback,
            @Nullable String atStart) {}

    /** @param sources the first one that has a setting counts */
    public SettingReader(List<? extends SettingSource> sources) {
        this(List.copyOf(sources), "", "", null, new ArrayList<>(), new LinkedHashMap<>());
    }

    /** Of nothing: everything is as by default. */
    public static SettingReader ofDefaults() {
        return new SettingReader(List.of());
    }

    /** Every setting that is read, in this order, whether or not all that must be given is. */
    public static List<Setting<?>> declared(Configuration.Reading<?> reading) {
        SettingReader reader = ofDefaults();
        try {
            reading.read(reader);
        } catch (SettingMistakesException e) {
            // Expected: mistakes are told after everything was read.
        }
        return reader.settings();
    }

    private SettingReader(
            List<SettingSource> sources,
            String prefix,
            String shown,
            @Nullable String atStart,
            List<String> mistakes,
            Map<String, Asked> asked) {
        this.sources = sources;
        this.prefix = prefix;
        this.shown = shown;
        this.atStart = atStart;
        this.mistakes = mistakes;
        this.asked = asked;
    }

    /**
     * Settings of another part within these.
     *
     * @param key stands before each of theirs
     * @param why only the next start changes them
     */
    public SettingReader below(String key, String why) {
        return new SettingReader(
                sources, prefix + key + ".", shown + key + ".", why, mistakes, asked);
    }

    /** Whether any setting below {@code key} is written in a file. */
    public boolean has(String key) {
        return sources.stream().anyMatch(source -> source.hasBelow(prefix + key));
    }

    /** The value; its default where it stands nowhere or, with a mistake noted, means nothing. */
    public <T> T get(Setting<T> setting) {
        T value = find(setting, setting.defaultValue());
        return Objects.requireNonNull(value, setting.key());
    }

    /** Likewise, with a default that follows from other settings. */
    public <T> T get(Setting<T> setting, T otherwise) {
        T value = find(setting, otherwise);
        return value == null ? otherwise : value;
    }

    /** The value; null where it stands nowhere, is {@code none}, or means nothing. */
    public <T> @Nullable T find(Setting<T> setting) {
        return find(setting, setting.defaultValue());
    }

    private <T> @Nullable T find(Setting<T> setting, @Nullable T otherwise) {
        String key = prefix + setting.key();
        WrittenValue given = given(setting);
        asked.put(
                key,
                new Asked(
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
            return restOf(e);
        } catch (IllegalArgumentException e) {
            mistakes.add(shown + setting.key() + ": " + given.mistake(e));
        }
        return otherwise;
    }

    /** What a setting of a list throws comes of its own members. */
    @SuppressWarnings("unchecked")
    private static <T> T restOf(ListMistakesException e) {
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

    /** Whether it stands anywhere, and not as {@code none} where that means absent. */
    public boolean isGiven(Setting<?> setting) {
        WrittenValue given = given(setting);
        return given != null && !setting.isAbsent(given);
    }

    /**
     * What the maps in a list mean. In each of them, what is written and not read is a mistake.
     *
     * @param list declares key and effect of the list
     * @param read reads one; null when a mistake was noted without which there is none
     */
    public <T> List<T> members(Setting<?> list, Function<SettingReader, @Nullable T> read) {
        String key = prefix + list.key();
        WrittenValue given = given(list);
        asked.put(
                key, new Asked(list, given, List.of(), atStart == null ? list.atStart() : atStart));
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
            WrittenValue one = (WrittenValue) written.get(i);
            String name = shown + list.key() + "[" + i + "]";
            if (one.isMap()) {
                SettingReader inside = new SettingReader(
                        List.of(SettingTree.below(one)),
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
                        + one.mistake(SettingGrammar.wrong(one.text(), "a map of settings")));
            }
        }
        return members;
    }

    /** Notes that a setting is missing where it stands nowhere, or is {@code none}. */
    public void require(Setting<?> setting, String expected) {
        if (!isGiven(setting)) {
            mistake(setting, "none", expected);
        }
    }

    /** Notes a mistake of what was written, such as a text that another setting does not allow. */
    public void mistake(Setting<?> setting, String expected) {
        WrittenValue given = given(setting);
        mistake(setting, given == null ? setting.defaultText() : given.text(), expected);
    }

    /** Notes a mistake of what was read, such as two settings that contradict each other. */
    public void mistake(Setting<?> setting, Object value, String expected) {
        WrittenValue given = given(setting);
        String text = String.valueOf(value) + " (expected: " + expected + ")";
        mistake(setting.key() + ": "
                + (given == null ? text : given.mistake(new IllegalArgumentException(text))));
    }

    /** Notes a mistake in full: {@code key: value (expected: …)}. */
    public void mistake(String text) {
        mistakes.add(shown + text);
    }

    /** Notes the mistakes that a check finds, each in full. */
    public void check(Consumer<List<String>> check) {
        List<String> found = new ArrayList<>();
        check.accept(found);
        found.forEach(this::mistake);
    }

    /** Whether a mistake was noted. */
    public boolean hasMistakes() {
        return !mistakes.isEmpty();
    }

    /**
     * Notes everything written that was not read: a misspelt key must not pass silently. After all
     * is read.
     */
    public void refuseUnknown() {
        Map<String, String> renamed = new TreeMap<>();
        asked.forEach((key, one) -> one.setting()
                .formerKeys()
                .forEach(former -> renamed.put(
                        key.substring(0, key.length() - one.setting().key().length()) + former,
                        key)));
        for (SettingSource source : sources) {
            for (SettingSource.Stray stray : source.strays(asked.keySet())) {
                String place = stray.place().isEmpty() ? "" : " in " + stray.place();
                String now = renamed.get(stray.key());
                String why = now != null
                        ? "renamed (expected: " + now + ")"
                        : stray.why().equals(SettingSource.Stray.UNKNOWN)
                                ? stray.why() + " (" + nearest(stray.key()) + "expected one of "
                                        + String.join(", ", sorted(asked.keySet())) + ")"
                                : stray.why();
                mistakes.add((prefix.isEmpty() ? shown : "") + stray.key() + place + ": " + why);
            }
        }
    }

    private String nearest(String key) {
        return NearestKey.of(key, asked.keySet())
                .map(near -> "nearest: " + near + "; ")
                .orElse("");
    }

    private static List<String> sorted(Collection<String> keys) {
        return keys.stream().sorted().toList();
    }

    /** @throws SettingMistakesException telling all mistakes, when there are any */
    public void finish() throws SettingMistakesException {
        if (!mistakes.isEmpty()) {
            throw new SettingMistakesException(mistakes);
        }
    }

    /** Every setting that was read, in the order of reading. */
    public List<Setting<?>> settings() {
        return asked.values().stream().<Setting<?>>map(Asked::setting).toList();
    }

    /** Every setting that was read, as it holds, by its key. */
    public List<EffectiveSetting> effective() {
        return sorted(asked.keySet()).stream()
                .map(key -> {
                    Asked one = Objects.requireNonNull(asked.get(key));
                    return one.given() == null
                            ? new EffectiveSetting(
                                    key,
                                    one.setting().writtenDefault(one.fallback()),
                                    EffectiveSetting.DEFAULT)
                            : new EffectiveSetting(
                                    key, one.given().written(), one.given().source());
                })
                .toList();
    }

    /** What was found for each key that was read, sorted. */
    SortedMap<String, Configuration.Written> written() {
        SortedMap<String, Configuration.Written> written = new TreeMap<>();
        asked.forEach((key, one) -> written.put(
                key,
                new Configuration.Written(
                        one.given(), one.atStart() == null ? "" : one.atStart())));
        return written;
    }
}
