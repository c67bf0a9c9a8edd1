package dev.komainu.settings;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The configuration in force and its sources. On demand it is read again and compared key by key as
 * written; settings that only a start can change keep their value. One thread at a time.
 *
 * @param <S> the program's settings
 */
public final class Configuration<S> {

    /** The sources of settings: the same sources in the same order on each call. */
    @FunctionalInterface
    public interface Sources {
        /**
         * Reads the sources.
         *
         * @throws SettingMistakesException when a source cannot be read
         */
        List<SettingSource> read() throws SettingMistakesException;
    }

    /**
     * A function that reads and checks all settings.
     *
     * @param <S> its result
     */
    @FunctionalInterface
    public interface Reading<S> {
        /**
         * Reads all settings.
         *
         * @throws SettingMistakesException with all mistakes
         */
        S read(SettingReader reader) throws SettingMistakesException;
    }

    /**
     * The effect of a reload.
     *
     * @param settings the settings, with the values in force for keys that need a restart
     * @param applied keys that change now
     * @param needsRestart keys that change at the next start, each with the reason
     * @param unchanged number of keys that stay unchanged
     * @param written values in force after the reload, by key, for the next comparison
     * @param <S> the program's settings
     */
    public record Change<S>(
            S settings,
            List<String> applied,
            Map<String, String> needsRestart,
            int unchanged,
            SortedMap<String, Written> written) {}

    /**
     * The written value of a key.
     *
     * @param given absent: not written
     * @param atStart reason why only a start changes it; empty: a reload does
     */
    public record Written(@Nullable WrittenValue given, String atStart) {

        private static final Written NOTHING = new Written(null, "");

        private boolean hasSameContentAs(Written other) {
            return given == null
                    ? other.given == null
                    : other.given != null && given.hasSameContentAs(other.given);
        }
    }

    private final Sources sources;
    private final Reading<S> reading;
    private SortedMap<String, Written> written;
    private S settings;

    private Configuration(
            Sources sources, Reading<S> reading, SortedMap<String, Written> written, S settings) {
        this.sources = sources;
        this.reading = reading;
        this.written = written;
        this.settings = settings;
    }

    /**
     * Reads the configuration at the start of a program.
     *
     * @throws SettingMistakesException with all mistakes
     */
    public static <S> Configuration<S> read(Sources sources, Reading<S> reading)
            throws SettingMistakesException {
        SettingReader reader = new SettingReader(sources.read());
        S settings = reading.read(reader);
        return new Configuration<>(sources, reading, reader.written(), settings);
    }

    /**
     * Returns the configuration of a program whose settings have no sources.
     *
     * @param what the program's name, for the mistake that {@link #reread} throws
     */
    public static <S> Configuration<S> fixed(S settings, String what) {
        Sources none = () -> {
            throw new SettingMistakesException(
                    List.of("configuration: none (expected: " + what + " started with one)"));
        };
        return new Configuration<>(none, reader -> settings, new TreeMap<>(), settings);
    }

    public S settings() {
        return settings;
    }

    /**
     * Reads all settings again and compares them.
     *
     * @throws SettingMistakesException with all mistakes of the written settings, or of the
     *     settings that apply without a restart
     */
    public Change<S> reread() throws SettingMistakesException {
        SettingReader reader = new SettingReader(sources.read());
        reading.read(reader);
        SortedMap<String, Written> now = reader.written();
        written.forEach((key, before) -> now.putIfAbsent(key, new Written(null, before.atStart())));
        SortedMap<String, Written> inForce = new TreeMap<>();
        List<String> applied = new ArrayList<>();
        Map<String, String> needsRestart = new LinkedHashMap<>();
        now.forEach((key, after) -> {
            Written before = written.getOrDefault(key, Written.NOTHING);
            boolean needsStart = !after.atStart().isEmpty();
            inForce.put(key, needsStart ? new Written(before.given(), after.atStart()) : after);
            if (!before.hasSameContentAs(after)) {
                if (needsStart) {
                    needsRestart.put(key, after.atStart());
                } else {
                    applied.add(key);
                }
            }
        });
        int unchanged = now.size() - applied.size() - needsRestart.size();
        return new Change<>(
                remaining(inForce, needsRestart), applied, needsRestart, unchanged, inForce);
    }

    /**
     * Returns the settings that apply without a restart. They must be valid without the settings
     * that need one.
     */
    private S remaining(SortedMap<String, Written> inForce, Map<String, String> needsRestart)
            throws SettingMistakesException {
        try {
            return reading.read(new SettingReader(List.of(new InForce(inForce))));
        } catch (SettingMistakesException e) {
            List<String> mistakes = new ArrayList<>(e.mistakes());
            mistakes.add(
                    String.join(", ", needsRestart.keySet())
                            + ": changed (expected: the value of the start, because other changed settings depend on it; restart instead)");
            throw new SettingMistakesException(mistakes);
        }
    }

    /** Stores a change that is in force now. */
    public void activate(Change<S> change) {
        written = change.written();
        settings = change.settings();
    }

    private record InForce(SortedMap<String, Written> byKey) implements SettingSource {

        @Override
        public @Nullable WrittenValue find(String key) {
            return byKey.getOrDefault(key, Written.NOTHING).given();
        }

        @Override
        public boolean hasBelow(String key) {
            return byKey.entrySet().stream()
                    .anyMatch(entry -> entry.getKey().startsWith(key + ".")
                            && entry.getValue().given() != null);
        }

        @Override
        public List<Stray> strays(Set<String> known) {
            return List.of();
        }
    }
}
