package dev.komainu.telemetry.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumDescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumValueDescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.OneofDescriptorProto;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import dev.komainu.telemetry.record.Batch;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The .proto text on the format's page is true: protobuf's own reader, built from it, understands what we write. */
class ProtoTextTest {

    private static final Path PAGE = Path.of("../../docs/formats/telemetry-wire.md");
    private static final Pattern FIELD = Pattern.compile("(optional |repeated )?(\\w+) (\\w+) = (\\d+);(?: //.*)?");

    @Test
    void dynamicMessages_builtFromThePage_readEveryRecordAndWriteItBack() throws Exception {
        FileDescriptor file = descriptor(Files.readString(PAGE));
        Set<String> seen = new HashSet<>();
        for (long seed = 0; seed < 200; seed++) {
            Batch batch = new AnyRecord(seed).batch(10);

            DynamicMessage message =
                    DynamicMessage.parseFrom(file.findMessageTypeByName("Batch"), BatchCodec.encodePlain(batch));

            assertKnown(message, seen);
            assertThat(BatchCodec.decodePlain(message.toByteArray()).batch()).isEqualTo(batch);
        }
        Set<String> documented = new HashSet<>();
        file.getMessageTypes().forEach(type -> type.getFields().forEach(field -> documented.add(field.getFullName())));
        assertThat(seen).as("each documented field is written").containsExactlyInAnyOrderElementsOf(documented);
    }

    private static void assertKnown(Message message, Set<String> seen) {
        assertThat(message.getUnknownFields().asMap())
                .as(
                        "fields the page does not tell in %s",
                        message.getDescriptorForType().getName())
                .isEmpty();
        for (Map.Entry<FieldDescriptor, Object> entry : message.getAllFields().entrySet()) {
            seen.add(entry.getKey().getFullName());
            List<?> values = entry.getValue() instanceof List<?> list ? list : List.of(entry.getValue());
            for (Object value : values) {
                if (value instanceof Message inner) {
                    assertKnown(inner, seen);
                }
            }
        }
    }

    /** Reads as much of the proto3 language as the page uses. */
    private static FileDescriptor descriptor(String page) throws Exception {
        String text =
                page.substring(page.indexOf("```proto\n") + 9, page.indexOf("```", page.indexOf("```proto\n") + 9));
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
        for (String raw : text.split("\n")) {
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
                assertThat(line).matches("|//.*|syntax = \"proto3\";");
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
}
