package dev.komainu.agent.discovery.apache;

import java.util.ArrayList;
import java.util.List;

/**
 * One logical line of an Apache configuration: continuations joined, words split as
 * {@code ap_getword_conf} does. Pure.
 *
 * @param text stripped, continuations joined
 * @param number the number of its first physical line, from 1
 */
record ApacheLine(String text, int number) {

    static List<ApacheLine> of(List<String> lines) {
        List<ApacheLine> logical = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            int number = i + 1;
            StringBuilder joined = new StringBuilder(lines.get(i).strip());
            while (!joined.isEmpty()
                    && joined.charAt(joined.length() - 1) == '\\'
                    && i + 1 < lines.size()) {
                joined.setLength(joined.length() - 1);
                joined.append(' ').append(lines.get(++i).strip());
            }
            String text = joined.toString().strip();
            if (!text.isEmpty() && text.charAt(0) != '#') {
                logical.add(new ApacheLine(text, number));
            }
        }
        return logical;
    }

    boolean isClose() {
        return text.startsWith("</");
    }

    boolean isOpen() {
        return text.startsWith("<") && !isClose();
    }

    /** Returns a section's words without its brackets, or a directive's words. */
    static List<String> words(String text) {
        String inner = text;
        if (text.startsWith("<")) {
            inner = text.substring(1, text.endsWith(">") ? text.length() - 1 : text.length());
        }
        List<String> words = new ArrayList<>();
        int at = 0;
        while (at < inner.length()) {
            char c = inner.charAt(at);
            if (Character.isWhitespace(c)) {
                at++;
            } else if (c == '"' || c == '\'') {
                StringBuilder word = new StringBuilder();
                at++;
                while (at < inner.length() && inner.charAt(at) != c) {
                    boolean escape = inner.charAt(at) == '\\' && at + 1 < inner.length();
                    char next = escape ? inner.charAt(at + 1) : 0;
                    if (escape && (next == '\\' || next == c)) {
                        at++;
                    }
                    word.append(inner.charAt(at++));
                }
                at++;
                words.add(word.toString());
            } else {
                int from = at;
                while (at < inner.length() && !Character.isWhitespace(inner.charAt(at))) {
                    at++;
                }
                words.add(inner.substring(from, at));
            }
        }
        return words;
    }
}
