package dev.komainu.agent.discovery.varnish;

import dev.komainu.agent.discovery.configuration.ConfigurationFiles;
import dev.komainu.agent.discovery.configuration.ConfigurationFindings;
import dev.komainu.agent.discovery.configuration.Upstream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The {@code backend} declarations of a VCL program and its includes (vcl(7)). All other code is
 * skipped.
 */
final class VclBackends {

    private static final int MAX_TOKENS = 500_000;

    /**
     * One token.
     *
     * @param text the content of a string without its quotes, a word, or one sign
     */
    private record Token(String text, boolean isString, int line) {}

    private final ConfigurationFiles files;
    private final List<String> searchPath;
    private final ConfigurationFindings findings;
    private int count;

    /**
     * Creates a reader.
     *
     * @param searchPath directories in which includes without a leading slash are searched
     */
    VclBackends(ConfigurationFiles files, List<String> searchPath, ConfigurationFindings findings) {
        this.files = files;
        this.searchPath = List.copyOf(searchPath);
        this.findings = findings;
    }

    void read(String path) {
        read(path, path, 0);
    }

    private void read(String path, String referrer, int depth) {
        String text = depth > ConfigurationFiles.MAX_DEPTH ? null : files.text(path);
        if (text == null) {
            findings.problem(referrer, "cannot be read (expected: a VCL program)");
            return;
        }
        List<Token> tokens = tokens(text);
        for (int i = 0; i + 1 < tokens.size(); i++) {
            Token token = tokens.get(i);
            if (token.isString()) {
                continue;
            }
            if (token.text().equals("include") && tokens.get(i + 1).isString()) {
                include(tokens.get(i + 1).text(), path, path + ":" + token.line(), depth);
            } else if (token.text().equals("backend")
                    && i + 2 < tokens.size()
                    && tokens.get(i + 2).text().equals("{")) {
                i = backend(tokens, i + 3, path + ":" + token.line());
            }
        }
    }

    /**
     * Reads {@code .host = "app"; .port = "8080"; .probe = { … } }. Returns the index of its end.
     */
    private int backend(List<Token> tokens, int from, String source) {
        Map<String, String> fields = new HashMap<>();
        int depth = 1;
        int i = from;
        for (; i < tokens.size() && depth > 0; i++) {
            String text = tokens.get(i).text();
            boolean sign = !tokens.get(i).isString();
            if (sign && text.equals("{")) {
                depth++;
            } else if (sign && text.equals("}")) {
                depth--;
            } else if (sign && depth == 1 && text.startsWith(".") && i + 2 < tokens.size()) {
                fields.put(text, tokens.get(i + 2).text());
            }
        }
        String host = fields.get(".host");
        String path = fields.get(".path");
        if (host != null) {
            String port = fields.getOrDefault(".port", "80");
            String number = port.equals("http") ? "80" : port;
            String place =
                    host.indexOf(':') >= 0 && !host.startsWith("[") ? "[" + host + "]" : host;
            findings.upstream(Upstream.parse(place + ":" + number, 80, source));
        } else if (path != null) {
            findings.upstream(Upstream.parse("unix:" + path, 0, source));
        }
        String limit = fields.get(".max_connections");
        if (limit != null) {
            findings.putDerived("backend max_connections", limit, source);
        }
        return i - 1;
    }

    private void include(String name, String includer, String source, int depth) {
        if (name.startsWith("/")) {
            read(name, source, depth + 1);
            return;
        }
        String includerDirectory = includer.substring(0, Math.max(0, includer.lastIndexOf('/')));
        List<String> places = new ArrayList<>();
        if (name.startsWith("./")) {
            places.add(includerDirectory);
        } else {
            places.addAll(searchPath);
        }
        for (String place : places) {
            if (files.exists(place + "/" + name)) {
                read(place + "/" + name, source, depth + 1);
                return;
            }
        }
        findings.problem(source, "include cannot be read");
    }

    private List<Token> tokens(String text) {
        List<Token> tokens = new ArrayList<>();
        int line = 1;
        int at = 0;
        while (at < text.length() && count < MAX_TOKENS) {
            char c = text.charAt(at);
            int end;
            if (Character.isWhitespace(c)) {
                end = at + 1;
            } else if (c == '#' || text.startsWith("//", at)) {
                end = after(text, "\n", at) - 1;
            } else if (text.startsWith("/*", at)) {
                end = after(text, "*/", at + 2);
            } else if (text.startsWith("{\"", at)) {
                end = after(text, "\"}", at + 2);
                tokens.add(new Token(inner(text, at + 2, end - 2), true, line));
            } else if (text.startsWith("\"\"\"", at)) {
                end = after(text, "\"\"\"", at + 3);
                tokens.add(new Token(inner(text, at + 3, end - 3), true, line));
            } else if (c == '"') {
                end = after(text, "\"", at + 1);
                tokens.add(new Token(inner(text, at + 1, end - 1), true, line));
            } else {
                end = at + 1;
                boolean word = isWord(c);
                while (word && end < text.length() && isWord(text.charAt(end))) {
                    end++;
                }
                tokens.add(new Token(text.substring(at, end), false, line));
            }
            end = Math.max(at + 1, Math.min(end, text.length()));
            for (int i = at; i < end; i++) {
                line += text.charAt(i) == '\n' ? 1 : 0;
            }
            at = end;
            count++;
        }
        return tokens;
    }

    private static int after(String text, String end, int from) {
        int found = text.indexOf(end, Math.min(from, text.length()));
        return found < 0 ? text.length() + 1 : found + end.length();
    }

    private static String inner(String text, int from, int to) {
        int end = Math.max(from, Math.min(to, text.length()));
        return from > text.length() ? "" : text.substring(from, end);
    }

    private static boolean isWord(char c) {
        return Character.isLetterOrDigit(c) || c == '_' || c == '.' || c == '-' || c == '+';
    }
}
