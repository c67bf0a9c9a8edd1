package dev.komainu.telemetry.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumDescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumValueDescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.OneofDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Message;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A .proto text, read for protobuf's own reader. */
final class ProtoText {

    private static final Pattern FIELD =
            Pattern.compile("(optional |repeated )?(\\w+) (\\w+) = (\\d+);");

    private ProtoText() {}

    /** The format of today. */
    static FileDescriptor current() throws IOException, DescriptorValidationException {
        return of(Files.readString(
                Path.of("../codecs/src/main/resources/dev/komainu/codecs/telemetry.proto")));
    }

    /** Reads as much of the proto3 language as the format uses, without its options. */
    static FileDescriptor of(String text) throws DescriptorValidationException {
        FileDescriptorProto.Builder file =
                FileDescriptorProto.newBuilder().setName("wire.proto").setSyntax("proto3");
        DescriptorProto.Builder message = null;
        EnumDescriptorProto.Builder constants = null;
        boolean oneof = false;
        Set<String> enums = new HashSet<>();
        Matcher names = Pattern.compile("enum (\\w+)").matcher(text);
        while (names.find()) {
            enums.add(names.group(1));
        }
        String plain = text.replaceAll("//.*", "")
                .replaceAll("(?s)\nextend .*?\n}", "")
                .replaceAll(" \\[.*]|import .*|option \\(.*", "");
        for (String raw : plain.split("\n")) {
            String line = raw.strip();
            Matcher field = FIELD.matcher(line);
            if (line.startsWith("message ")) {
                message = file.addMessageTypeBuilder().setName(line.split(" ")[1]);
            } else if (line.startsWith("enum ")) {
                constants = file.addEnumTypeBuilder().setName(line.split(" ")[1]);
            } else if (line.startsWith("oneof ")) {
                message.addOneofDecl(OneofDescriptorProto.newBuilder().setName(line.split(" ")[1]));
                oneof = true;
            } else if (line.equals("}")) {
                if (oneof) {
                    oneof = false;
                } else {
                    constants = null;
                }
            } else if (constants != null && line.contains(" = ")) {
                String[] parts = line.replace(";", "").split(" = ");
                constants.addValue(EnumValueDescriptorProto.newBuilder()
                        .setName(constants.getName() + "_" + parts[0])
                        .setNumber(Integer.parseInt(parts[1])));
            } else if (field.matches()) {
                message.addField(field(field, message, oneof, enums));
            } else {
                assertThat(line).matches("|syntax = \"proto3\";");
            }
        }
        return FileDescriptor.buildFrom(file.build(), new FileDescriptor[0]);
    }

    private static FieldDescriptorProto.Builder field(
            Matcher line, DescriptorProto.Builder message, boolean oneof, Set<String> enums) {
        String type = line.group(2);
        FieldDescriptorProto.Builder field = FieldDescriptorProto.newBuilder()
                .setName(line.group(3))
                .setNumber(Integer.parseInt(line.group(4)))
                .setLabel(
                        "repeated ".equals(line.group(1))
                                ? FieldDescriptorProto.Label.LABEL_REPEATED
                                : FieldDescriptorProto.Label.LABEL_OPTIONAL);
        switch (type) {
            case "string" -> field.setType(FieldDescriptorProto.Type.TYPE_STRING);
            case "bytes" -> field.setType(FieldDescriptorProto.Type.TYPE_BYTES);
            case "int32" -> field.setType(FieldDescriptorProto.Type.TYPE_INT32);
            case "int64" -> field.setType(FieldDescriptorProto.Type.TYPE_INT64);
            case "double" -> field.setType(FieldDescriptorProto.Type.TYPE_DOUBLE);
            default ->
                field.setTypeName("." + type)
                        .setType(
                                enums.contains(type)
                                        ? FieldDescriptorProto.Type.TYPE_ENUM
                                        : FieldDescriptorProto.Type.TYPE_MESSAGE);
        }
        if (oneof) {
            field.setOneofIndex(message.getOneofDeclCount() - 1);
        } else if ("optional ".equals(line.group(1))) {
            // What protoc does for proto3's optional: a oneof of its own, made up.
            message.addOneofDecl(OneofDescriptorProto.newBuilder().setName("_" + line.group(3)));
            field.setOneofIndex(message.getOneofDeclCount() - 1).setProto3Optional(true);
        }
        return field;
    }

    /**
     * Asserts that all of a message is told in its .proto text, and adds its fields and constants
     * to {@code seen}.
     */
    static void assertKnown(Message message, Set<String> seen) {
        assertThat(message.getUnknownFields().asMap())
                .as(
                        "fields the .proto text does not tell in %s",
                        message.getDescriptorForType().getName())
                .isEmpty();
        for (Map.Entry<FieldDescriptor, Object> entry : message.getAllFields().entrySet()) {
            seen.add(entry.getKey().getFullName());
            List<?> values =
                    entry.getValue() instanceof List<?> list ? list : List.of(entry.getValue());
            for (Object value : values) {
                if (value instanceof Message inner) {
                    assertKnown(inner, seen);
                } else if (value instanceof EnumValueDescriptor constant) {
                    seen.add(constant.getFullName());
                }
            }
        }
    }

    /**
     * Lists the fields of all messages by name, each with its number and type, and the constants
     * except 0, which is never written.
     */
    static Map<String, String> names(FileDescriptor file) {
        Map<String, String> names = new TreeMap<>();
        for (Descriptor message : file.getMessageTypes()) {
            for (FieldDescriptor field : message.getFields()) {
                names.put(
                        field.getFullName(),
                        field.getNumber() + " " + field.getType()
                                + (field.isRepeated() ? " repeated" : ""));
            }
        }
        for (EnumDescriptor constants : file.getEnumTypes()) {
            for (EnumValueDescriptor constant : constants.getValues()) {
                if (constant.getNumber() != 0) {
                    names.put(constant.getFullName(), String.valueOf(constant.getNumber()));
                }
            }
        }
        return names;
    }
}
