package dev.komainu.telemetry.wire;

import dev.komainu.telemetry.record.ConnectionParts;
import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.Endpoint;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One JSON object with the place of each of its values, so that a mistake can be told as line,
 * column, field and what was expected. Unknown keys are passed over. Comes from {@link JsonLine}.
 */
final class JsonObjectReader {

    /** A value is a String, Long, Double, Boolean, JsonObjectReader or List of Located. */
    record Located(Object value, int column) {}

    private final Map<String, Located> fields;
    private final long line;
    private final int column;

    JsonObjectReader(Map<String, Located> fields, long line, int column) {
        this.fields = fields;
        this.line = line;
        this.column = column;
    }

    private MalformedBatchException wrong(String name, Located found, String expected) {
        Object value = found.value();
        String shown = value instanceof JsonObjectReader
                ? "{…}"
                : value instanceof List ? "[…]" : value.toString();
        if (shown.length() > 60) {
            shown = shown.substring(0, 60) + "…";
        }
        return MalformedBatchException.atLine(
                line, found.column(), name + ": " + shown + " (expected: " + expected + ")");
    }

    private MalformedBatchException missing(String name, String expected) {
        return MalformedBatchException.atLine(
                line, column, name + " is missing (expected: " + expected + ")");
    }

    boolean has(String name) {
        return fields.containsKey(name);
    }

    @Nullable
    String textOrAbsent(String name) throws MalformedBatchException {
        Located found = fields.get(name);
        if (found == null) {
            return null;
        }
        if (found.value() instanceof String text) {
            return text;
        }
        throw wrong(name, found, "a string");
    }

    String text(String name) throws MalformedBatchException {
        String text = textOrAbsent(name);
        if (text == null) {
            throw missing(name, "a string");
        }
        return text;
    }

    @Nullable
    Long int64OrAbsent(String name) throws MalformedBatchException {
        Located found = fields.get(name);
        if (found == null) {
            return null;
        }
        if (found.value() instanceof Long number) {
            return number;
        }
        throw wrong(name, found, "an integer of 64 bits");
    }

    /** For instants, durations and other values without which a record means nothing. */
    long int64(String name) throws MalformedBatchException {
        Long number = int64OrAbsent(name);
        if (number == null) {
            throw missing(name, "an integer of 64 bits");
        }
        return number;
    }

    /** For counters: those a writer leaves out have counted nothing. */
    long count(String name) throws MalformedBatchException {
        Long number = int64OrAbsent(name);
        return number == null ? 0 : number;
    }

    @Nullable
    Integer int32OrAbsent(String name) throws MalformedBatchException {
        Long number = int64OrAbsent(name);
        if (number == null) {
            return null;
        }
        if (number != number.intValue()) {
            throw wrong(name, located(name), "an integer of 32 bits");
        }
        return number.intValue();
    }

    int count32(String name) throws MalformedBatchException {
        Integer number = int32OrAbsent(name);
        return number == null ? 0 : number;
    }

    /** @param most and 0 the least */
    int count32(String name, int most) throws MalformedBatchException {
        int number = count32(name);
        if (number < 0 || number > most) {
            throw wrong(name, located(name), "0 to " + most);
        }
        return number;
    }

    @Nullable
    Double numberOrAbsent(String name) throws MalformedBatchException {
        Located found = fields.get(name);
        if (found == null) {
            return null;
        }
        if (found.value() instanceof Double number && Double.isFinite(number)) {
            return number;
        }
        if (found.value() instanceof Long number) {
            return (double) number;
        }
        throw wrong(name, found, "a number");
    }

    double number(String name) throws MalformedBatchException {
        Double number = numberOrAbsent(name);
        return number == null ? 0 : number;
    }

    Endpoint endpoint(String name) throws MalformedBatchException {
        return endpointOf(name, text(name), located(name));
    }

    @Nullable
    Endpoint endpointOrAbsent(String name) throws MalformedBatchException {
        return has(name) ? endpoint(name) : null;
    }

    List<Endpoint> endpoints(String name) throws MalformedBatchException {
        List<Endpoint> all = new ArrayList<>();
        for (Located entry : entries(name)) {
            if (!(entry.value() instanceof String text)) {
                throw wrong(name, entry, "ADDRESS:PORT");
            }
            all.add(endpointOf(name, text, entry));
        }
        return all;
    }

    private Endpoint endpointOf(String name, String text, Located found)
            throws MalformedBatchException {
        try {
            return Endpoint.parse(text);
        } catch (IllegalArgumentException e) {
            throw wrong(name, found, "ADDRESS:PORT, IPv6 in brackets, no host names");
        }
    }

    Distribution distribution(String name) throws MalformedBatchException {
        String key = name + "Histogram";
        String text = textOrAbsent(key);
        if (text == null) {
            return Distribution.empty();
        }
        try {
            return Distribution.ofEncoded(Base64.getDecoder().decode(text));
        } catch (IllegalArgumentException e) {
            throw wrong(
                    key,
                    located(key),
                    "an HdrHistogram V2 encoding in Base64, 1 µs to 1 h, 2 digits");
        }
    }

    ConnectionParts parts(String name) throws MalformedBatchException {
        String text = textOrAbsent(name);
        if (text == null) {
            return ConnectionParts.empty();
        }
        try {
            return ConnectionParts.ofEncoded(Base64.getDecoder().decode(text));
        } catch (IllegalArgumentException e) {
            throw wrong(
                    name,
                    located(name),
                    "connections in order of their keys, at most " + ConnectionParts.MOST
                            + ", in Base64");
        }
    }

    /** @param labels one for each constant, without regard to upper and lower case */
    <E> E constant(String name, E[] constants, List<String> labels) throws MalformedBatchException {
        String label = text(name);
        for (int i = 0; i < constants.length; i++) {
            if (labels.get(i).equalsIgnoreCase(label)) {
                return constants[i];
            }
        }
        throw notOneOf(name, String.join(", ", labels));
    }

    /** @param expected all labels, for the message */
    MalformedBatchException notOneOf(String name, String expected) {
        return wrong(name, located(name), "one of " + expected);
    }

    List<String> texts(String name) throws MalformedBatchException {
        List<String> all = new ArrayList<>();
        for (Located entry : entries(name)) {
            if (!(entry.value() instanceof String text)) {
                throw wrong(name, entry, "strings");
            }
            all.add(text);
        }
        return all;
    }

    /** A conversion from one JSON object to a part of a record. */
    @FunctionalInterface
    interface Shape<T> {
        T read(JsonObjectReader in) throws MalformedBatchException;
    }

    <T> List<T> objects(String name, Shape<T> shape) throws MalformedBatchException {
        List<T> all = new ArrayList<>();
        for (Located entry : entries(name)) {
            if (!(entry.value() instanceof JsonObjectReader object)) {
                throw wrong(name, entry, "objects");
            }
            all.add(shape.read(object));
        }
        return all;
    }

    <T> @Nullable T objectOrAbsent(String name, Shape<T> shape) throws MalformedBatchException {
        Located found = fields.get(name);
        if (found == null) {
            return null;
        }
        if (found.value() instanceof JsonObjectReader object) {
            return shape.read(object);
        }
        throw wrong(name, found, "an object");
    }

    private List<Located> entries(String name) throws MalformedBatchException {
        Located found = fields.get(name);
        if (found == null) {
            return List.of();
        }
        if (found.value() instanceof List<?> list) {
            @SuppressWarnings("unchecked") // JsonLine puts nothing else into a list
            List<Located> entries = (List<Located>) list;
            return entries;
        }
        throw wrong(name, found, "a list");
    }

    private Located located(String name) {
        Located found = fields.get(name);
        return found == null ? new Located("", column) : found;
    }
}
