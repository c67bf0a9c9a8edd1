package dev.komainu.agent.discovery.gunicorn;

import dev.komainu.agent.discovery.configuration.ConfigurationFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The assignments at the outermost level of a Python file: {@code name = literal}. Nothing is
 * executed. Indented lines (functions, branches) and multi-line texts are left out. Pure.
 */
final class PythonAssignments {

    private static final int MAX_ASSIGNMENTS = 10_000;
    private static final Pattern ASSIGNMENT =
            Pattern.compile("([a-z_][a-z0-9_]{0,63})(?:\\s*:[^=]{1,64})?\\s*=(?!=)\\s*(.*)");
    private static final Pattern NUMBER = Pattern.compile("(-?\\d[\\d_]{0,17})\\s*(?:#.*)?");
    private static final Pattern TEXT =
            Pattern.compile("(\"([^\"\\\\]*)\"|'([^'\\\\]*)')\\s*(?:#.*)?");
    private static final Pattern WORD = Pattern.compile("(True|False|None)\\s*(?:#.*)?");

    /**
     * One assignment.
     *
     * @param value the literal, without quotes; absent for an expression
     * @param source file and line
     */
    record Assignment(String name, @Nullable String value, String source) {}

    private PythonAssignments() {}

    /** Returns a file's assignments in their order; null when it cannot be read. */
    static @Nullable List<Assignment> read(ConfigurationFiles files, String path) {
        List<String> lines = files.lines(path);
        if (lines == null) {
            return null;
        }
        List<Assignment> assignments = new ArrayList<>();
        String open = null;
        for (int i = 0; i < lines.size() && assignments.size() < MAX_ASSIGNMENTS; i++) {
            String line = lines.get(i);
            if (open != null) {
                open = line.contains(open) ? null : open;
                continue;
            }
            Matcher assignment = ASSIGNMENT.matcher(line);
            if (assignment.matches()) {
                assignments.add(new Assignment(
                        String.valueOf(assignment.group(1)),
                        literal(String.valueOf(assignment.group(2)).strip()),
                        path + ":" + (i + 1)));
            }
            open = opened(line);
        }
        return assignments;
    }

    /** Returns the quotes of a text that the line opens and does not close; null without one. */
    private static @Nullable String opened(String line) {
        for (String quotes : List.of("\"\"\"", "'''")) {
            int at = line.indexOf(quotes);
            if (at >= 0 && line.indexOf(quotes, at + 3) < 0) {
                return quotes;
            }
        }
        return null;
    }

    private static @Nullable String literal(String text) {
        Matcher number = NUMBER.matcher(text);
        if (number.matches()) {
            return String.valueOf(number.group(1)).replace("_", "");
        }
        Matcher quoted = TEXT.matcher(text);
        if (quoted.matches()) {
            @Nullable String inDouble = quoted.group(2);
            return inDouble == null ? String.valueOf(quoted.group(3)) : inDouble;
        }
        Matcher word = WORD.matcher(text);
        return word.matches() ? word.group(1) : null;
    }
}
