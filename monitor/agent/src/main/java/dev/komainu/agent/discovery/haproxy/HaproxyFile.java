package dev.komainu.agent.discovery.haproxy;

import dev.komainu.agent.discovery.configuration.ConfigurationFiles;
import dev.komainu.agent.discovery.configuration.ConfigurationFindings;
import dev.komainu.agent.discovery.program.ProcessEnvironment;
import dev.komainu.agent.discovery.program.ProgramVersion;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The sections of one or more HAProxy files (configuration.txt, "Configuration file format"), with
 * quotes, escapes, environment variables, and the {@code .if} blocks whose conditions can be
 * evaluated here.
 */
final class HaproxyFile {

    private static final int MAX_LINES = 200_000;
    private static final Pattern VARIABLE = Pattern.compile(
            "\\$\\{([A-Za-z_][A-Za-z0-9_]*)(?:-([^}]*))?}|\\$([A-Za-z_][A-Za-z0-9_]*)");
    private static final Pattern CALL = Pattern.compile("(!?)\\s*([a-z_]+)\\(([^)]*)\\)");
    private static final Set<String> SECTIONS = Set.of(
            "global",
            "defaults",
            "frontend",
            "backend",
            "listen",
            "peers",
            "userlist",
            "resolvers",
            "mailers",
            "cache",
            "ring",
            "http-errors",
            "program",
            "fcgi-app",
            "crt-store",
            "traces",
            "log-forward",
            "log-profile",
            "acme");

    /**
     * One line of a section.
     *
     * @param words at least one
     */
    record Line(List<String> words, String source) {

        String word(int index) {
            return index < words.size() ? words.get(index) : "";
        }

        /**
         * Returns the word after another, such as {@code 100} after {@code maxconn}; null when it
         * is absent.
         */
        @Nullable
        String valueAfter(String name) {
            int at = words.indexOf(name);
            return at < 0 || at + 1 >= words.size() ? null : words.get(at + 1);
        }
    }

    /**
     * One section.
     *
     * @param defaults the section it inherits values from; null without one
     */
    record Section(
            String kind,
            String name,
            List<Line> lines,
            @Nullable Section defaults) {

        /** Returns its own lines that begin with this word. */
        List<Line> named(String word) {
            return lines.stream().filter(line -> line.word(0).equals(word)).toList();
        }
    }

    private final ProcessEnvironment environment;
    private final @Nullable ProgramVersion version;
    private final ConfigurationFindings findings;
    private final List<Section> sections = new ArrayList<>();
    private final Map<String, String> assigned = new HashMap<>();
    private @Nullable Section lastDefaults;

    private HaproxyFile(
            ProcessEnvironment environment,
            @Nullable ProgramVersion version,
            ConfigurationFindings findings) {
        this.environment = environment;
        this.version = version;
        this.findings = findings;
    }

    /**
     * Reads the sections of all files.
     *
     * @param paths in the order of the command line
     */
    static List<Section> read(
            ConfigurationFiles files,
            List<String> paths,
            ProcessEnvironment environment,
            @Nullable ProgramVersion version,
            ConfigurationFindings findings) {
        HaproxyFile file = new HaproxyFile(environment, version, findings);
        for (String path : paths) {
            List<String> lines = files.lines(path);
            if (lines == null) {
                findings.problem(path, "cannot be read (expected: the server's configuration)");
            } else {
                file.lines(lines, path);
            }
        }
        return file.sections;
    }

    private void lines(List<String> lines, String path) {
        // For each open ".if": whether this branch applies, and whether an earlier one did.
        Deque<boolean[]> branches = new ArrayDeque<>();
        for (int i = 0; i < Math.min(lines.size(), MAX_LINES); i++) {
            String source = path + ":" + (i + 1);
            List<String> words = words(lines.get(i));
            if (words.isEmpty()) {
                continue;
            }
            String first = words.getFirst();
            if (first.startsWith(".")) {
                branch(first, String.join(" ", words.subList(1, words.size())), source, branches);
            } else if (branches.stream().allMatch(branch -> branch[0])) {
                line(words, source);
            }
        }
    }

    private void line(List<String> words, String source) {
        String first = words.getFirst();
        if (SECTIONS.contains(first)) {
            String name = words.size() > 1 ? words.get(1) : "";
            int from = words.indexOf("from");
            Section defaults = from > 0 && from + 1 < words.size()
                    ? defaults(words.get(from + 1))
                    : lastDefaults;
            Section section = new Section(first, name, new ArrayList<>(), defaults);
            if (first.equals("defaults")) {
                // A defaults section inherits from another one only with "from".
                section = new Section(first, name, section.lines(), from > 0 ? defaults : null);
                lastDefaults = section;
            }
            sections.add(section);
        } else if (!sections.isEmpty()) {
            if (first.equals("setenv") || first.equals("presetenv")) {
                if (words.size() > 2) {
                    assigned.put(words.get(1), words.get(2));
                }
            } else {
                sections.getLast().lines().add(new Line(words, source));
            }
        }
    }

    private @Nullable Section defaults(String name) {
        return sections.stream()
                .filter(section ->
                        section.kind().equals("defaults") && section.name().equals(name))
                .reduce((first, second) -> second)
                .orElse(null);
    }

    private void branch(String word, String condition, String source, Deque<boolean[]> branches) {
        switch (word) {
            case ".if" -> {
                boolean holds = holds(condition, source);
                branches.push(new boolean[] {holds, holds});
            }
            case ".elif", ".else" -> {
                boolean[] branch = branches.peek();
                if (branch != null) {
                    branch[0] = !branch[1] && (word.equals(".else") || holds(condition, source));
                    branch[1] |= branch[0];
                }
            }
            case ".endif" -> branches.poll();
            default -> {
                // .notice, .warning, .alert and .diag only write messages.
            }
        }
    }

    private boolean holds(String condition, String source) {
        Matcher call = CALL.matcher(condition.strip());
        if (!call.matches()) {
            return condition.strip().equals("true") || condition.strip().matches("[1-9]\\d*");
        }
        String argument = String.valueOf(call.group(3)).strip();
        boolean not = "!".equals(call.group(1));
        String[] both = argument.split(",", 2);
        return switch (String.valueOf(call.group(2))) {
            case "defined" -> variable(argument) != null != not;
            case "streq" -> both.length == 2 && both[0].strip().equals(both[1].strip()) != not;
            case "strneq" -> both.length == 2 && !both[0].strip().equals(both[1].strip()) != not;
            case "version_atleast" -> (version == null || compare(argument) >= 0) != not;
            case "version_before" -> (version != null && compare(argument) < 0) != not;
            default -> {
                findings.problem(source, "condition cannot be evaluated here, treated as false");
                yield false;
            }
        };
    }

    private int compare(String other) {
        ProgramVersion required = ProgramVersion.parse(other.replaceFirst("-.*", ""));
        return version == null || required == null ? 0 : version.compareTo(required);
    }

    private @Nullable String variable(String name) {
        String value = assigned.get(name);
        return value == null ? environment.get(name) : value;
    }

    /**
     * Returns the words of a line up to a comment. Variables are expanded outside single quotes.
     */
    private List<String> words(String line) {
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        boolean inWord = false;
        char quote = 0;
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c == '\\' && quote != '\'' && i + 1 < line.length()) {
                word.append(line.charAt(++i));
                inWord = true;
            } else if (quote != 0 ? c == quote : c == '"' || c == '\'') {
                quote = quote == 0 ? c : 0;
                inWord = true;
            } else if (quote == 0 && c == '#') {
                break;
            } else if (quote == 0 && Character.isWhitespace(c)) {
                if (inWord) {
                    words.add(word.toString());
                    word.setLength(0);
                    inWord = false;
                }
            } else if (c == '$' && quote != '\'') {
                Matcher variable = VARIABLE.matcher(line).region(i, line.length());
                if (variable.lookingAt()) {
                    String name = variable.group(1) == null ? variable.group(3) : variable.group(1);
                    String value = variable(String.valueOf(name));
                    String fallback = variable.group(2);
                    word.append(value != null ? value : fallback != null ? fallback : "");
                    i = variable.end() - 1;
                } else {
                    word.append(c);
                }
                inWord = true;
            } else {
                word.append(c);
                inWord = true;
            }
        }
        if (inWord) {
            words.add(word.toString());
        }
        return words;
    }
}
