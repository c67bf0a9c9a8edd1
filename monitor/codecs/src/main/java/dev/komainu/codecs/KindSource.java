package dev.komainu.codecs;

import dev.komainu.codecs.ProtoFile.Field;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The classes {@code KindFields} and {@code KindJson}: the choice between the kinds of records. */
final class KindSource {

    private final List<Field> kinds;
    private final Map<String, Binding> all;

    KindSource(List<Field> kinds, Map<String, Binding> all) {
        this.kinds = kinds;
        this.all = all;
    }

    private String cases(Function<Field, String> line) {
        return kinds.stream()
                .map(kind -> "            case " + line.apply(kind) + ";\n")
                .collect(Collectors.joining());
    }

    private String type(Field kind) {
        return Objects.requireNonNull(all.get(kind.type())).type();
    }

    String fields() {
        return String.format(
                Locale.ROOT,
                """
                final class KindFields {

                    private KindFields() {}

                    static void write(TelemetryRecord record, FieldWriter out) throws IOException {
                        switch (record) {
                %s        }
                    }

                    /** The record in the field where the reader stands; null: of an unknown kind. */
                    static @Nullable TelemetryRecord read(FieldReader in) throws MalformedBatchException {
                        return switch (in.field()) {
                %s            default -> null;
                        };
                    }
                }
                """,
                cases(kind -> String.format(
                        Locale.ROOT,
                        "%s it -> out.message(%d, it, %sFields::write)",
                        type(kind),
                        kind.number(),
                        kind.type())),
                cases(kind -> String.format(
                        Locale.ROOT,
                        "%d -> in.message(\"%s\", %sFields::read)",
                        kind.number(),
                        kind.component(),
                        kind.type())));
    }

    String json() {
        return String.format(
                Locale.ROOT,
                """
                final class KindJson {

                    private KindJson() {}

                    static String type(TelemetryRecord record) {
                        return switch (record) {
                %s        };
                    }

                    static void write(TelemetryRecord record, JsonObjectWriter out) {
                        switch (record) {
                %s        }
                    }

                    static TelemetryRecord read(JsonObjectReader in) throws MalformedBatchException {
                        return switch (in.text("type")) {
                %s            default -> throw in.notOneOf("type", "%s");
                        };
                    }
                }
                """,
                cases(kind -> type(kind) + " it -> \"" + kind.component() + "\""),
                cases(kind -> type(kind) + " it -> " + kind.type() + "Json.write(it, out)"),
                cases(kind -> "\"" + kind.component() + "\" -> " + kind.type() + "Json.read(in)"),
                kinds.stream().map(Field::component).collect(Collectors.joining(", ")));
    }
}
