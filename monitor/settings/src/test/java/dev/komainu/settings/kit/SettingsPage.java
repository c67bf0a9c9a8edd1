package dev.komainu.settings.kit;

import dev.komainu.settings.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A page of {@code docs/configuration}, whose tables are generated from the declarations of
 * settings.
 *
 * <p>A table stands between a line {@code <!-- settings komainu.store. -->}, which names the
 * prefixes of its settings (none: all settings of no other table), and a line {@code <!-- /settings
 * -->}. Details follow the table, each below a heading to which the setting's row links. Where the
 * detail is only a reference, the row links to its target. Rows keep their order on the page; new
 * ones come last. Where the page differs, the test fails; run with {@code -Dsettings.write} it
 * writes the page.
 */
public final class SettingsPage {

    private static final String MARK = "<!-- settings";
    private static final String END = "<!-- /settings -->";

    /** A detail that is only a reference: the setting's row links to its target. */
    private static final Pattern REFERENCE = Pattern.compile("See \\[[^]]*]\\(([^)]*)\\)\\.");

    private final Path page;
    private final Map<String, Setting<?>> settings = new LinkedHashMap<>();

    /**
     * Creates a page.
     *
     * @param name of the file in {@code docs/configuration}
     */
    public SettingsPage(String name) {
        Path root = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(root.resolve("docs/configuration"))) {
            root = root.getParent();
        }
        this.page = root.resolve("docs/configuration").resolve(name);
    }

    /** Adds settings to the page. */
    public SettingsPage with(List<Setting<?>> all) {
        return withBelow("", all);
    }

    /** Adds the settings of a group: {@code organizer.share.patience}. */
    public SettingsPage withBelow(String prefix, List<Setting<?>> all) {
        all.forEach(one -> settings.put(prefix + one.key(), one));
        return this;
    }

    /** Adds the settings of each map in a list: {@code serve[].prefix}. */
    public SettingsPage withMembers(String list, List<Setting<?>> all) {
        Map<String, Setting<?>> before = new LinkedHashMap<>(settings);
        settings.clear();
        before.forEach((key, one) -> {
            settings.put(key, one);
            if (key.equals(list)) {
                withBelow(list + "[].", all);
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
        List<String> out = new ArrayList<>();
        int level = 1;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            out.add(line);
            level = line.matches("#+ .*") ? line.indexOf(' ') : level;
            if (line.startsWith(MARK)) {
                int end = i + lines.subList(i, lines.size()).indexOf(END);
                if (end < i) {
                    throw new IllegalStateException(line + " (expected: a line " + END + " below)");
                }
                out.addAll(tableAndDetails(level + 1, keys(line, lines, lines.subList(i, end))));
                out.add(END);
                i = end;
            }
        }
        String text = String.join("\n", out) + "\n";
        if (System.getProperty("settings.write") != null) {
            Files.writeString(page, text);
        }
        return text;
    }

    /** Returns the keys of one table: those of its present rows in their order, then new ones. */
    private List<String> keys(String mark, List<String> lines, List<String> present) {
        List<String> others =
                lines.stream().filter(line -> line.startsWith(MARK)).toList();
        List<String> keys = new ArrayList<>(present.stream()
                .filter(SettingsPage::isRow)
                .map(SettingsPage::key)
                .toList());
        settings.keySet().stream().filter(key -> !keys.contains(key)).forEach(keys::add);
        keys.removeIf(key -> !settings.containsKey(key)
                || match(key, mark) < 0
                || others.stream().anyMatch(other -> match(key, other) > match(key, mark)));
        return keys;
    }

    private List<String> tableAndDetails(int level, List<String> keys) {
        boolean haveOptions =
                keys.stream().anyMatch(key -> !setting(key).option().isEmpty());
        List<String> out = new ArrayList<>();
        out.add("| setting |" + (haveOptions ? " option |" : "") + " default | range | effect |");
        out.add("|---|" + (haveOptions ? "---|" : "") + "---|---|---|");
        for (String key : keys) {
            Setting<?> one = setting(key);
            List<String> cells = new ArrayList<>();
            String target = target(key);
            cells.add((target.isEmpty() ? "`" + key + "`" : "[`" + key + "`](" + target + ")")
                    + (one.atStart() == null ? "" : " †"));
            if (haveOptions) {
                String option = one.option().replace(", ", "`, `");
                cells.add(option.isEmpty() ? "" : "`" + option + "`");
            }
            cells.addAll(List.of(one.defaultText(), one.range(), one.effect()));
            out.add(row(cells));
        }
        out.add("");
        for (String key : keys) {
            if (target(key).equals("#" + anchor(key))) {
                out.addAll(List.of("#".repeat(level) + " `" + key + "`", ""));
                out.addAll(setting(key).detail().lines().toList());
                out.add("");
            }
        }
        return out;
    }

    /** Returns the target of the link in a setting's row; empty: its row says everything. */
    private String target(String key) {
        String detail = setting(key).detail();
        Matcher reference = REFERENCE.matcher(detail);
        return detail.isEmpty() ? "" : reference.matches() ? reference.group(1) : "#" + anchor(key);
    }

    private Setting<?> setting(String key) {
        Setting<?> found = settings.get(key);
        if (found == null) {
            throw new IllegalArgumentException(key + " (expected: a declared setting)");
        }
        return found;
    }

    private static String row(List<String> cells) {
        StringBuilder row = new StringBuilder("|");
        for (String cell : cells) {
            row.append(cell.isEmpty() ? " |" : " " + cell.replace("|", "\\|") + " |");
        }
        return row.toString();
    }

    /**
     * Returns the texts that break a rule, and the anchors of links that are missing or ambiguous,
     * one line each.
     */
    public List<String> mistakes() throws IOException {
        List<String> mistakes = new ArrayList<>(SettingTexts.mistakes(settings));
        SettingTexts.brokenAnchors(written())
                .forEach(anchor -> mistakes.add("#" + anchor + " (expected: one heading)"));
        return mistakes;
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
            if (inTable && isRow(line)) {
                rows.add(key(line));
            }
        }
        return rows.stream().sorted().toList();
    }

    private static boolean isRow(String line) {
        return line.startsWith("| `") || line.startsWith("| [`");
    }

    private static String key(String row) {
        return row.split("`", 3)[1];
    }

    /** Returns the length of the longest prefix of a table that matches the key; none: -1. */
    private static int match(String key, String mark) {
        String prefixes = mark.substring(MARK.length(), mark.indexOf("-->")).strip();
        return Arrays.stream(prefixes.split("\\s+"))
                .filter(key::startsWith)
                .mapToInt(String::length)
                .max()
                .orElse(-1);
    }

    /** Returns the anchor of a heading, by the rule of GitHub. */
    static String anchor(String heading) {
        return heading.toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N} _-]", "")
                .replace(' ', '-');
    }
}
