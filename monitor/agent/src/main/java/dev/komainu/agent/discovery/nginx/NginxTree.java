package dev.komainu.agent.discovery.nginx;

import dev.komainu.agent.discovery.configuration.ConfigurationFiles;
import dev.komainu.agent.discovery.configuration.ConfigurationFindings;
import dev.komainu.agent.discovery.nginx.NginxFile.Statement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** An nginx configuration with all its includes as one tree of directives. */
final class NginxTree {

    private static final int MAX_DIRECTIVES = 200_000;
    private static final int MAX_NESTING = 32;

    /**
     * A directive, or a block with its children.
     *
     * @param words the name first
     * @param children the directives of a block, added while reading
     * @param source file and line
     */
    record Directive(List<String> words, List<Directive> children, String source) {

        String name() {
            return words.isEmpty() ? "" : words.getFirst();
        }

        /** Returns the first word after the name, or an empty text. */
        String argument() {
            return words.size() > 1 ? words.get(1) : "";
        }

        /** Returns the text after the name. */
        String value() {
            return String.join(" ", words.subList(Math.min(1, words.size()), words.size()));
        }

        List<Directive> named(String name) {
            return children.stream().filter(child -> child.name().equals(name)).toList();
        }
    }

    private final ConfigurationFiles files;
    private final ConfigurationFindings findings;
    private final String directory;
    private final Deque<Directive> open = new ArrayDeque<>();
    private int count;

    private NginxTree(ConfigurationFiles files, ConfigurationFindings findings, String directory) {
        this.files = files;
        this.findings = findings;
        this.directory = directory;
    }

    /**
     * Reads a configuration.
     *
     * @param configuration absolute path of the main file; relative includes are resolved against
     *     its directory
     * @param commandLine directives given with {@code -g}
     */
    static Directive read(
            ConfigurationFiles files,
            String configuration,
            String commandLine,
            ConfigurationFindings findings) {
        String directory = configuration.substring(0, Math.max(0, configuration.lastIndexOf('/')));
        NginxTree tree = new NginxTree(files, findings, directory);
        Directive root = new Directive(List.of("main"), new ArrayList<>(), configuration);
        tree.open.push(root);
        tree.statements(NginxFile.statements(List.of(commandLine)), "command line", 0);
        List<String> lines = files.lines(configuration);
        if (lines == null) {
            findings.problem(
                    configuration, "cannot be read (expected: the server's configuration)");
        } else {
            tree.statements(NginxFile.statements(lines), configuration, 0);
        }
        return root;
    }

    private void statements(List<Statement> statements, String path, int depth) {
        int level = open.size();
        for (Statement statement : statements) {
            if (++count > MAX_DIRECTIVES) {
                findings.problem(
                        path,
                        "not read to its end (expected: at most " + MAX_DIRECTIVES
                                + " directives)");
                break;
            }
            String source = depth == 0 && path.equals("command line")
                    ? path
                    : path + ":" + statement.line();
            switch (statement.end()) {
                case '{' -> open(statement, source);
                case '}' -> {
                    if (open.size() > level) {
                        open.pop();
                    }
                }
                default -> directive(statement, source, depth);
            }
        }
        // Blocks that a file leaves open end with the file, so that they do not contain what
        // follows its include.
        while (open.size() > level) {
            open.pop();
        }
    }

    private void open(Statement statement, String source) {
        Directive block = new Directive(statement.words(), new ArrayList<>(), source);
        if (open.size() < MAX_NESTING) {
            parent().children().add(block);
        }
        open.push(block);
    }

    private void directive(Statement statement, String source, int depth) {
        if (statement.name().equals("include") && statement.words().size() == 2) {
            include(statement.words().get(1), source, depth);
        } else {
            parent().children().add(new Directive(statement.words(), List.of(), source));
        }
    }

    private void include(String pattern, String source, int depth) {
        if (depth >= ConfigurationFiles.MAX_DEPTH) {
            findings.problem(source, "include not followed (expected: at most 10 nested includes)");
            return;
        }
        for (String file :
                files.matching(pattern.startsWith("/") ? pattern : directory + "/" + pattern)) {
            List<String> lines = files.lines(file);
            if (lines == null) {
                findings.problem(source, "include cannot be read");
            } else {
                statements(NginxFile.statements(lines), file, depth + 1);
            }
        }
    }

    private Directive parent() {
        return open.getFirst();
    }
}
