package dev.komainu.codecs;

import dev.komainu.codecs.Binding.Kind;
import dev.komainu.codecs.Binding.Part;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The class {@code MESSAGEFields}: reads and writes the binary form of one message. */
final class FieldsSource {

    private FieldsSource() {}

    /** @param absent whether a record needs a value for an absent message of this kind */
    static String of(Binding binding, boolean absent) {
        List<Part> byNumber = binding.parts().stream()
                .sorted(Comparator.comparing(part -> part.field().number()))
                .toList();
        return String.format(
                Locale.ROOT,
                """
                final class %1$sFields {
                %2$s
                    private %1$sFields() {}

                    static void write(%3$s it, FieldWriter out) throws IOException {
                %4$s    }

                    static %3$s read(FieldReader in) throws MalformedBatchException {
                %5$s        while (in.next()) {
                            switch (in.field()) {
                %6$s                default -> %7$s
                            }
                        }
                        return new %3$s(%8$s);
                    }
                }
                """,
                binding.message(),
                absent
                        ? String.format(
                                Locale.ROOT,
                                "\n    static final %1$s ABSENT = new %1$s(%2$s);\n",
                                binding.type(),
                                binding.arguments(part -> part.wrapped(
                                        part.field().repeated() ? "List.of()" : initial(part))))
                        : "",
                binding.type(),
                lines(byNumber, FieldsSource::write),
                lines(byNumber, FieldsSource::local),
                lines(byNumber, FieldsSource::read),
                binding.strict()
                        ? "throw in.unknown(" + byNumber.getLast().field().number() + ");"
                        : "in.skip();",
                binding.arguments(FieldsSource::argument));
    }

    private static String lines(List<Part> parts, Function<Part, String> line) {
        return parts.stream().map(part -> line.apply(part) + "\n").collect(Collectors.joining());
    }

    private static String write(Part part) {
        String value = part.accessor("it");
        return "        out."
                + part.kind().method
                + (part.field().optional() ? "OrAbsent" : part.field().repeated() ? "s" : "")
                + "("
                + part.field().number()
                + ", "
                + switch (part.kind()) {
                    case FLAG -> value + " ? 1 : 0";
                    // The enum's zero stays free for "unspecified", as proto3 requires.
                    case CONSTANT -> value + ".ordinal() + 1";
                    case ENDPOINT, MESSAGE -> value + ", " + part.field().type() + "Fields::write";
                    default -> value;
                }
                + ");";
    }

    private static String local(Part part) {
        String type = part.field().repeated()
                ? "List<" + part.type() + ">"
                : part.kind() == Kind.CONSTANT ? "int" : part.type();
        return "        " + type + " " + part.component() + " = " + initial(part) + ";";
    }

    private static String initial(Part part) {
        if (part.field().repeated()) {
            return "FieldReader.list()";
        }
        if (part.field().optional()) {
            return "null";
        }
        return part.kind() == Kind.MESSAGE
                ? part.field().type() + "Fields.ABSENT"
                : part.kind().absent;
    }

    private static String read(Part part) {
        String name = part.component();
        boolean repeated = part.field().repeated();
        String value = switch (part.kind()) {
            case FLAG -> "in.int64() != 0";
            case ENDPOINT, MESSAGE ->
                String.format(
                        Locale.ROOT,
                        "in.message%s(\"%s\", %s%sFields::read)",
                        repeated ? "s" : "",
                        name,
                        repeated ? name + ", " : "",
                        part.field().type());
            default -> "in." + part.kind().method + (repeated ? "s(" + name + ")" : "()");
        };
        return "                case " + part.field().number() + " -> "
                + (repeated ? "" : name + " = ") + value + ";";
    }

    private static String argument(Part part) {
        String name = part.component();
        return switch (part.kind()) {
            case CONSTANT -> "EnumNumbers.of(" + part.type() + ".values(), " + name + ")";
            case ENDPOINT ->
                part.field().label().isEmpty()
                        ? "in.require(" + name + ", \"" + name + "\")"
                        : name;
            default -> part.wrapped(name);
        };
    }
}
