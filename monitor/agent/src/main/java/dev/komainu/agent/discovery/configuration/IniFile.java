package dev.komainu.agent.discovery.configuration;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a file in the INI form: {@code [section]}, {@code name = value}, comments after
 * {@code ;} or {@code #} at the start of a line. Tolerant: a line that is neither is left out.
 * Pure.
 */
public final class IniFile {

    private static final int MAX_ENTRIES = 100_000;
    private static final Pattern SECTION = Pattern.compile("\\s*\\[([^\\]]{1,200})\\]\\s*");
    private static final Pattern ENTRY =
            Pattern.compile("\\s*([A-Za-z][\\w.-]{0,99}(?:\\[[\\w.-]{1,99}\\])?)\\s*=\\s*(.*)");

    /**
     * One entry.
     *
     * @param section the section it is in; empty before the first
     * @param value without quotes and blanks around it
     * @param source file and line
     */
    public record Entry(String section, String name, String value, String source) {}

    private IniFile() {}

    /** Returns a file's entries in their order; null when it cannot be read. */
    public static @Nullable List<Entry> read(ConfigurationFiles files, String path) {
        List<String> lines = files.lines(path);
        if (lines == null) {
            return null;
        }
        List<Entry> entries = new ArrayList<>();
        String section = "";
        for (int i = 0; i < lines.size() && entries.size() < MAX_ENTRIES; i++) {
            String line = lines.get(i);
            String start = line.stripLeading();
            if (start.startsWith(";") || start.startsWith("#")) {
                continue;
            }
            Matcher opened = SECTION.matcher(line);
            if (opened.matches()) {
                section = String.valueOf(opened.group(1)).strip();
                continue;
            }
            Matcher entry = ENTRY.matcher(line);
            if (entry.matches()) {
                entries.add(new Entry(
                        section,
                        String.valueOf(entry.group(1)),
                        value(String.valueOf(entry.group(2))),
                        path + ":" + (i + 1)));
            }
        }
        return entries;
    }

    private static String value(String written) {
        String text = written.strip();
        if (text.length() >= 2 && (text.charAt(0) == '"' || text.charAt(0) == '\'')) {
            int close = text.indexOf(text.charAt(0), 1);
            return close < 0 ? text.substring(1) : text.substring(1, close);
        }
        int comment = text.indexOf(" ;");
        return comment < 0 ? text : text.substring(0, comment).strip();
    }
}
