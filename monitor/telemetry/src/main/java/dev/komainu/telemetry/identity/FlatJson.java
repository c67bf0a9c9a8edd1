package dev.komainu.telemetry.identity;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

/**
 * A JSON object of texts, truth values and lists of texts: the form of requests, responses and
 * facts of an identity. Other values are passed over. Immutable.
 */
final class FlatJson {

    private static final int MOST_ENTRIES = 1_000;
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(8)
                    .maxStringLength(256 << 10)
                    .maxNameLength(256)
                    .build())
            .build();

    private final Map<String, Object> values;

    FlatJson(Map<String, Object> values) {
        this.values = values;
    }

    /**
     * Parses a text.
     *
     * @throws IOException with line, column and what was expected
     */
    static FlatJson parse(String text) throws IOException {
        try (JsonParser in = FACTORY.createParser(text)) {
            if (in.nextToken() != JsonToken.START_OBJECT) {
                throw new IOException("no JSON object (expected: {…})");
            }
            Map<String, Object> values = new LinkedHashMap<>();
            while (in.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = in.currentName();
                Object value = value(in, in.nextToken());
                if (value != null) {
                    values.put(name, value);
                }
            }
            return new FlatJson(values);
        } catch (JacksonException e) {
            throw new IOException("no JSON: " + e.getOriginalMessage(), e);
        }
    }

    private static @Nullable Object value(JsonParser in, @Nullable JsonToken token) {
        if (token == null) {
            return null;
        }
        switch (token) {
            case VALUE_STRING -> {
                return in.getString();
            }
            case VALUE_TRUE -> {
                return true;
            }
            case VALUE_FALSE -> {
                return false;
            }
            case START_ARRAY -> {
                return texts(in);
            }
            default -> {
                in.skipChildren();
                return null;
            }
        }
    }

    private static List<String> texts(JsonParser in) {
        List<String> list = new ArrayList<>();
        for (JsonToken token = in.nextToken();
                token != null && token != JsonToken.END_ARRAY;
                token = in.nextToken()) {
            if (token == JsonToken.VALUE_STRING && list.size() < MOST_ENTRIES) {
                list.add(in.getString());
            } else {
                in.skipChildren();
            }
        }
        return list;
    }

    /**
     * Returns a text.
     *
     * @throws IOException when it is missing
     */
    String text(String name) throws IOException {
        String text = textOrAbsent(name);
        if (text == null) {
            throw new IOException(name + " is missing (expected: a text)");
        }
        return text;
    }

    @Nullable
    String textOrAbsent(String name) {
        return values.get(name) instanceof String text ? text : null;
    }

    boolean truth(String name) {
        return Boolean.TRUE.equals(values.get(name));
    }

    List<String> texts(String name) {
        return values.get(name) instanceof List<?> list
                ? list.stream().map(String::valueOf).toList()
                : List.of();
    }

    /** Returns the object as one line of JSON. */
    String line() {
        return values.entrySet().stream()
                .map(entry -> quoted(entry.getKey()) + ":" + written(entry.getValue()))
                .collect(Collectors.joining(",", "{", "}"));
    }

    private static String written(Object value) {
        return switch (value) {
            case List<?> list ->
                list.stream().map(FlatJson::written).collect(Collectors.joining(",", "[", "]"));
            case Boolean truth -> truth.toString();
            default -> quoted(Objects.toString(value));
        };
    }

    /** Returns a text in quotes (RFC 8259 section 7). */
    private static String quoted(String text) {
        StringBuilder out = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                out.append("\\u00")
                        .append(Character.forDigit(c >> 4, 16))
                        .append(Character.forDigit(c & 15, 16));
            } else {
                out.append(c);
            }
        }
        return out.append('"').toString();
    }
}
