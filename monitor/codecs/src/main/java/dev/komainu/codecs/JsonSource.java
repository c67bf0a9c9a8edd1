package dev.komainu.codecs;

import dev.komainu.codecs.Binding.Kind;
import dev.komainu.codecs.Binding.Part;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The class {@code MESSAGEJson}: reads and writes the JSON form of one message. */
final class JsonSource {

    /**
     * Additions to the keys of a flat message.
     *
     * @param prefix before the key, which then begins with a capital letter; may be empty
     * @param suffix behind it; may be empty
     */
    private record Keys(String prefix, String suffix) {

        static final Keys PLAIN = new Keys("", "");

        static Keys of(Part flat) {
            return new Keys(flat.field().option("prefix"), flat.field().option("suffix"));
        }

        String of(String key) {
            return "\""
                    + (prefix.isEmpty() ? key : prefix + ProtoFile.capitalised(key))
                    + suffix
                    + "\"";
        }
    }

    private final Map<String, Binding> all;
    private final StringBuilder lines = new StringBuilder();
    /** Fields of flat messages that are written after a field of the enclosing record. */
    private final Map<String, String> later = new HashMap<>();

    private String margin = "";

    private JsonSource(Map<String, Binding> all) {
        this.all = all;
    }

    static String of(Binding binding, ProtoFile proto, Map<String, Binding> all) {
        JsonSource source = new JsonSource(all);
        source.write(binding);
        return String.format(
                Locale.ROOT,
                """
                final class %1$sJson {
                %5$s
                    private %1$sJson() {}

                    static void write(%2$s it, JsonObjectWriter out) {
                %3$s    }

                    static %2$s read(JsonObjectReader in) throws MalformedBatchException {
                        return %4$s;
                    }
                }
                """,
                binding.message(),
                binding.type(),
                source.lines.toString().indent(8),
                source.record(binding, Keys.PLAIN),
                binding.parts().stream()
                        .filter(part -> part.kind() == Kind.CONSTANT)
                        .map(part -> labelsOf(part, proto.constants(part.field())))
                        .collect(Collectors.joining()));
    }

    private Binding inner(Part part) {
        Binding inner = all.get(part.field().type());
        if (inner == null) {
            throw new IllegalArgumentException("no message " + part.field().type());
        }
        return inner;
    }

    private void write(Binding binding) {
        for (List<Part> group : groups(binding.parts())) {
            Part first = group.getFirst();
            if (first.field().has("derived_before")) {
                String name = first.field().option("derived_before");
                line("out.int64(\"" + name + "\", it." + name + "());");
            }
            if (first.flat()) {
                group.forEach(part -> line(
                        part.type() + " " + part.component() + " = " + part.accessor("it") + ";"));
                writeFlat(group, inner(first));
            } else {
                line(write(first, "it", Keys.PLAIN));
            }
            group.forEach(part -> lines.append(later.getOrDefault(part.component(), "")));
        }
    }

    /** Each part alone, but consecutive flat parts of one type with suffixes together. */
    private static List<List<Part>> groups(List<Part> parts) {
        List<List<Part>> groups = new ArrayList<>();
        for (Part part : parts) {
            if (!groups.isEmpty() && alternate(groups.getLast().getLast(), part)) {
                groups.getLast().add(part);
            } else {
                groups.add(new ArrayList<>(List.of(part)));
            }
        }
        return groups;
    }

    private static boolean alternate(Part one, Part other) {
        return one.field().has("suffix")
                && other.field().has("suffix")
                && one.type().equals(other.type());
    }

    private void writeFlat(List<Part> group, Binding inner) {
        boolean optional = group.getFirst().field().optional();
        if (optional) {
            line("if (" + group.getFirst().component() + " != null) {");
            margin = "    ";
        }
        for (Part field : inner.parts()) {
            for (Part part : group) {
                String statement = write(field, part.component(), Keys.of(part));
                if (field.field().has("after")) {
                    later.put(field.field().option("after"), statement + "\n");
                } else {
                    line(statement);
                }
            }
        }
        margin = "";
        if (optional) {
            line("}");
        }
    }

    private void line(String statement) {
        lines.append(margin).append(statement).append('\n');
    }

    private static String write(Part part, String object, Keys keys) {
        String value = part.accessor(object);
        boolean repeated = part.field().repeated();
        boolean optional = part.field().optional();
        String method = switch (part.kind()) {
            case INT64 -> optional ? "int64OrAbsent" : "int64";
            case INT32 -> optional ? "int32OrAbsent" : "int64";
            case FLAG -> "int64";
            case DOUBLE -> "number";
            case TEXT -> repeated ? "texts" : "text";
            case DISTRIBUTION -> "distribution";
            case PARTS -> "parts";
            case CONSTANT -> "text";
            case ENDPOINT -> repeated ? "endpoints" : "endpoint";
            case MESSAGE -> repeated ? "objects" : "objectOrAbsent";
        };
        String argument = switch (part.kind()) {
            case FLAG -> value + " ? 1 : 0";
            case CONSTANT -> labels(part) + ".get(" + value + ".ordinal())";
            case MESSAGE -> value + ", " + part.field().type() + "Json::write";
            default -> value;
        };
        String statement = "out." + method + "(" + keys.of(part.key()) + ", " + argument + ");";
        return part.field().has("nonzero")
                ? "if (" + value + " != 0) {\n    " + statement + "\n}"
                : statement;
    }

    /** The name of the list of an enum's labels in JSON, such as {@code rst-client}. */
    private static String labels(Part part) {
        return part.field().name().toUpperCase(Locale.ROOT);
    }

    private static String labelsOf(Part part, List<String> constants) {
        return "\n    private static final List<String> " + labels(part) + " = List.of("
                + constants.stream()
                        .map(name -> "\"" + name.toLowerCase(Locale.ROOT).replace('_', '-') + "\"")
                        .collect(Collectors.joining(", "))
                + ");\n";
    }

    private String record(Binding binding, Keys keys) {
        return "new " + binding.type() + "(" + binding.arguments(part -> read(part, keys)) + ")";
    }

    private String read(Part part, Keys keys) {
        return part.flat() ? readFlat(part) : part.wrapped(readValue(part, keys.of(part.key())));
    }

    private static String readValue(Part part, String key) {
        boolean repeated = part.field().repeated();
        String orAbsent = part.field().optional() ? "OrAbsent" : "";
        return switch (part.kind()) {
            case INT64 ->
                part.field().has("required") || part.field().optional()
                        ? "in.int64" + orAbsent + "(" + key + ")"
                        : "in.count(" + key + ")";
            case INT32 ->
                part.field().has("most")
                        ? "in.count32(" + key + ", " + part.field().option("most") + ")"
                        : (part.field().optional() ? "in.int32OrAbsent(" : "in.count32(") + key
                                + ")";
            case FLAG -> "in.count(" + key + ") != 0";
            case DOUBLE -> "in.number" + orAbsent + "(" + key + ")";
            case TEXT -> "in.text" + (repeated ? "s" : orAbsent) + "(" + key + ")";
            case DISTRIBUTION -> "in.distribution(" + key + ")";
            case PARTS -> "in.parts(" + key + ")";
            case CONSTANT ->
                "in.constant(" + key + ", " + part.type() + ".values(), " + labels(part) + ")";
            case ENDPOINT -> "in.endpoint" + (repeated ? "s" : orAbsent) + "(" + key + ")";
            case MESSAGE ->
                "in.object" + (repeated ? "s" : "OrAbsent") + "(" + key + ", "
                        + part.field().type() + "Json::read)";
        };
    }

    private String readFlat(Part part) {
        Binding inner = inner(part);
        Keys keys = Keys.of(part);
        String record = record(inner, keys);
        if (!part.field().optional()) {
            return record;
        }
        Stream<Part> decisive = part.field().has("present_by")
                ? Stream.of(part.field().option("present_by").split(" "))
                        .map(name -> inner.part(ProtoFile.camelCase(name)))
                : inner.parts().stream();
        return decisive.map(one -> "in.has(" + keys.of(one.key()) + ")")
                        .collect(Collectors.joining(" || "))
                + " ? " + record + " : null";
    }

    /** Whether a message has an object of its own in JSON. */
    static boolean isObject(Binding binding, ProtoFile proto, Map<String, Binding> all) {
        return proto.kinds().stream().anyMatch(kind -> kind.type().equals(binding.message()))
                || all.values().stream()
                        .flatMap(other -> other.parts().stream())
                        .anyMatch(part -> part.kind() == Kind.MESSAGE
                                && !part.flat()
                                && part.field().type().equals(binding.message()));
    }
}
