package dev.komainu.agent.discovery.uwsgi;

import dev.komainu.agent.discovery.configuration.ConfigurationFiles;
import dev.komainu.agent.discovery.configuration.IniFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The options of one uWSGI file, in its INI, XML or YAML form. Pure. */
final class UwsgiOptions {

    private static final int MAX_OPTIONS = 100_000;
    private static final Pattern TAG = Pattern.compile(
            "<([A-Za-z][\\w-]{0,99})>([^<]{0,1000})</\\1>|<([A-Za-z][\\w-]{0,99})\\s*/>");
    private static final Pattern PAIR =
            Pattern.compile("^\\s{1,16}([A-Za-z][\\w-]{0,99}):\\s{1,16}([^\\s#][^#]{0,1000})");

    private UwsgiOptions() {}

    /**
     * Returns a file's options in their order, in the section {@code uwsgi}; null when the file
     * cannot be read.
     *
     * @param section another section, as in {@code --ini FILE:SECTION}
     */
    static @Nullable List<IniFile.Entry> read(
            ConfigurationFiles files, String path, String section) {
        String name = path.toLowerCase(Locale.ROOT);
        if (name.endsWith(".xml")) {
            return matches(files, path, TAG);
        }
        if (name.endsWith(".yaml") || name.endsWith(".yml")) {
            return matches(files, path, PAIR);
        }
        List<IniFile.Entry> all = IniFile.read(files, path);
        return all == null
                ? null
                : all.stream().filter(entry -> entry.section().equals(section)).toList();
    }

    private static @Nullable List<IniFile.Entry> matches(
            ConfigurationFiles files, String path, Pattern pattern) {
        List<String> lines = files.lines(path);
        if (lines == null) {
            return null;
        }
        List<IniFile.Entry> options = new ArrayList<>();
        for (int i = 0; i < lines.size() && options.size() < MAX_OPTIONS; i++) {
            Matcher matcher = pattern.matcher(lines.get(i));
            while (matcher.find()) {
                @Nullable String name = matcher.group(1);
                options.add(new IniFile.Entry(
                        "uwsgi",
                        name == null ? String.valueOf(matcher.group(3)) : name,
                        name == null ? "true" : unquoted(String.valueOf(matcher.group(2))),
                        path + ":" + (i + 1)));
            }
        }
        return options;
    }

    private static String unquoted(String value) {
        String text = value.strip();
        return text.length() >= 2
                        && (text.charAt(0) == '"' || text.charAt(0) == '\'')
                        && text.charAt(text.length() - 1) == text.charAt(0)
                ? text.substring(1, text.length() - 1)
                : text;
    }
}
