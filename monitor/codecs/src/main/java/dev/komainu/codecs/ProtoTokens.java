package dev.komainu.codecs;

import java.io.IOException;
import java.io.StreamTokenizer;
import java.io.StringReader;
import java.io.UncheckedIOException;

/** The words and signs of a .proto file without its comments. */
final class ProtoTokens {

    private final StreamTokenizer in;

    ProtoTokens(String text) {
        in = new StreamTokenizer(new StringReader(text));
        in.resetSyntax();
        in.whitespaceChars(0, ' ');
        in.wordChars('0', '9');
        in.wordChars('A', 'Z');
        in.wordChars('a', 'z');
        in.wordChars('_', '_');
        in.quoteChar('"');
        in.slashSlashComments(true);
    }

    boolean atEnd() {
        boolean end = next().isEmpty();
        in.pushBack();
        return end;
    }

    /** The next word or sign, a text without its quotes; empty: end of the file. */
    String next() {
        try {
            int type = in.nextToken();
            return type == StreamTokenizer.TT_EOF
                    ? ""
                    : type == StreamTokenizer.TT_WORD || type == '"'
                            ? in.sval
                            : Character.toString(type);
        } catch (IOException e) {
            throw new UncheckedIOException("a text in memory does not fail", e);
        }
    }

    /** Steps over {@code text} if it is next. */
    boolean found(String text) {
        boolean found = next().equals(text);
        if (!found) {
            in.pushBack();
        }
        return found;
    }

    void expect(String text) {
        String token = next();
        if (!token.equals(text)) {
            throw unexpected(token, text);
        }
    }

    int number() {
        String token = next();
        if (!token.matches("\\d{1,9}")) {
            throw unexpected(token, "a number");
        }
        return Integer.parseInt(token);
    }

    void skipPast(String text) {
        while (!found(text)) {
            if (next().isEmpty()) {
                throw unexpected("end of file", text);
            }
        }
    }

    IllegalArgumentException unexpected(String token, String expected) {
        return new IllegalArgumentException(
                "line " + in.lineno() + ": " + token + " (expected: " + expected + ")");
    }
}
