package dev.komainu.agent.discovery.squid;

import dev.komainu.agent.discovery.configuration.ConfigurationFiles;
import dev.komainu.agent.discovery.configuration.ConfigurationFindings;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The directives of a {@code squid.conf} that apply to the first worker: continuations joined,
 * includes followed, {@code if … else … endif} evaluated (Squid's ConfigParser and cache_cf.cc).
 */
final class SquidFile {

    private static final int MAX_DIRECTIVES = 200_000;
    private static final Pattern CONDITION = Pattern.compile("(\\S+)\\s*=\\s*(\\S+)");

    /**
     * One directive.
     *
     * @param words the name first, at least one
     */
    record Directive(List<String> words, String source) {

        String name() {
            return words.getFirst();
        }

        String argument(int index) {
            return index + 1 < words.size() ? words.get(index + 1) : "";
        }

        /** Returns the text after the name. */
        String value() {
            return String.join(" ", words.subList(1, words.size()));
        }
    }

    private final ConfigurationFiles files;
    private final ConfigurationFindings findings;
    private final String service;
    private final List<Directive> directives = new ArrayList<>();

    private SquidFile(ConfigurationFiles files, String service, ConfigurationFindings findings) {
        this.files = files;
        this.service = service;
        this.findings = findings;
    }

    /**
     * Reads a configuration.
     *
     * @param service name given with {@code -n}, {@code squid} without
     */
    static List<Directive> read(
            ConfigurationFiles files, String path, String service, ConfigurationFindings findings) {
        SquidFile file = new SquidFile(files, service, findings);
        file.file(path, path, 0);
        return file.directives;
    }

    private void file(String path, String referrer, int depth) {
        List<String> lines = files.lines(path);
        if (lines == null) {
            findings.problem(referrer, "cannot be read (expected: the server's configuration)");
            return;
        }
        // For each open "if", whether the current branch applies.
        Deque<Boolean> branches = new ArrayDeque<>();
        for (int i = 0; i < lines.size() && directives.size() < MAX_DIRECTIVES; i++) {
            String source = path + ":" + (i + 1);
            StringBuilder joined = new StringBuilder(lines.get(i));
            while (!joined.isEmpty()
                    && joined.charAt(joined.length() - 1) == '\\'
                    && i + 1 < lines.size()) {
                joined.setLength(joined.length() - 1);
                joined.append(lines.get(++i));
            }
            List<String> words = words(macros(joined.toString()));
            if (!words.isEmpty()) {
                line(words, source, branches, depth);
            }
        }
    }

    private void line(List<String> words, String source, Deque<Boolean> branches, int depth) {
        boolean counts = branches.stream().allMatch(branch -> branch);
        switch (words.getFirst()) {
            case "if" -> branches.push(holds(String.join(" ", words.subList(1, words.size()))));
            case "else" -> {
                if (!branches.isEmpty()) {
                    branches.push(!branches.pop());
                }
            }
            case "endif" -> {
                if (!branches.isEmpty()) {
                    branches.pop();
                }
            }
            case "include" -> {
                if (counts && depth >= ConfigurationFiles.MAX_DEPTH) {
                    findings.problem(
                            source, "include not followed (expected: at most 10 nested includes)");
                } else if (counts) {
                    for (String pattern : words.subList(1, words.size())) {
                        files.matching(pattern).forEach(file -> file(file, source, depth + 1));
                    }
                }
            }
            default -> {
                if (counts) {
                    directives.add(new Directive(words, source));
                }
            }
        }
    }

    private boolean holds(String condition) {
        Matcher equal = CONDITION.matcher(condition);
        if (equal.matches()) {
            return String.valueOf(equal.group(1)).equals(equal.group(2));
        }
        return condition.equals("true") || condition.matches("[1-9]\\d*");
    }

    private String macros(String line) {
        return line.indexOf("${") < 0
                ? line
                : line.replace("${process_number}", "1")
                        .replace("${service_name}", service)
                        .replace("${process_name}", service + "-1");
    }

    /** Returns the words of a line, quoted ones included, up to a comment. */
    private static List<String> words(String line) {
        List<String> words = new ArrayList<>();
        int at = 0;
        while (at < line.length()) {
            char c = line.charAt(at);
            if (Character.isWhitespace(c)) {
                at++;
            } else if (c == '#') {
                break;
            } else if (c == '"') {
                int close = line.indexOf('"', at + 1);
                words.add(line.substring(at + 1, close < 0 ? line.length() : close));
                at = close < 0 ? line.length() : close + 1;
            } else {
                int from = at;
                while (at < line.length() && !Character.isWhitespace(line.charAt(at))) {
                    at++;
                }
                words.add(line.substring(from, at));
            }
        }
        return words;
    }
}
