package dev.komainu.settings;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * The value of a setting as it was written.
 *
 * @param value a text, a list of values, or a map of values by name
 * @param source {@code file}, {@code $VARIABLE}, {@code command line} or {@code default}
 * @param place exact place: {@code FILE:LINE}, {@code $VARIABLE}, {@code --option}; empty: unknown
 */
public record WrittenValue(Object value, String source, String place) {

    static WrittenValue declared(String text) {
        return new WrittenValue(text, EffectiveSetting.DEFAULT, "");
    }

    /** Returns the same value with another place. */
    WrittenValue in(String otherPlace) {
        return new WrittenValue(value, source, otherPlace);
    }

    boolean isMap() {
        return value instanceof Map<?, ?>;
    }

    /** Returns one text; members of a list with commas between. */
    String text() {
        return value instanceof List<?> list
                ? String.join(",", list.stream().map(WrittenValue::textOf).toList())
                : textOf(value);
    }

    private static String textOf(Object value) {
        return value instanceof WrittenValue inner ? inner.text() : String.valueOf(plain(value));
    }

    /** Returns the mistake {@code text in place (expected: …)} for a parser's exception. */
    String mistake(IllegalArgumentException e) {
        String message = String.valueOf(e.getMessage());
        int expected = message.indexOf(" (expected: ");
        return place.isEmpty() || expected < 0
                ? message
                : message.substring(0, expected) + " in " + place + message.substring(expected);
    }

    /** Returns the members of a list, each with its own place; blank ones are left out. */
    List<WrittenValue> members(Pattern separator, Function<Map<String, Object>, String> ofMap) {
        List<WrittenValue> members = new ArrayList<>();
        if (value instanceof List<?> list) {
            for (Object one : list) {
                WrittenValue member = one instanceof WrittenValue placed
                        ? placed
                        : new WrittenValue(one, source, place);
                members.add(
                        member.value instanceof Map<?, ?> map
                                ? new WrittenValue(ofMap.apply(plain(map)), source, member.place)
                                : member);
            }
        } else if (isMap()) {
            throw SettingGrammar.wrong(text(), "a list");
        } else {
            for (String one : separator.split(text())) {
                if (!one.isBlank()) {
                    members.add(new WrittenValue(one.strip(), source, place));
                }
            }
        }
        return members;
    }

    private static Map<String, Object> plain(Map<?, ?> map) {
        Map<String, Object> plain = new LinkedHashMap<>();
        map.forEach((key, value) -> plain.put(String.valueOf(key), plain(value)));
        return plain;
    }

    private static Object plain(Object value) {
        return switch (value) {
            case WrittenValue inner -> plain(inner.value);
            case Map<?, ?> map -> plain(map);
            case List<?> list -> list.stream().map(WrittenValue::plain).toList();
            default -> value;
        };
    }

    /** Reports whether both have the same content, in whatever place. */
    boolean hasSameContentAs(WrittenValue other) {
        return Objects.equals(plain(value), plain(other.value))
                || text().strip().equals(other.text().strip());
    }

    /** Returns the value as it may be written in a file. */
    String written() {
        return isMap()
                        || (value instanceof List<?> list
                                && list.stream().anyMatch(WrittenValue::hasMap))
                ? plain(value).toString()
                : text();
    }

    private static boolean hasMap(Object value) {
        return value instanceof Map<?, ?> || (value instanceof WrittenValue inner && inner.isMap());
    }
}
