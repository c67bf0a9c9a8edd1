package dev.komainu.central.api.page;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Rows as RFC 4180 text. A text cell that a spreadsheet would take for a formula ({@code = + - @},
 * tab, return) gets an apostrophe before it, so that opening the file cannot run what a stranger
 * put into a User-Agent. Numbers stay numbers.
 */
public final class Csv {

    public static final String MEDIA_TYPE = "text/csv";

    private final StringBuilder text = new StringBuilder();

    public Csv(String... header) {
        row((Object[]) header);
    }

    public Csv row(@Nullable Object... cells) {
        text.append(Arrays.stream(cells).map(Csv::cell).collect(Collectors.joining(",")))
                .append("\r\n");
        return this;
    }

    @Override
    public String toString() {
        return text.toString();
    }

    private static String cell(@Nullable Object value) {
        if (value == null) {
            return "";
        }
        String cell = value.toString();
        if (!(value instanceof Number)
                && !cell.isEmpty()
                && "=+-@\t\r".indexOf(cell.charAt(0)) >= 0) {
            cell = "'" + cell;
        }
        boolean quoted = cell.chars().anyMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
        return quoted ? '"' + cell.replace("\"", "\"\"") + '"' : cell;
    }
}
