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
 * @param components of the record, in the order of its constructor
 * @param parts fields in the order of the .proto file
 */
record Binding(
        String message, String type, boolean strict, List<Component> components, List<Part> parts) {

    /** The representation of a value on the wire. */
    enum Kind {
        INT64("int64", "0"),
        INT32("int32", "0"),
        /** A boolean, 0 or 1 in both forms. */
        FLAG("int32", "false"),
        DOUBLE("number", "0"),
        TEXT("text", "\"\""),
        DISTRIBUTION("distribution", "Distribution.empty()"),
        PARTS("parts", "ConnectionParts.empty()"),
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
     * A component of the record: a value, or a group of further components.
     *
     * @param group the group's record ({@code ProxyWindow.Outcomes}); empty: a value
     * @param members of the group
     */
    record Component(String name, String group, List<Component> members) {}

    /**
     * One field with its component.
     *
     * @param path accessors of the groups around the component, each with a dot
     *     ({@code outcomes().}); empty: a component of the record itself
     * @param type of one value in Java
     * @param wrapper the record around a list, such as {@code TimesGrid}; empty: none
     * @param unwrap its accessor with dot and brackets; empty: none
     */
    record Part(Field field, String path, Kind kind, String type, String wrapper, String unwrap) {

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
            return object + "." + path + component() + "()" + unwrap;
        }

        String wrapped(String list) {
            return wrapper.isEmpty() ? list : "new " + wrapper + "(" + list + ")";
        }
    }

    /** Arguments of the record's constructor, one on each line. */
    String arguments(Function<Part, String> argument) {
        return arguments(components, argument);
    }

    private String arguments(List<Component> of, Function<Part, String> argument) {
        return of.stream()
                .map(component -> component.group().isEmpty()
                        ? argument.apply(part(component.name()))
                        : "new " + component.group() + "("
                                + arguments(component.members(), argument) + ")")
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
