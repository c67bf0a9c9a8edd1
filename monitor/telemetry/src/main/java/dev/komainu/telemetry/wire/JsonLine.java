package dev.komainu.telemetry.wire;

import dev.komainu.telemetry.wire.JsonObjectReader.Located;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

/**
 * A parser of one line of NDJSON: exactly one object, with limited depth, lengths and list sizes.
 */
final class JsonLine {

    private static final int MAX_DEPTH = 8;
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    .maxStringLength(WireLimits.MAX_LINE_CHARS)
                    .maxNumberLength(64)
                    .maxNameLength(256)
                    .build())
            .build();

    private JsonLine() {}

    /**
     * Parses a line.
     *
     * @param line number of this line, from 1, for messages
     */
    static JsonObjectReader parse(String text, long line) throws MalformedBatchException {
        if (text.length() > WireLimits.MAX_LINE_CHARS) {
            throw MalformedBatchException.atLine(
                    line,
                    1,
                    text.length() + " characters (expected: at most " + WireLimits.MAX_LINE_CHARS
                            + ")");
        }
        try (JsonParser in = FACTORY.createParser(text)) {
            if (in.nextToken() != JsonToken.START_OBJECT) {
                throw MalformedBatchException.atLine(
                        line, columnOf(in), "no JSON object (expected: {…})");
            }
            JsonObjectReader object = object(in, line);
            if (in.nextToken() != null) {
                throw MalformedBatchException.atLine(
                        line, columnOf(in), "more after the object (expected: line end)");
            }
            return object;
        } catch (JacksonException e) {
            int column =
                    e.getLocation() == null ? 1 : Math.max(1, e.getLocation().getColumnNr());
            throw MalformedBatchException.atLine(
                    line, column, "no JSON: " + e.getOriginalMessage());
        }
    }

    private static int columnOf(JsonParser in) {
        return Math.max(1, in.currentTokenLocation().getColumnNr());
    }

    private static JsonObjectReader object(JsonParser in, long line)
            throws MalformedBatchException {
        int column = columnOf(in);
        Map<String, Located> fields = new HashMap<>();
        while (in.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = in.currentName();
            Located value = value(in, line, name);
            if (value != null) {
                fields.put(name, value);
            }
        }
        return new JsonObjectReader(fields, line, column);
    }

    private static @Nullable Located value(JsonParser in, long line, String name)
            throws MalformedBatchException {
        JsonToken token = name.isEmpty() ? in.currentToken() : in.nextToken();
        if (token == null) {
            return null;
        }
        int column = columnOf(in);
        return switch (token) {
            case VALUE_STRING -> new Located(in.getString(), column);
            case VALUE_NUMBER_INT ->
                new Located(
                        in.getNumberType() == JsonParser.NumberType.BIG_INTEGER
                                ? (Object) in.getDoubleValue()
                                : (Object) in.getLongValue(),
                        column);
            case VALUE_NUMBER_FLOAT -> new Located(in.getDoubleValue(), column);
            case VALUE_TRUE -> new Located(true, column);
            case VALUE_FALSE -> new Located(false, column);
            case START_OBJECT -> new Located(object(in, line), column);
            case START_ARRAY -> new Located(array(in, line), column);
            default -> null;
        };
    }

    private static List<Located> array(JsonParser in, long line) throws MalformedBatchException {
        List<Located> list = new ArrayList<>(4);
        for (JsonToken token = in.nextToken();
                token != null && token != JsonToken.END_ARRAY;
                token = in.nextToken()) {
            if (list.size() == WireLimits.MAX_LIST) {
                throw MalformedBatchException.atLine(
                        line,
                        columnOf(in),
                        "more than " + WireLimits.MAX_LIST + " entries in a list");
            }
            Located value = value(in, line, "");
            if (value != null) {
                list.add(value);
            }
        }
        return list;
    }
}
