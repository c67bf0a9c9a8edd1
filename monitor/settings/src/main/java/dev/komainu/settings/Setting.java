package dev.komainu.settings;

import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The declaration of one setting: key, unit and range, default, effect. It stands beside the record
 * it fills; {@link SettingReader} reads by it, the tables of {@code docs/configuration} are
 * generated from it, {@code --print-settings} prints by it.
 *
 * <pre>
 * static final Setting&lt;Duration&gt; IDLE_TIMEOUT = Setting.duration("connections.idle-timeout", "100ms", "1h")
 *         .byDefault("60s")
 *         .effect("keep-alive without a request, or an upload without a byte");
 * </pre>
 *
 * Immutable; any thread. A setting without a default may be absent: {@code none} is then a text
 * that says so.
 *
 * @param <T> what its text means
 */
public final class Setting<T> {

    private final Draft<T> draft;
    private final String effect;

    private Setting(Draft<T> draft, String effect) {
        this.draft = draft;
        this.effect = effect;
    }

    /** Bytes from {@code least} to {@code most}, written as a size. */
    public static Draft<Long> size(String key, String least, String most) {
        return ranged(key, least, most, SettingGrammar::size).label("SIZE");
    }

    /** A time from {@code least} to {@code most}, written as a duration. */
    public static Draft<Duration> duration(String key, String least, String most) {
        return ranged(key, least, most, SettingGrammar::duration).label("DURATION");
    }

    /** Likewise, for bounds that hold elsewhere too. */
    public static Draft<Duration> duration(String key, Duration least, Duration most) {
        return duration(key, EffectiveSetting.written(least), EffectiveSetting.written(most));
    }

    /** A whole number from {@code least} to {@code most}. */
    public static Draft<Integer> integer(String key, int least, int most) {
        return new Draft<>(
                        key,
                        grouped(least) + " to " + grouped(most),
                        (given, range) ->
                                within(given, SettingGrammar::integer, least, most, range))
                .label("N");
    }

    /** A number from {@code least} to {@code most}. */
    public static Draft<Double> real(String key, String least, String most) {
        return ranged(key, least, most, SettingGrammar::real).label("N");
    }

    /** A share from {@code least} to {@code most}, both from 0 to 1. */
    public static Draft<Double> share(String key, String least, String most) {
        return ranged(key, least, most, SettingGrammar::share).label("N");
    }

    public static Draft<Boolean> truth(String key) {
        return of(key, "true, false", SettingGrammar::truth).label("");
    }

    /** A truth in words of its own. */
    public static Draft<Boolean> truth(String key, String yes, String no) {
        return of(key, yes + ", " + no, text -> {
                    boolean isYes = text.equalsIgnoreCase(yes);
                    if (!isYes && !text.equalsIgnoreCase(no)) {
                        throw SettingGrammar.wrong(text, yes + " or " + no);
                    }
                    return isYes;
                })
                .label(yes + "|" + no);
    }

    /** A literal address and a port. */
    public static Draft<InetSocketAddress> address(String key) {
        return of(key, "ADDRESS:PORT", SettingGrammar::address).label("ADDRESS:PORT");
    }

    /** Any text. */
    public static Draft<String> text(String key, String range) {
        return of(key, range, text -> text);
    }

    /** A text of a form. @param range says the form in words */
    public static Draft<String> text(String key, String range, String pattern) {
        Pattern form = Pattern.compile(pattern);
        return of(key, range, text -> {
            if (!form.matcher(text).matches()) {
                throw SettingGrammar.wrong(text, range);
            }
            return text;
        });
    }

    /** A path of the file system; need not exist. */
    public static Draft<Path> path(String key, String range) {
        return of(key, range, text -> {
                    try {
                        if (!text.isEmpty()) {
                            return Path.of(text);
                        }
                    } catch (InvalidPathException e) {
                        throw SettingGrammar.wrong(text, range);
                    }
                    throw SettingGrammar.wrong("(empty)", range);
                })
                .label("PATH");
    }

    /** An address of a web server. */
    public static Draft<URI> url(String key) {
        String range = "http://HOST:PORT or https://HOST:PORT";
        return of(key, range, text -> {
                    try {
                        URI uri = new URI(text);
                        if (uri.getHost() != null
                                && (text.startsWith("http://") || text.startsWith("https://"))) {
                            return uri;
                        }
                    } catch (URISyntaxException e) {
                        throw SettingGrammar.wrong(text, range);
                    }
                    throw SettingGrammar.wrong(text, range);
                })
                .label("URL");
    }

    /** One of an enum's constants; each is written in small letters, with hyphens. */
    public static <E extends Enum<E>> Draft<E> choice(String key, Class<E> type) {
        List<String> names =
                Arrays.stream(type.getEnumConstants()).map(Setting::written).toList();
        String range = String.join(", ", names);
        return of(key, range, text -> {
                    int found = names.indexOf(text.toLowerCase(Locale.ROOT));
                    if (found < 0) {
                        throw SettingGrammar.wrong(text, "one of " + range);
                    }
                    return type.getEnumConstants()[found];
                })
                .label(String.join("|", names));
    }

    private static String written(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * A setting of a kind of its own.
     *
     * @param range what may be written, in words for the table
     * @param reader throws an IllegalArgumentException that tells the text and what was expected
     */
    public static <T> Draft<T> of(String key, String range, Function<String, T> reader) {
        return new Draft<>(
                key, range, (given, words) -> reader.apply(given.text().strip()));
    }

    private static <C extends Comparable<C>> Draft<C> ranged(
            String key, String least, String most, Function<String, C> reader) {
        C from = reader.apply(least);
        C to = reader.apply(most);
        return new Draft<>(
                key,
                least + " to " + most,
                (given, range) -> within(given, reader, from, to, range));
    }

    private static <C extends Comparable<C>> C within(
            WrittenValue given, Function<String, C> reader, C least, C most, String range) {
        String text = given.text().strip();
        C value = reader.apply(text);
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw SettingGrammar.wrong(text, range);
        }
        return value;
    }

    private static String grouped(int number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    public String key() {
        return draft.key;
    }

    /** Unit and range in words. */
    public String range() {
        return draft.range;
    }

    /** The default as it may be written, or in words; {@code none} where there is none. */
    public String defaultText() {
        return draft.defaultText;
    }

    public String effect() {
        return effect;
    }

    /**
     * The option of the command line that sets it, or several with commas between; empty: none
     * does.
     */
    public String option() {
        return String.join(", ", draft.options);
    }

    /**
     * The options of the command line that set it; several: each sets the value that its name says.
     */
    List<String> options() {
        return draft.options;
    }

    /** What stands for the option's value in the help; empty: the option is a flag. */
    String label() {
        return draft.label;
    }

    /** How many values the option takes: {@code 1}, {@code 0..1}, or {@code 1..*} for a list. */
    String arity() {
        return draft.arity;
    }

    /** What the option means where no value follows it; empty: a value must follow. */
    String withoutValue() {
        return draft.withoutValue;
    }

    /** Why only the next start changes it; absent: a reload does. */
    public @Nullable String atStart() {
        return draft.atStart;
    }

    /** Keys it had in earlier versions. */
    public List<String> formerKeys() {
        return draft.formerKeys;
    }

    /** The declared default; absent where there is none, or where it depends on other settings. */
    @Nullable
    T defaultValue() {
        return draft.defaultValue == null ? null : draft.defaultValue.get();
    }

    /** Whether what is written says that there is none. */
    boolean isAbsent(WrittenValue given) {
        return (draft.mayBeNone || draft.defaultText.equals(SettingGrammar.NONE))
                && given.text().strip().equals(SettingGrammar.NONE);
    }

    /** The default as it may be written in a file. @param value what it means here */
    String writtenDefault(@Nullable Object value) {
        return draft.isDefaultWritten ? draft.defaultText : EffectiveSetting.written(value);
    }

    /** Adds a mistake when a value that comes from elsewhere than a text is out of range. */
    public void check(T value, List<String> mistakes) {
        try {
            T unused = read(WrittenValue.declared(EffectiveSetting.written(value)));
        } catch (IllegalArgumentException e) {
            mistakes.add(key() + ": " + e.getMessage());
        }
    }

    /** @throws IllegalArgumentException telling the text and what was expected */
    T read(WrittenValue given) {
        return draft.reader.read(given, draft.range);
    }

    /** @param <T> what a text means */
    @FunctionalInterface
    private interface Reader<T> {
        /** @throws IllegalArgumentException telling the text and what was expected */
        T read(WrittenValue given, String range);
    }

    /**
     * A declaration under way; {@link #effect} completes it.
     *
     * @param <T> what its text means
     */
    public static final class Draft<T> {

        private final String key;
        private Reader<T> reader;
        private String range;
        private String defaultText = SettingGrammar.NONE;
        private boolean isDefaultWritten = true;
        private boolean mayBeNone;
        private @Nullable Supplier<T> defaultValue;
        private List<String> options = List.of();
        private String label = "TEXT";
        private String arity = "1";
        private String withoutValue = "";
        private @Nullable String atStart;
        private List<String> formerKeys = List.of();

        private Draft(String key, String range, Reader<T> reader) {
            this.key = key;
            this.range = range;
            this.reader = reader;
        }

        /** What it means where it stands nowhere, as it may be written. */
        public Draft<T> byDefault(String text) {
            T value = reader.read(WrittenValue.declared(text), range);
            defaultText = text;
            defaultValue = () -> value;
            return this;
        }

        /** A default of this host. @param words tell it in the table */
        public Draft<T> byDefault(String words, Supplier<T> value) {
            defaultText = words;
            isDefaultWritten = false;
            defaultValue = value;
            return this;
        }

        /**
         * A default that follows from other settings: the caller of
         * {@link SettingReader#get(Setting, Object)} gives it.
         */
        public Draft<T> byDefaultOf(String words) {
            defaultText = words;
            isDefaultWritten = false;
            return this;
        }

        /**
         * Whoever reads it must use {@link SettingReader#find}: {@code none} says that it is
         * absent, in spite of a default.
         */
        public Draft<T> orNone() {
            range = range + ", `" + SettingGrammar.NONE + "`";
            mayBeNone = true;
            return this;
        }

        /**
         * Refuses what the range in words excludes. @param holds tells whether a value is in the
         * range
         */
        public Draft<T> that(Predicate<T> holds) {
            Reader<T> read = reader;
            reader = (given, words) -> {
                T value = read.read(given, words);
                if (!holds.test(value)) {
                    throw SettingGrammar.wrong(given.text().strip(), words);
                }
                return value;
            };
            return this;
        }

        /** Says unit and range in other words. */
        public Draft<T> range(String words) {
            range = words;
            return this;
        }

        /**
         * The option of the command line that sets it too. Several: each sets the value that its
         * name says.
         */
        public Draft<T> option(String... names) {
            options = List.of(names);
            return this;
        }

        /** What stands for the option's value in the help; empty: the option is a flag. */
        public Draft<T> label(String text) {
            label = text;
            return this;
        }

        /** The option's value may be left out. @param text what the option means then */
        public Draft<T> withoutValue(String text) {
            arity = "0..1";
            withoutValue = text;
            return this;
        }

        /** Only the next start changes it. @param why in a few words */
        public Draft<T> atStart(String why) {
            atStart = why;
            return this;
        }

        /** A key it had in earlier versions: who writes it is told the new one. */
        public Draft<T> formerly(String... keys) {
            formerKeys = List.of(keys);
            return this;
        }

        /** Several: a list in the file, or one text with commas between. */
        public Draft<List<T>> list() {
            return list(",", Draft::noMap);
        }

        /**
         * Likewise.
         *
         * @param separator a pattern; what stands between members in one text
         * @param member the text of a member that is written as a map
         */
        public Draft<List<T>> list(String separator, Function<Map<String, Object>, String> member) {
            Pattern between = Pattern.compile(separator);
            return list(given -> given.members(between, member));
        }

        /**
         * Several, with commas or blanks between: in one text, and in each member of a list in the
         * file.
         */
        public Draft<List<T>> words() {
            Pattern between = Pattern.compile("[,\\s]+");
            return list(given -> given.members(between, Draft::noMap).stream()
                    .flatMap(one -> one.members(between, Draft::noMap).stream())
                    .toList());
        }

        private static String noMap(Map<String, Object> map) {
            throw SettingGrammar.wrong(map.toString(), "plain values");
        }

        private Draft<List<T>> list(Function<WrittenValue, List<WrittenValue>> split) {
            String ofOne = range;
            Draft<List<T>> several = new Draft<>(key, "list of " + ofOne, (given, words) -> {
                List<T> members = new ArrayList<>();
                List<String> mistakes = new ArrayList<>();
                for (WrittenValue each : split.apply(given)) {
                    try {
                        members.add(reader.read(each, ofOne));
                    } catch (IllegalArgumentException e) {
                        mistakes.add(each.mistake(e));
                    }
                }
                if (!mistakes.isEmpty()) {
                    throw new ListMistakesException(mistakes, members);
                }
                return members;
            });
            several.options = options;
            several.label = label;
            several.arity = "1..*";
            several.atStart = atStart;
            several.formerKeys = formerKeys;
            return several;
        }

        /** Completes the declaration. @param effect what it does, for the table */
        public Setting<T> effect(String effect) {
            return new Setting<>(this, effect.strip().replaceAll("\\s*\\n\\s*", " "));
        }
    }
}
