package dev.komainu.central.settings;

import dev.komainu.settings.EffectiveSetting;
import dev.komainu.settings.SettingText;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.util.unit.DataSize;

/**
 * Reads the {@code komainu.*} settings of all rooms. A mistake is noted and the default used, so that reading goes on
 * and {@link #finish()} can name every mistake, unknown keys included. Not thread-safe.
 */
public final class SettingsReader {

    private static final String PREFIX = "komainu.";

    private final ConfigurableEnvironment environment;
    private final Set<String> known = new LinkedHashSet<>();
    private final List<String> mistakes = new ArrayList<>();
    private final Map<String, Object> defaults = new TreeMap<>();

    public SettingsReader(ConfigurableEnvironment environment) {
        this.environment = environment;
    }

    /** A whole number from {@code least} to {@code most}. */
    public int number(String key, int otherwise, int least, int most) {
        return read(key, otherwise, "a whole number, " + least + " to " + most, text -> {
            int value = SettingText.integer(text);
            return value < least || value > most ? null : value;
        });
    }

    /** A number from {@code least} to {@code most}. */
    public double real(String key, double otherwise, double least, double most) {
        return read(key, otherwise, "a number, " + least + " to " + most, text -> {
            double value = SettingText.real(text);
            return value >= least && value <= most ? value : null;
        });
    }

    /** {@code true} or {@code false}. */
    public boolean flag(String key, boolean otherwise) {
        return read(key, otherwise, "true or false", SettingText::truth);
    }

    /** A duration with its unit ({@code 30s}, {@code 8h}, {@code PT5M}) from {@code least} to {@code most}. */
    public Duration duration(String key, Duration otherwise, Duration least, Duration most) {
        String expected = "a duration with unit, " + text(least) + " to " + text(most);
        return read(key, otherwise, expected, text -> {
            Duration value = SettingText.duration(text);
            return value.compareTo(least) < 0 || value.compareTo(most) > 0 ? null : value;
        });
    }

    /** A size with its unit ({@code 64MB}) from {@code least} to {@code most}. */
    public DataSize size(String key, DataSize otherwise, DataSize least, DataSize most) {
        return read(key, otherwise, "a size with unit, " + megabytes(least) + " to " + megabytes(most), text -> {
            DataSize value = DataSize.ofBytes(SettingText.size(text));
            return value.compareTo(least) < 0 || value.compareTo(most) > 0 ? null : value;
        });
    }

    /** A path of the file system; need not exist. */
    public Path path(String key, Path otherwise) {
        return read(key, otherwise, "a path", text -> {
            try {
                return text.isBlank() ? null : Path.of(text);
            } catch (InvalidPathException e) {
                return null;
            }
        });
    }

    /** A path that has no default. */
    public @Nullable Path optionalPath(String key) {
        known.add(key);
        return environment.getProperty(key) == null ? null : path(key, Path.of("."));
    }

    /** Words separated by commas, each matching {@code pattern}. */
    public List<String> words(String key, List<String> otherwise, String pattern, String expected) {
        return read(key, otherwise, expected, text -> {
            List<String> words =
                    Arrays.stream(text.split(",", -1)).map(String::strip).toList();
            return words.stream().allMatch(word -> word.matches(pattern)) ? words : null;
        });
    }

    /** One word matching {@code pattern}. */
    public String word(String key, String otherwise, String pattern, String expected) {
        return read(key, otherwise, expected, text -> text.matches(pattern) ? text : null);
    }

    /** Notes a mistake that a room found by itself, such as two settings that contradict each other. */
    public void mistake(String key, Object value, String expected) {
        mistakes.add(key + ": " + value + " (expected: " + expected + ")");
    }

    /** @throws SettingsMistakes when anything read was wrong or a {@code komainu.*} key was set that nobody reads */
    public void finish() {
        List<String> all = new ArrayList<>(mistakes);
        for (String key : given()) {
            if (!known.contains(key)) {
                all.add(key + ": " + environment.getProperty(key) + " (unknown setting; expected one of: "
                        + String.join(", ", new TreeSet<>(known)) + ")");
            }
        }
        if (!all.isEmpty()) {
            throw new SettingsMistakes(all);
        }
    }

    /** Every setting that was read, as it holds. */
    public List<EffectiveSetting> effective() {
        return new TreeSet<>(known).stream().map(this::effective).toList();
    }

    private EffectiveSetting effective(String key) {
        String text = environment.getProperty(key);
        if (text == null) {
            Object otherwise = defaults.get(key);
            return EffectiveSetting.byDefault(key, otherwise instanceof DataSize size ? size.toBytes() : otherwise);
        }
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (!source.getName().equals("configurationProperties") && source.containsProperty(key)) {
                return new EffectiveSetting(key, text, source.getName());
            }
        }
        return new EffectiveSetting(key, text, "environment");
    }

    private <T> T read(String key, T otherwise, String expected, Function<String, @Nullable T> parse) {
        known.add(key);
        defaults.put(key, otherwise);
        String text = environment.getProperty(key);
        if (text == null) {
            return otherwise;
        }
        T value = null;
        try {
            value = parse.apply(text.strip());
        } catch (IllegalArgumentException | ArithmeticException e) {
            // told below, with what was expected instead
        }
        if (value == null) {
            mistake(key, text, expected);
            return otherwise;
        }
        return value;
    }

    /**
     * Keys somebody set. Variables of the process ({@code KOMAINU_…}) are left out: the other parts and the launcher
     * have variables of that prefix too, and a stranger's variable must not stop the service.
     */
    private Set<String> given() {
        Set<String> keys = new TreeSet<>();
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (source instanceof EnumerablePropertySource<?> listed) {
                for (String name : listed.getPropertyNames()) {
                    if (name.startsWith(PREFIX)) {
                        keys.add(name.replaceFirst("\\[\\d+]$", ""));
                    }
                }
            }
        }
        return keys;
    }

    /** In the largest unit that is exact: {@code 90s}, {@code 5m}, {@code 7d}. */
    private static String text(Duration duration) {
        for (ChronoUnit unit :
                new ChronoUnit[] {ChronoUnit.DAYS, ChronoUnit.HOURS, ChronoUnit.MINUTES, ChronoUnit.SECONDS}) {
            long whole = duration.dividedBy(unit.getDuration());
            if (whole > 0 && unit.getDuration().multipliedBy(whole).equals(duration)) {
                return DurationStyle.SIMPLE.print(duration, unit);
            }
        }
        return duration.toMillis() + "ms";
    }

    private static String megabytes(DataSize size) {
        return size.toMegabytes() > 0 ? size.toMegabytes() + "MB" : size.toBytes() + "B";
    }
}
