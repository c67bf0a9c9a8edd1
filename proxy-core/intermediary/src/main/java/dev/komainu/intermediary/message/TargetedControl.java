package dev.komainu.intermediary.message;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A parser of targeted Cache-Control fields (RFC 9213): dictionaries of RFC 8941, parsed strictly.
 * A field that is not a dictionary, or has a value of a wrong type, is ignored as a whole, and the
 * next field of the list applies.
 */
public final class TargetedControl {

    /** The fields that apply by default, most specific first. */
    public static final List<String> DEFAULT_FIELDS =
            List.of("komainu-cache-control", "cdn-cache-control");

    private final String text;
    private int position;

    private TargetedControl(String text) {
        this.text = text;
    }

    /**
     * Returns the directives that a shared cache obeys: those of the first valid, non-empty field
     * among {@code targets}, else those of Cache-Control (RFC 9213 section 2.2).
     *
     * @param targets lower-case names, most specific first
     */
    public static CacheDirectives of(Fields response, List<String> targets) {
        for (String name : targets) {
            CacheDirectives found = parse(response.joined(name));
            if (found != null) {
                return found;
            }
        }
        return CacheDirectives.parse(response.joined(Field.CACHE_CONTROL));
    }

    /**
     * Parses one field.
     *
     * @return absent when the field is absent, empty or invalid
     */
    static @Nullable CacheDirectives parse(@Nullable String text) {
        if (text == null) {
            return null;
        }
        CacheDirectives found = CacheDirectives.targeted();
        TargetedControl reader = new TargetedControl(text.strip());
        return reader.dictionary(found) ? found : null;
    }

    /** Parses a dictionary (RFC 8941 section 4.2.2). */
    private boolean dictionary(CacheDirectives into) {
        if (text.isEmpty()) {
            return false;
        }
        while (true) {
            String key = key();
            if (key == null) {
                return false;
            }
            String value = null;
            boolean given = true;
            if (peek() == '=') {
                position++;
                int from = position;
                if (!(peek() == '(' ? innerList() : item())) {
                    return false;
                }
                value = text.substring(from, position);
                if (value.startsWith("?")) {
                    given = value.equals("?1");
                    value = null;
                }
            }
            if (!parameters() || !typed(key, value) || (given && !into.add(key, value))) {
                return false;
            }
            space();
            if (position == text.length()) {
                return true;
            }
            if (peek() != ',') {
                return false;
            }
            position++;
            space();
        }
    }

    /**
     * Reports whether a value has its directive's type: durations are integers, lists of fields are
     * strings.
     */
    private static boolean typed(String key, @Nullable String value) {
        return switch (key) {
            case "max-age", "s-maxage", "stale-while-revalidate", "stale-if-error" ->
                value != null && value.matches("-?\\d{1,15}");
            default -> true;
        };
    }

    private char peek() {
        return position < text.length() ? text.charAt(position) : 0;
    }

    private void space() {
        while (peek() == ' ' || peek() == '\t') {
            position++;
        }
    }

    private @Nullable String key() {
        int from = position;
        char c = peek();
        if (!(lower(c) || c == '*')) {
            return null;
        }
        while (lower(c) || digit(c) || c == '_' || c == '-' || c == '.' || c == '*') {
            position++;
            c = peek();
        }
        return text.substring(from, position);
    }

    private static boolean lower(char c) {
        return c >= 'a' && c <= 'z';
    }

    private static boolean digit(char c) {
        return c >= '0' && c <= '9';
    }

    private boolean parameters() {
        while (peek() == ';') {
            position++;
            while (peek() == ' ') {
                position++;
            }
            if (key() == null) {
                return false;
            }
            if (peek() == '=') {
                position++;
                if (!item()) {
                    return false;
                }
            }
        }
        return true;
    }

    private boolean innerList() {
        position++;
        while (true) {
            while (peek() == ' ') {
                position++;
            }
            if (peek() == ')') {
                position++;
                return true;
            }
            if (!item() || !parameters() || (peek() != ' ' && peek() != ')')) {
                return false;
            }
        }
    }

    /** Parses a bare item (section 4.2.3.1). */
    private boolean item() {
        char c = peek();
        if (c == '"') {
            return string();
        }
        if (c == '?') {
            position += 2;
            return position <= text.length()
                    && (text.charAt(position - 1) == '0' || text.charAt(position - 1) == '1');
        }
        if (c == ':') {
            int end = text.indexOf(':', position + 1);
            position = end + 1;
            return end > 0;
        }
        if (c == '-' || digit(c)) {
            return number();
        }
        if (!((c >= 'A' && c <= 'Z') || lower(c) || c == '*')) {
            return false;
        }
        while (position < text.length()
                && ((Ascii.token((byte) peek()) && peek() < 128)
                        || peek() == ':'
                        || peek() == '/')) {
            position++;
        }
        return true;
    }

    private boolean number() {
        position += peek() == '-' ? 1 : 0;
        int digits = 0;
        int points = 0;
        while (digit(peek()) || (peek() == '.' && points == 0)) {
            points += peek() == '.' ? 1 : 0;
            digits += peek() == '.' ? 0 : 1;
            position++;
        }
        return digits > 0 && digits <= 15 && text.charAt(position - 1) != '.';
    }

    private boolean string() {
        for (position++; position < text.length(); position++) {
            char c = text.charAt(position);
            if (c == '"') {
                position++;
                return true;
            }
            if (c == '\\') {
                position++;
                if (peek() != '"' && peek() != '\\') {
                    return false;
                }
            } else if (c < 0x20 || c > 0x7e) {
                return false;
            }
        }
        return false;
    }
}
