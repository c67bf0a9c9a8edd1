package dev.komainu.agent.discovery.apache;

import dev.komainu.agent.discovery.configuration.ConfigurationFiles;
import dev.komainu.agent.discovery.configuration.ConfigurationFindings;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;

/**
 * An Apache configuration with all its includes as one tree, in the order in which the server reads
 * it. Defines and modules apply from their line on; a section whose condition is false is left out;
 * a section whose condition is true is replaced by its content.
 */
final class ApacheTree {

    private static final int MAX_DIRECTIVES = 200_000;
    private static final int MAX_NESTING = 32;

    /**
     * A directive, or a section with its children.
     *
     * @param name in lower case
     * @param arguments the words after the name
     * @param children the directives of a section
     * @param source file and line
     */
    record Directive(String name, List<String> arguments, List<Directive> children, String source) {

        /** Returns the n-th word after the name, from 0; empty when there is none. */
        String argument(int index) {
            return index < arguments.size() ? arguments.get(index) : "";
        }
    }

    private final ConfigurationFiles files;
    private final ApacheConditions conditions;
    private final ConfigurationFindings findings;
    private final Directive root = new Directive("", List.of(), new ArrayList<>(), "");
    private final Deque<Directive> open = new ArrayDeque<>(List.of(root));
    private String serverRoot;
    private int count;

    ApacheTree(
            ConfigurationFiles files,
            ApacheConditions conditions,
            String serverRoot,
            ConfigurationFindings findings) {
        this.files = files;
        this.conditions = conditions;
        this.serverRoot = serverRoot;
        this.findings = findings;
    }

    Directive root() {
        return root;
    }

    String serverRoot() {
        return serverRoot;
    }

    /** Adds a directive of the command line ({@code -C}, {@code -c}). */
    void commandLine(String directive) {
        lines(ApacheLine.of(List.of(directive)), "command line", 0);
    }

    /** Reads the main file. */
    void file(String path) {
        file(path, 0, path, true);
    }

    private void file(String path, int depth, String source, boolean required) {
        List<String> lines = files.lines(path);
        if (lines != null) {
            lines(ApacheLine.of(lines), path, depth);
        } else if (required) {
            findings.problem(source, "cannot be read (expected: the server's configuration)");
        }
    }

    private void lines(List<ApacheLine> lines, String path, int depth) {
        int level = open.size();
        // Depth of sections inside a false condition, the condition's own section included.
        int skipped = 0;
        // For each open section, whether it has a node of its own.
        Deque<Boolean> nodes = new ArrayDeque<>();
        for (ApacheLine line : lines) {
            if (skipped > 0) {
                skipped += line.isOpen() ? 1 : line.isClose() ? -1 : 0;
            } else if (line.isClose()) {
                if (!nodes.isEmpty() && nodes.pop()) {
                    open.pop();
                }
            } else if (line.isOpen()) {
                Boolean holds = conditions.test(ApacheLine.words(conditions.expand(line.text())));
                if (holds == null) {
                    open(line, path);
                    nodes.push(true);
                } else if (holds) {
                    nodes.push(false);
                } else {
                    skipped = 1;
                }
            } else {
                directive(line, path, depth);
            }
        }
        while (open.size() > level) {
            open.pop();
        }
    }

    private void open(ApacheLine line, String path) {
        Directive section = node(line, path);
        if (open.size() < MAX_NESTING && count++ < MAX_DIRECTIVES) {
            open.getFirst().children().add(section);
        }
        open.push(section);
    }

    private Directive node(ApacheLine line, String path) {
        List<String> words = ApacheLine.words(conditions.expand(line.text()));
        String name = words.isEmpty() ? "" : words.getFirst().toLowerCase(Locale.ROOT);
        String source = path.equals("command line") ? path : path + ":" + line.number();
        return new Directive(
                name,
                words.subList(Math.min(1, words.size()), words.size()),
                new ArrayList<>(),
                source);
    }

    private void directive(ApacheLine line, String path, int depth) {
        Directive directive = node(line, path);
        String value = directive.argument(0);
        if (insideMacro()) {
            return;
        }
        switch (directive.name()) {
            case "include", "includeoptional" ->
                directive
                        .arguments()
                        .forEach(pattern -> include(
                                absolute(pattern),
                                depth,
                                directive.source(),
                                directive.name().equals("include")));
            case "define" -> conditions.define(value, directive.argument(1));
            case "undefine" -> conditions.undefine(value);
            case "loadmodule" -> conditions.load(value);
            case "serverroot" -> serverRoot = value;
            case "use" -> findings.problem(directive.source(), "macros are not followed");
            default -> {
                if (count++ < MAX_DIRECTIVES) {
                    open.getFirst().children().add(directive);
                } else {
                    findings.problem(
                            path,
                            "not read to its end (expected: at most " + MAX_DIRECTIVES
                                    + " directives)");
                }
            }
        }
    }

    private boolean insideMacro() {
        return open.stream().anyMatch(section -> section.name().equals("macro"));
    }

    private void include(String pattern, int depth, String source, boolean required) {
        if (depth >= ConfigurationFiles.MAX_DEPTH) {
            findings.problem(source, "include not followed (expected: at most 10 nested includes)");
            return;
        }
        for (String match : files.matching(pattern)) {
            if (files.isDirectory(match)) {
                files.matching(match + "/*").stream()
                        .filter(file -> !files.isDirectory(file))
                        .forEach(file -> file(file, depth + 1, source, false));
            } else {
                file(match, depth + 1, source, required);
            }
        }
    }

    String absolute(String path) {
        return path.startsWith("/") ? path : serverRoot + "/" + path;
    }
}
