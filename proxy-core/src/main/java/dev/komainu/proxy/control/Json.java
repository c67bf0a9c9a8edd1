package dev.komainu.proxy.control;

import java.util.Map;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** Writes flat objects of numbers, texts, truths and nulls: all that this endpoint says. */
final class Json {

    private Json() {}

    static String object(Map<String, ? extends @Nullable Object> members) {
        StringJoiner out = new StringJoiner(",", "{", "}\n");
        members.forEach((name, value) -> out.add(text(name) + ":" + value(value)));
        return out.toString();
    }

    private static String value(@Nullable Object value) {
        return value == null || value instanceof Number || value instanceof Boolean
                ? String.valueOf(value)
                : text(value.toString());
    }

    private static String text(String raw) {
        StringBuilder out = new StringBuilder(raw.length() + 2).append('"');
        for (int i = 0; i < raw.length(); i++) {
            char c = raw.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ' || c == '<' || c == '>' || c == 127) {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        return out.append('"').toString();
    }
}
