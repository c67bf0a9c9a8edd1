package dev.komainu.codecs;

import dev.komainu.codecs.ProtoFile.Field;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A message with its record.
 *
 * @param message name in the .proto file
 * @param type the record's name in Java, below its package ({@code HostSample.Memory})
 * @param components names of the record's components, in the order of its constructor
 * @param parts fields in the order of the .proto file
 */
record Binding(
        String message, String type, boolean strict, List<String> components, List<Part> parts) {

    /** The representation of a value on the wire. */
    enum Kind {
        INT64("int64", "0"),
        INT32("int32", "0"),
        /** A boolean, 0 or 1 in both forms. */
        FLAG("int32", "false"),
        DOUBLE("number", "0"),
        TEXT("text", "\"\""),
        DISTRIBUTION("distribution", "Distribution.empty()"),
        CONSTANT("int32", "0"),
        ENDPOINT("message", "null"),
        MESSAGE("message", "null");

        /** Method of FieldWriter and FieldReader for one value. */
        final String method;
        /** Value if the field is absent. */
        final String absent;

        Kind(String method, String absent) {
            this.method = method;
            this.absent = absent;
        }
    }

    /**
     * One field with its component.
     *
     * @param type of one value in Java
     * @param wrapper the record around a list, such as {@code TimesGrid}; empty: none
     * @param unwrap its accessor with dot and brackets; empty: none
     */
    record Part(Field field, Kind kind, String type, String wrapper, String unwrap) {

        String component() {
            return field.component();
        }

        /** The name of the JSON key, without the additions of an enclosing flat message. */
        String key() {
            return field.has("json_name") ? field.option("json_name") : component();
        }

        boolean flat() {
            return field.has("flat") || field.has("prefix") || field.has("suffix");
        }

        String accessor(String object) {
            return object + "." + component() + "()" + unwrap;
        }

        String wrapped(String list) {
            return wrapper.isEmpty() ? list : "new " + wrapper + "(" + list + ")";
        }
    }

    /** Arguments of the record's constructor, one on each line. */
    String arguments(Function<Part, String> argument) {
        return components.stream()
                .map(component -> argument.apply(part(component)))
                .collect(Collectors.joining(",\n                ", "\n                ", ""));
    }

    Part part(String component) {
        return parts.stream()
                .filter(part -> part.component().equals(component))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("message " + message
                        + " has no field for " + component + " (an option names it)"));
    }
}
