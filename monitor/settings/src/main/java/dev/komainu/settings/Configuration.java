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
 * The configuration in force and where it came from: read again on demand, compared key by key as
 * it was written, and with those settings held back that only a start can change. One thread at a
 * time.
 *
 * @param <S> the settings as the program has them
 */
public final class Configuration<S> {

    /** The same places in the same order, each time. */
    @FunctionalInterface
    public interface Sources {
        /** @throws SettingMistakesException when a place cannot be read */
        List<SettingSource> read() throws SettingMistakesException;
    }

    /**
     * Reads and checks all settings.
     *
     * @param <S> what they become
     */
    @FunctionalInterface
    public interface Reading<S> {
        /** @throws SettingMistakesException all mistakes */
        S read(SettingReader reader) throws SettingMistakesException;
    }

    /**
     * What a reload would do.
     *
     * @param settings with what is held back
     * @param applied keys that change now
     * @param needsRestart keys that change at the next start, and why
     * @param unchanged how many keys stay as they are
     * @param written what will be in force, by key, for the next comparison
     * @param <S> the settings as the program has them
     */
    public record Change<S>(
            S settings,
            List<String> applied,
            Map<String, String> needsRestart,
            int unchanged,
            SortedMap<String, Written> written) {}

    /**
     * What was found for a key.
     *
     * @param given absent: nothing
     * @param atStart why only a start changes it; empty: a reload does
     */
    public record Written(@Nullable WrittenValue given, String atStart) {

        private static final Written NOTHING = new Written(null, "");

        private boolean saysAs(Written other) {
            return given == null
                    ? other.given == null
                    : other.given != null && given.saysAs(other.given);
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

    /** @throws SettingMistakesException all mistakes */
    public static <S> Configuration<S> read(Sources sources, Reading<S> reading)
            throws SettingMistakesException {
        SettingReader reader = new SettingReader(sources.read());
        S settings = reading.read(reader);
        return new Configuration<>(sources, reading, reader.written(), settings);
    }

    /**
     * Of a program that was started with settings from nowhere. @param what the program, for the
     * mistake of {@link #again}
     */
    public static <S> Configuration<S> fixed(S settings, String what) {
        Sources none = () -> {
            throw new SettingMistakesException(List.of(
                    "configuration: none (expected: " + what + " that was started with one)"));
        };
        return new Configuration<>(none, reader -> settings, new TreeMap<>(), settings);
    }

    public S settings() {
        return settings;
    }

    /**
     * Reads everything again and compares.
     *
     * @throws SettingMistakesException all mistakes of what is written now, or of what remains of
     *     it without a restart
     */
    public Change<S> again() throws SettingMistakesException {
        SettingReader reader = new SettingReader(sources.read());
        reading.read(reader);
        SortedMap<String, Written> now = reader.written();
        written.forEach((key, before) -> now.putIfAbsent(key, new Written(null, before.atStart())));
        SortedMap<String, Written> held = new TreeMap<>();
        List<String> applied = new ArrayList<>();
        Map<String, String> needsRestart = new LinkedHashMap<>();
        now.forEach((key, after) -> {
            Written before = written.getOrDefault(key, Written.NOTHING);
            boolean onlyAtStart = !after.atStart().isEmpty();
            held.put(key, onlyAtStart ? new Written(before.given(), after.atStart()) : after);
            if (!before.saysAs(after)) {
                if (onlyAtStart) {
                    needsRestart.put(key, after.atStart());
                } else {
                    applied.add(key);
                }
            }
        });
        int unchanged = now.size() - applied.size() - needsRestart.size();
        return new Change<>(remaining(held, needsRestart), applied, needsRestart, unchanged, held);
    }

    /** What changes without a restart must make sense without what needs one. */
    private S remaining(SortedMap<String, Written> held, Map<String, String> needsRestart)
            throws SettingMistakesException {
        try {
            return reading.read(new SettingReader(List.of(new Held(held))));
        } catch (SettingMistakesException e) {
            List<String> mistakes = new ArrayList<>(e.mistakes());
            mistakes.add(
                    String.join(", ", needsRestart.keySet())
                            + ": set otherwise (expected: as at the start, because the rest makes no sense without; restart instead)");
            throw new SettingMistakesException(mistakes);
        }
    }

    /** It is in force now. */
    public void took(Change<S> change) {
        written = change.written();
        settings = change.settings();
    }

    private record Held(SortedMap<String, Written> byKey) implements SettingSource {

        @Override
        public @Nullable WrittenValue find(String key) {
            return byKey.getOrDefault(key, Written.NOTHING).given();
        }

        @Override
        public boolean hasBelow(String key) {
            return byKey.entrySet().stream()
                    .anyMatch(one ->
                            one.getKey().startsWith(key + ".") && one.getValue().given() != null);
        }

        @Override
        public List<Stray> strays(Set<String> known) {
            return List.of();
        }
    }
}
