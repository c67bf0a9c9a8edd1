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
 * that contains its value. {@link SettingReader} uses it to read, {@code --print-settings} to
 * print, {@code --help} shows its effect, and the tables of {@code docs/configuration} are
 * generated from it.
 *
 * <pre>
 * static final Setting&lt;Duration&gt; IDLE_TIMEOUT = Setting.duration("connections.idle-timeout", "100ms", "1h")
 *         .byDefault("60s")
 *         .effect("Longest time of keep-alive without a request, or of an upload without a byte");
 * </pre>
 *
 * Immutable; any thread. A setting without a default may be absent; its text is then {@code none}.
 *
 * @param <T> the type of its value
 */
public final class Setting<T> {

    private final Draft<T> draft;
    private final String effect;
    private final String detail;

    private Setting(Draft<T> draft, String effect, String detail) {
        this.draft = draft;
        this.effect = effect;
        this.detail = detail;
    }

    /**
     * Returns this setting with further text for the manual, which {@code --help} does not show.
     *
     * @param text full sentences in Markdown; may contain paragraphs, lists and links
     */
    public Setting<T> detail(String text) {
        return new Setting<>(draft, effect, text.strip());
    }

    /** Declares a size in bytes from {@code least} to {@code most}. */
    public static Draft<Long> size(String key, String least, String most) {
        return ranged(key, least, most, SettingGrammar::size).label("SIZE");
    }

    /** Declares a duration from {@code least} to {@code most}. */
    public static Draft<Duration> duration(String key, String least, String most) {
        return ranged(key, least, most, SettingGrammar::duration).label("DURATION");
    }

    /** Declares a duration with bounds that are also used elsewhere. */
    public static Draft<Duration> duration(String key, Duration least, Duration most) {
        return duration(key, EffectiveSetting.written(least), EffectiveSetting.written(most));
    }

    /** Declares a whole number from {@code least} to {@code most}. */
    public static Draft<Integer> integer(String key, int least, int most) {
        return new Draft<>(
                        key,
                        grouped(least) + " to " + grouped(most),
                        (given, range) ->
                                within(given, SettingGrammar::integer, least, most, range))
                .label("N");
    }

    /** Declares a number from {@code least} to {@code most}. */
    public static Draft<Double> real(String key, String least, String most) {
        return ranged(key, least, most, SettingGrammar::real).label("N");
    }

    /** Declares a share from {@code least} to {@code most}, both from 0 to 1. */
    public static Draft<Double> share(String key, String least, String most) {
        return ranged(key, least, most, SettingGrammar::share).label("N");
    }

    public static Draft<Boolean> truth(String key) {
        return of(key, "true, false", SettingGrammar::truth).label("");
    }

    /** Declares a truth value with two words of its own. */
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

    /** Declares a literal address with a port. */
    public static Draft<InetSocketAddress> address(String key) {
        return of(key, "ADDRESS:PORT", SettingGrammar::address).label("ADDRESS:PORT");
    }

    /** Declares any text. */
    public static Draft<String> text(String key, String range) {
        return of(key, range, text -> text);
    }

    /**
     * Declares a text of a given form.
     *
     * @param range the form in words
     */
    public static Draft<String> text(String key, String range, String pattern) {
        Pattern form = Pattern.compile(pattern);
        return of(key, range, text -> {
            if (!form.matcher(text).matches()) {
                throw SettingGrammar.wrong(text, range);
            }
            return text;
        });
    }

    /** Declares a path of the file system; it need not exist. */
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

    /** Declares the URL of a web server. */
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

    /** Declares one of an enum's constants; each is written in lower case, with hyphens. */
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
     * Declares a setting of another kind.
     *
     * @param range allowed texts, in words for the table
     * @param reader parses a text; throws an IllegalArgumentException that names the text and the
     *     expectation
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

    /** Returns unit and range in words. */
    public String range() {
        return draft.range;
    }

    /** Returns the default as it may be written, or in words; {@code none} when there is none. */
    public String defaultText() {
        return draft.defaultText;
    }

    /** Returns the effect in one line, for {@code --help} and the tables of the manual. */
    public String effect() {
        return effect;
    }

    /** Returns further text for the manual, in Markdown; empty when the effect says everything. */
    public String detail() {
        return detail;
    }

    /**
     * Returns the command-line option that sets it, several separated by commas; empty when there
     * is none.
     */
    public String option() {
        return String.join(", ", draft.options);
    }

    /**
     * Returns the command-line options that set it; of several options, each sets the value in its
     * name.
     */
    List<String> options() {
        return draft.options;
    }

    /** Returns the label of the option's value in the help; empty: the option is a flag. */
    String label() {
        return draft.label;
    }

    /**
     * Returns the number of values of the option: {@code 1}, {@code 0..1}, or {@code 1..*} for a
     * list.
     */
    String arity() {
        return draft.arity;
    }

    /** Returns the value of the option when it is given without one; empty: a value must follow. */
    String withoutValue() {
        return draft.withoutValue;
    }

    /** Returns the reason why only the next start changes it; absent: a reload does. */
    public @Nullable String atStart() {
        return draft.atStart;
    }

    /** Returns the keys of this setting in earlier versions. */
    public List<String> formerKeys() {
        return draft.formerKeys;
    }

    /**
     * Returns the declared default; absent when there is none, or when it depends on other
     * settings.
     */
    @Nullable
    T defaultValue() {
        return draft.defaultValue == null ? null : draft.defaultValue.get();
    }

    /** Reports whether the written value means that the setting is absent. */
    boolean isAbsent(WrittenValue given) {
        return (draft.mayBeNone || draft.defaultText.equals(SettingGrammar.NONE))
                && given.text().strip().equals(SettingGrammar.NONE);
    }

    /**
     * Returns the default as it may be written in a file.
     *
     * @param value the default value
     */
    String writtenDefault(@Nullable Object value) {
        return draft.isDefaultWritten ? draft.defaultText : EffectiveSetting.written(value);
    }

    /** Adds a mistake when a value from another source than a text is out of range. */
    public void check(T value, List<String> mistakes) {
        try {
            T unused = read(WrittenValue.declared(EffectiveSetting.written(value)));
        } catch (IllegalArgumentException e) {
            mistakes.add(key() + ": " + e.getMessage());
        }
    }

    /**
     * Parses a written value.
     *
     * @throws IllegalArgumentException naming the text and the expectation
     */
    T read(WrittenValue given) {
        return draft.reader.read(given, draft.range);
    }

    /**
     * A parser of a setting's text.
     *
     * @param <T> its result
     */
    @FunctionalInterface
    private interface Reader<T> {
        /**
         * Parses a written value.
         *
         * @throws IllegalArgumentException naming the text and the expectation
         */
        T read(WrittenValue given, String range);
    }

    /**
     * An incomplete declaration; {@link #effect} completes it.
     *
     * @param <T> the type of its value
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

        /** Sets the default as it may be written. */
        public Draft<T> byDefault(String text) {
            T value = reader.read(WrittenValue.declared(text), range);
            defaultText = text;
            defaultValue = () -> value;
            return this;
        }

        /**
         * Sets a default that depends on this host.
         *
         * @param words the default in words, for the table
         */
        public Draft<T> byDefault(String words, Supplier<T> value) {
            defaultText = words;
            isDefaultWritten = false;
            defaultValue = value;
            return this;
        }

        /**
         * Describes a default that depends on other settings: the caller of
         * {@link SettingReader#get(Setting, Object)} passes its value.
         */
        public Draft<T> byDefaultOf(String words) {
            defaultText = words;
            isDefaultWritten = false;
            return this;
        }

        /**
         * Allows {@code none}, which means absent in spite of a default. Callers must then read it
         * with {@link SettingReader#find}.
         */
        public Draft<T> orNone() {
            range = range + ", `" + SettingGrammar.NONE + "`";
            mayBeNone = true;
            return this;
        }

        /**
         * Restricts the values to the range in words.
         *
         * @param holds reports whether a value is in the range
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

        /** Replaces unit and range in words. */
        public Draft<T> range(String words) {
            range = words;
            return this;
        }

        /**
         * Adds a command-line option that also sets it. Of several options, each sets the value in
         * its name.
         */
        public Draft<T> option(String... names) {
            options = List.of(names);
            return this;
        }

        /** Sets the label of the option's value in the help; empty: the option is a flag. */
        public Draft<T> label(String text) {
            label = text;
            return this;
        }

        /**
         * Allows the option without a value.
         *
         * @param text the value that it has then
         */
        public Draft<T> withoutValue(String text) {
            arity = "0..1";
            withoutValue = text;
            return this;
        }

        /**
         * Lets the option be given several times, and with several values: the parser gets one text
         * with commas between.
         */
        public Draft<T> severalTimes() {
            arity = "1..*";
            return this;
        }

        /**
         * Declares that only the next start changes it.
         *
         * @param why the reason in a few words
         */
        public Draft<T> atStart(String why) {
            atStart = why;
            return this;
        }

        /** Adds a key of earlier versions: its use is reported as a mistake with the new key. */
        public Draft<T> formerly(String... keys) {
            formerKeys = List.of(keys);
            return this;
        }

        /** Makes it a list: a list in the file, or one text with commas between. */
        public Draft<List<T>> list() {
            return list(",", Draft::noMap);
        }

        /**
         * Makes it a list with another separator.
         *
         * @param separator pattern of the separator in one text
         * @param member returns the text of a member that is written as a map
         */
        public Draft<List<T>> list(String separator, Function<Map<String, Object>, String> member) {
            Pattern between = Pattern.compile(separator);
            return list(given -> given.members(between, member));
        }

        /**
         * Makes it a list with commas or blanks between: in one text, and in each member of a list
         * in the file.
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

        /**
         * Completes the declaration.
         *
         * @param effect description of the effect in one line: a phrase without a full stop, whose
         *     only Markdown is code. {@link Setting#detail} adds further text
         */
        public Setting<T> effect(String effect) {
            return new Setting<>(this, effect, "");
        }
    }
}
