package dev.komainu.intermediary.control;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A writer of the endpoint's JSON: objects and arrays of numbers, strings, booleans and nulls. */
public final class JsonText {

    private JsonText() {}

    /** Returns an object as one line with its line end. */
    public static String object(Map<String, ? extends @Nullable Object> members) {
        StringBuilder out = new StringBuilder(1024);
        value(out, members);
        return out.append('\n').toString();
    }

    private static void value(StringBuilder out, @Nullable Object value) {
        if (value instanceof Map<?, ?> members) {
            out.append('{');
            String between = "";
            for (Map.Entry<?, ?> member : members.entrySet()) {
                out.append(between);
                text(out, String.valueOf(member.getKey()));
                out.append(':');
                value(out, member.getValue());
                between = ",";
            }
            out.append('}');
        } else if (value instanceof List<?> elements) {
            out.append('[');
            String between = "";
            for (Object element : elements) {
                out.append(between);
                value(out, element);
                between = ",";
            }
            out.append(']');
        } else if (value == null || value instanceof Number || value instanceof Boolean) {
            out.append(value);
        } else {
            text(out, value.toString());
        }
    }

    private static void text(StringBuilder out, String raw) {
        out.append('"');
        for (int i = 0; i < raw.length(); i++) {
            char c = raw.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ' || c == '<' || c == '>' || c == 127) {
                out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }
}
