package dev.komainu.agent.discovery.nginx;

import java.util.ArrayList;
import java.util.List;

/**
 * The statements of an nginx configuration file: words, then {@code ;}, an opening or a closing
 * brace. Quotes, escapes and comments are parsed as nginx parses them. Malformed text ends the
 * list. Pure.
 */
final class NginxFile {

    /**
     * One statement.
     *
     * @param end {@code ';'}, <code>'{'</code> or <code>'}'</code>
     */
    record Statement(List<String> words, char end, int line) {

        String name() {
            return words.isEmpty() ? "" : words.getFirst();
        }

        /** Returns the text after the name, as written. */
        String value() {
            return String.join(" ", words.subList(Math.min(1, words.size()), words.size()));
        }
    }

    private final String text;
    private int at;
    private int line = 1;

    private NginxFile(String text) {
        this.text = text;
    }

    static List<Statement> statements(List<String> lines) {
        return new NginxFile(String.join("\n", lines)).all();
    }

    private List<Statement> all() {
        List<Statement> statements = new ArrayList<>();
        List<String> words = new ArrayList<>();
        int statementLine = 1;
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c == '\n') {
                line++;
                at++;
            } else if (Character.isWhitespace(c)) {
                at++;
            } else if (c == '#') {
                int end = text.indexOf('\n', at);
                at = end < 0 ? text.length() : end;
            } else if (c == ';' || c == '{' || c == '}') {
                statements.add(new Statement(
                        List.copyOf(words), c, words.isEmpty() ? line : statementLine));
                words.clear();
                at++;
            } else {
                if (words.isEmpty()) {
                    statementLine = line;
                }
                words.add(c == '"' || c == '\'' ? quoted(c) : word());
            }
        }
        return statements;
    }

    private String quoted(char quote) {
        StringBuilder word = new StringBuilder();
        at++;
        while (at < text.length() && text.charAt(at) != quote) {
            if (text.charAt(at) == '\\' && at + 1 < text.length()) {
                at++;
            }
            if (text.charAt(at) == '\n') {
                line++;
            }
            word.append(text.charAt(at++));
        }
        at++;
        return word.toString();
    }

    private String word() {
        int from = at;
        while (at < text.length()) {
            char c = text.charAt(at);
            boolean variable = c == '{' && at > from && text.charAt(at - 1) == '$';
            if (variable) {
                int close = text.indexOf('}', at);
                at = close < 0 ? text.length() : close + 1;
            } else if (Character.isWhitespace(c) || c == ';' || c == '{' || c == '}') {
                break;
            } else {
                at += c == '\\' ? 2 : 1;
            }
        }
        at = Math.min(at, text.length());
        return text.substring(from, at);
    }
}
