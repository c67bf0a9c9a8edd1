package dev.komainu.settings.kit;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * A page of {@code docs/configuration}, whose tables are generated from the declarations of
 * settings.
 *
 * <p>A table stands below a line {@code <!-- settings -->}, or {@code <!-- settings komainu.store.
 * -->} for settings with this prefix, and ends at the next empty line. Its head names its columns.
 * Rows keep their order on the page; new ones come last. Where the page differs, the test fails;
 * run with {@code -Dsettings.write} it writes the page.
 */
public final class SettingsPage {

    private static final String MARK = "<!-- settings";

    private final Path page;
    private final Map<String, Setting<?>> settings = new LinkedHashMap<>();
    private final Function<String, String> variable;

    /**
     * Creates a page.
     *
     * @param name of the file in {@code docs/configuration}
     * @param variable returns the environment variable of a key; empty: there is none
     */
    public SettingsPage(String name, Function<String, String> variable) {
        Path root = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(root.resolve("docs/configuration"))) {
            root = root.getParent();
        }
        this.page = root.resolve("docs/configuration").resolve(name);
        this.variable = variable;
    }

    /** Returns the variable of a key by the usual rule. */
    public static String variable(String prefix, String key) {
        return SettingSource.variable(prefix, key);
    }

    /** Adds settings to the page. */
    public SettingsPage with(List<Setting<?>> all) {
        all.forEach(one -> settings.put(one.key(), one));
        return this;
    }

    /** Adds the settings of each map in a list: {@code serve[].prefix}. */
    public SettingsPage withMembers(String list, List<Setting<?>> all) {
        Map<String, Setting<?>> before = new LinkedHashMap<>(settings);
        settings.clear();
        before.forEach((key, one) -> {
            settings.put(key, one);
            if (key.equals(list)) {
                all.forEach(inner -> settings.put(list + "[]." + inner.key(), inner));
            }
        });
        return this;
    }

    /** Returns the page's present text. */
    public String written() throws IOException {
        return Files.readString(page);
    }

    /**
     * Returns the page generated from the declarations; written to the file when the system
     * property {@code settings.write} is set.
     */
    public String generated() throws IOException {
        List<String> lines = written().lines().toList();
        List<String> marks =
                lines.stream().filter(line -> line.startsWith(MARK)).toList();
        List<String> out = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            out.add(line);
            if (line.startsWith(MARK)) {
                List<String> columns = cells(lines.get(i + 1));
                out.add(lines.get(i + 1));
                out.add(lines.get(i + 2));
                String prefix = prefix(line);
                List<String> keys = new ArrayList<>();
                for (int row = i + 3; row < lines.size() && !lines.get(row).isBlank(); row++) {
                    keys.add(key(lines.get(row)));
                }
                settings.keySet().stream().filter(key -> !keys.contains(key)).forEach(keys::add);
                for (String key : keys) {
                    Setting<?> one = settings.get(key);
                    if (one != null && key.startsWith(prefix) && belongs(key, prefix, marks)) {
                        out.add(row(columns, key, one));
                    }
                }
                while (i + 1 < lines.size() && !lines.get(i + 1).isBlank()) {
                    i++;
                }
            }
        }
        String text = String.join("\n", out) + "\n";
        if (System.getProperty("settings.write") != null) {
            Files.writeString(page, text);
        }
        return text;
    }

    /** Returns every key that the page must contain, sorted. */
    public List<String> keys() {
        return settings.keySet().stream().sorted().toList();
    }

    /** Returns every key that begins a row of a generated table, sorted. */
    public List<String> rows() throws IOException {
        List<String> rows = new ArrayList<>();
        boolean inTable = false;
        for (String line : written().lines().toList()) {
            inTable = line.startsWith(MARK) || inTable && !line.isBlank();
            if (inTable && line.startsWith("| `")) {
                rows.add(key(line));
            }
        }
        return rows.stream().sorted().toList();
    }

    private static String key(String row) {
        return row.startsWith("| `") ? row.substring(3, row.indexOf('`', 3)) : "";
    }

    private static String prefix(String mark) {
        return mark.substring(MARK.length(), mark.indexOf("-->")).strip();
    }

    /** Reports whether this prefix is the longest that matches the key. */
    private static boolean belongs(String key, String prefix, List<String> marks) {
        return marks.stream()
                .map(SettingsPage::prefix)
                .noneMatch(other -> other.length() > prefix.length() && key.startsWith(other));
    }

    private static List<String> cells(String row) {
        return Arrays.stream(row.split("\\|", -1))
                .map(String::strip)
                .filter(cell -> !cell.isEmpty())
                .toList();
    }

    private String row(List<String> columns, String key, Setting<?> one) {
        StringBuilder row = new StringBuilder("|");
        for (String column : columns) {
            String cell = switch (column) {
                case "key", "setting" -> "`" + key + "`" + (one.atStart() == null ? "" : " †");
                case "option" -> code(one.option().replace(", ", "`, `"));
                case "variable" -> key.contains("[") ? "" : code(variable.apply(key));
                case "unit, range", "range" -> one.range();
                case "default" -> one.defaultText();
                case "effect" -> one.effect();
                default ->
                    throw new IllegalArgumentException(column
                            + " (expected: key, option, variable, range, default or effect)");
            };
            row.append(cell.isEmpty() ? " |" : " " + cell.replace("|", "\\|") + " |");
        }
        return row.toString();
    }

    private static String code(String text) {
        return text.isEmpty() ? "" : "`" + text + "`";
    }
}
