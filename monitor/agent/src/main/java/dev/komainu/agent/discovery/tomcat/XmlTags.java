package dev.komainu.agent.discovery.tomcat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The start tags of an XML text with their attributes and lines. Comments, declarations, DOCTYPE
 * and character data are skipped. There is no parser, and only the five predefined entities are
 * resolved: nothing is fetched or expanded. Malformed text ends the list. Pure.
 */
final class XmlTags {

    /**
     * One start tag.
     *
     * @param attributes as written, the five predefined entities resolved
     */
    record Tag(String name, Map<String, String> attributes, int line, int depth) {

        String attribute(String attribute, String fallback) {
            return attributes.getOrDefault(attribute, fallback);
        }
    }

    private final String text;
    private final List<Tag> tags = new ArrayList<>();
    private int at;
    private int line = 1;
    private int counted;
    private int depth;

    private XmlTags(String text) {
        this.text = text;
    }

    static List<Tag> of(String text) {
        XmlTags reader = new XmlTags(text);
        reader.all();
        return List.copyOf(reader.tags);
    }

    private void all() {
        while (at >= 0 && (at = text.indexOf('<', at)) >= 0) {
            if (text.startsWith("<!--", at)) {
                skipTo("-->");
            } else if (text.startsWith("<![CDATA[", at)) {
                skipTo("]]>");
            } else if (text.startsWith("<?", at)) {
                skipTo("?>");
            } else if (text.startsWith("<!", at)) {
                declaration();
            } else if (text.startsWith("</", at)) {
                depth = Math.max(0, depth - 1);
                skipTo(">");
            } else {
                tag();
            }
        }
    }

    private void skipTo(String end) {
        int found = text.indexOf(end, at);
        at = found < 0 ? -1 : found + end.length();
    }

    /**
     * Skips a DOCTYPE, which may contain declarations in brackets, and quoted text with any
     * character.
     */
    private void declaration() {
        int brackets = 0;
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c == '"' || c == '\'') {
                int close = text.indexOf(c, at + 1);
                if (close < 0) {
                    break;
                }
                at = close;
            } else if (c == '[') {
                brackets++;
            } else if (c == ']') {
                brackets--;
            } else if (c == '>' && brackets <= 0) {
                at++;
                return;
            }
            at++;
        }
        at = -1;
    }

    private void tag() {
        for (; counted < at; counted++) {
            line += text.charAt(counted) == '\n' ? 1 : 0;
        }
        at++;
        String name = name();
        Map<String, String> attributes = new LinkedHashMap<>();
        while (true) {
            blanks();
            if (at >= text.length()) {
                at = -1;
                return;
            }
            char c = text.charAt(at);
            if (c == '>' || text.startsWith("/>", at)) {
                tags.add(new Tag(name, attributes, line, depth));
                depth += c == '>' ? 1 : 0;
                at += c == '>' ? 1 : 2;
                return;
            }
            String attribute = name();
            blanks();
            if (attribute.isEmpty() || at >= text.length() || text.charAt(at) != '=') {
                at = -1;
                return;
            }
            at++;
            blanks();
            char quote = at < text.length() ? text.charAt(at) : 0;
            int close = quote == '"' || quote == '\'' ? text.indexOf(quote, at + 1) : -1;
            if (close < 0) {
                at = -1;
                return;
            }
            attributes.put(attribute, resolved(text.substring(at + 1, close)));
            at = close + 1;
        }
    }

    private String name() {
        int from = at;
        while (at < text.length() && " \t\r\n=/><\"'".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        return text.substring(from, at);
    }

    private void blanks() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
    }

    private static String resolved(String value) {
        return value.indexOf('&') < 0
                ? value
                : value.replace("&quot;", "\"")
                        .replace("&apos;", "'")
                        .replace("&lt;", "<")
                        .replace("&gt;", ">")
                        .replace("&amp;", "&");
    }
}
