package dev.komainu.codecs;

import dev.komainu.codecs.Binding.Kind;
import dev.komainu.codecs.Binding.Part;
import dev.komainu.codecs.ProtoFile.Field;
import dev.komainu.codecs.ProtoFile.Message;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.RecordComponentElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.Elements;
import org.jspecify.annotations.Nullable;

/**
 * Finds the record of each message and the component of each field.
 *
 * <p>Message {@code X} of the {@code oneof} or without a user is the record {@code X} or
 * {@code XRecord}; other messages and enums are the types of the components that use them. The
 * components of a {@code @FieldGroup} are fields of the message around it.
 */
final class Bindings {

    static final String RECORDS = "dev.komainu.telemetry.record.";

    /** Messages without a generated codec. */
    private static final Set<String> BY_HAND = Set.of("Batch", "Record", "Endpoint");

    private final ProtoFile proto;
    private final Elements elements;
    private final Map<String, Binding> bound = new LinkedHashMap<>();

    private Bindings(ProtoFile proto, Elements elements) {
        this.proto = proto;
        this.elements = elements;
    }

    /**
     * The messages by name.
     *
     * @throws IllegalArgumentException when a message and its record differ; names both
     */
    static Map<String, Binding> of(ProtoFile proto, Elements elements) {
        Bindings bindings = new Bindings(proto, elements);
        List<String> roots = new ArrayList<>();
        proto.kinds().forEach(field -> roots.add(field.type()));
        roots.addAll(proto.messages().keySet());
        for (String name : roots) {
            if (!BY_HAND.contains(name) && !bindings.bound.containsKey(name)) {
                bindings.bind(name, bindings.recordOf(name));
            }
        }
        return bindings.bound;
    }

    private TypeElement recordOf(String message) {
        for (String name : List.of(RECORDS + message, RECORDS + message + "Record")) {
            TypeElement type = elements.getTypeElement(name);
            if (type != null && type.getKind() == ElementKind.RECORD) {
                return type;
            }
        }
        throw new IllegalArgumentException(
                "message " + message + ": no record " + message + " or " + message + "Record");
    }

    private void bind(String name, TypeElement type) {
        Message message = Objects.requireNonNull(proto.messages().get(name), name);
        Binding before = bound.get(name);
        if (before != null) {
            expect(before.type().equals(nameOf(type)), "message " + name, before.type(), type);
            return;
        }
        Map<String, Value> values = new LinkedHashMap<>();
        List<Binding.Component> components = components(name, type, "", values);
        List<Part> parts = new ArrayList<>();
        for (Field field : message.fields()) {
            String place = name + "." + field.name();
            Value value = values.get(field.component());
            if (value == null) {
                throw mismatch(place, "a component " + field.component(), type);
            }
            parts.add(part(place, field, value, type));
        }
        for (String component : values.keySet()) {
            expect(
                    parts.stream().anyMatch(part -> part.component().equals(component)),
                    "message " + name,
                    "no component " + component,
                    type);
        }
        bound.put(name, new Binding(name, nameOf(type), message.strict(), components, parts));
    }

    /**
     * The components of a record and of its groups.
     *
     * @param path accessors that lead to the record from the one of the message
     * @param values receives every component that is no group, by name
     */
    private static List<Binding.Component> components(
            String message, TypeElement record, String path, Map<String, Value> values) {
        List<Binding.Component> components = new ArrayList<>();
        for (RecordComponentElement component : record.getRecordComponents()) {
            String name = component.getSimpleName().toString();
            if (elementOf(component.asType()) instanceof TypeElement group && isGroup(group)) {
                expect(
                        !isNullable(component.asType()),
                        "message " + message,
                        "a group " + name + " that is not @Nullable",
                        record);
                components.add(new Binding.Component(
                        name,
                        nameOf(group),
                        components(message, group, path + name + "().", values)));
            } else {
                expect(
                        values.put(name, new Value(component.asType(), path)) == null,
                        "message " + message,
                        "one component " + name,
                        record);
                components.add(new Binding.Component(name, "", List.of()));
            }
        }
        return components;
    }

    /** A component that is no group, with the accessors of the groups around it. */
    private record Value(TypeMirror type, String path) {}

    private static boolean isGroup(TypeElement type) {
        return type.getKind() == ElementKind.RECORD
                && type.getAnnotationMirrors().stream()
                        .anyMatch(one ->
                                qualified(one.getAnnotationType()).equals(RECORDS + "FieldGroup"));
    }

    private static boolean isNullable(TypeMirror type) {
        return type.getAnnotationMirrors().stream()
                .anyMatch(one -> one.getAnnotationType()
                        .asElement()
                        .getSimpleName()
                        .contentEquals("Nullable"));
    }

    private Part part(String place, Field field, Value value, TypeElement record) {
        TypeMirror type = value.type();
        expect(isNullable(type) == field.optional(), place, "optional = @Nullable", record);
        String wrapper = "";
        String unwrap = "";
        if (field.repeated()) {
            if (elementOf(type) instanceof TypeElement inner
                    && inner.getKind() == ElementKind.RECORD
                    && inner.getRecordComponents().size() == 1) {
                RecordComponentElement list = inner.getRecordComponents().getFirst();
                wrapper = nameOf(inner);
                unwrap = "." + list.getSimpleName() + "()";
                type = list.asType();
            }
            expect(qualified(type).equals("java.util.List"), place, "a List", record);
            type = ((DeclaredType) type).getTypeArguments().getFirst();
        }
        return new Part(
                field,
                value.path(),
                kind(place, field, type, record),
                nameOf(type),
                wrapper,
                unwrap);
    }

    private Kind kind(String place, Field field, TypeMirror type, TypeElement record) {
        String java = qualified(type);
        List<String> constants = proto.constants(field);
        if (!constants.isEmpty()) {
            expect(constantsOf(type).equals(constants), place, "an enum of " + constants, record);
            return Kind.CONSTANT;
        }
        if (proto.messages().containsKey(field.type()) && !field.type().equals("Endpoint")) {
            if (!(elementOf(type) instanceof TypeElement inner)
                    || inner.getKind() != ElementKind.RECORD) {
                throw mismatch(place, "a record", record);
            }
            bind(field.type(), inner);
            return Kind.MESSAGE;
        }
        return switch (field.type() + " " + java) {
            case "int64 long", "int64 java.lang.Long" -> Kind.INT64;
            case "int32 int", "int32 java.lang.Integer" -> Kind.INT32;
            case "int32 boolean" -> Kind.FLAG;
            case "double double", "double java.lang.Double" -> Kind.DOUBLE;
            case "string java.lang.String" -> Kind.TEXT;
            case "Endpoint " + RECORDS + "Endpoint" -> Kind.ENDPOINT;
            case "bytes " + RECORDS + "Distribution" -> Kind.DISTRIBUTION;
            case "bytes " + RECORDS + "ConnectionParts" -> Kind.PARTS;
            default -> throw mismatch(place, field.type() + " instead of " + java, record);
        };
    }

    private static List<String> constantsOf(TypeMirror type) {
        Element element = elementOf(type);
        return element == null
                ? List.of()
                : element.getEnclosedElements().stream()
                        .filter(one -> one.getKind() == ElementKind.ENUM_CONSTANT)
                        .map(one -> one.getSimpleName().toString())
                        .toList();
    }

    private static void expect(boolean fits, String place, String expected, TypeElement record) {
        if (!fits) {
            throw mismatch(place, expected, record);
        }
    }

    private static IllegalArgumentException mismatch(
            String place, String expected, TypeElement record) {
        return new IllegalArgumentException(place + " does not fit the record " + nameOf(record)
                + " (expected: " + expected + ")");
    }

    private static @Nullable Element elementOf(TypeMirror type) {
        return type instanceof DeclaredType declared ? declared.asElement() : null;
    }

    private static String qualified(TypeMirror type) {
        return elementOf(type) instanceof TypeElement element
                ? element.getQualifiedName().toString()
                : type.toString();
    }

    private static String nameOf(TypeMirror type) {
        return elementOf(type) instanceof TypeElement element ? nameOf(element) : type.toString();
    }

    static String nameOf(TypeElement type) {
        String name = type.getQualifiedName().toString();
        return name.replace(RECORDS, "").replace("java.lang.", "");
    }
}
