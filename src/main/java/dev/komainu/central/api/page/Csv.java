package dev.komainu.central.api.page;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The writer of rows as CSV (RFC 4180). A text cell that a spreadsheet would read as a formula
 * ({@code = + - @}, tab, return) gets an apostrophe before it, so that opening the file cannot run
 * a formula from, for example, a User-Agent. Numbers are not changed.
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
