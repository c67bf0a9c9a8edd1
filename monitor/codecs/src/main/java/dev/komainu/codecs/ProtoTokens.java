package dev.komainu.codecs;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The words and signs of a .proto file without its comments, each with its line. */
final class ProtoTokens {

    private static final Pattern TOKEN = Pattern.compile("\n|//.*|\"[^\"]*\"|[\\w.]+|\\S");

    private record Token(String text, int line) {}

    private final List<Token> tokens = new ArrayList<>();
    private int position;

    ProtoTokens(String text) {
        int line = 1;
        Matcher matcher = TOKEN.matcher(text);
        while (matcher.find()) {
            String token = matcher.group();
            if (token.equals("\n")) {
                line++;
            } else if (!token.startsWith("//")) {
                tokens.add(new Token(token, line));
            }
        }
        tokens.add(new Token("end of file", line));
    }

    boolean atEnd() {
        return position == tokens.size() - 1;
    }

    String next() {
        if (atEnd()) {
            position++;
            throw unexpected("more");
        }
        return tokens.get(position++).text;
    }

    /** Steps over {@code text} if it is next. */
    boolean found(String text) {
        boolean found = tokens.get(position).text.equals(text);
        if (found) {
            position++;
        }
        return found;
    }

    void expect(String text) {
        if (!next().equals(text)) {
            throw unexpected(text);
        }
    }

    int number() {
        String text = next();
        if (!text.matches("\\d{1,9}")) {
            throw unexpected("a number");
        }
        return Integer.parseInt(text);
    }

    void skipPast(String text) {
        while (!next().equals(text)) {
            continue;
        }
    }

    /** The error for the token that {@link #next} returned last. */
    IllegalArgumentException unexpected(String expected) {
        Token token = tokens.get(position - 1);
        return new IllegalArgumentException(
                "line " + token.line + ": " + token.text + " (expected: " + expected + ")");
    }
}
