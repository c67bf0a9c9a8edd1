package dev.komainu.codecs;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Messages and enums of a .proto file, with as much of the proto3 language as
 * {@code telemetry.proto} uses.
 *
 * @param messages by name, in the order of the file
 * @param enums the Java constants of each enum by its name, from number 1
 */
record ProtoFile(Map<String, Message> messages, Map<String, List<String>> enums) {

    /**
     * @param strict an unknown field makes the message malformed
     * @param fields in the order of the file
     */
    record Message(String name, boolean strict, List<Field> fields) {}

    /**
     * @param label "optional", "repeated" or empty
     * @param options by name without brackets
     */
    record Field(String label, String type, String name, int number, Map<String, String> options) {

        boolean optional() {
            return label.equals("optional");
        }

        boolean repeated() {
            return label.equals("repeated");
        }

        boolean has(String option) {
            return options.containsKey(option);
        }

        String option(String name) {
            return options.getOrDefault(name, "");
        }

        /** The name in Java. */
        String component() {
            return camelCase(name);
        }
    }

    /** The kinds of records: the fields of the message {@code Record}. */
    List<Field> kinds() {
        Message record = messages.get("Record");
        return record == null ? List.of() : record.fields;
    }

    /** The Java constants of the field's enum; empty: it is no enum. */
    List<String> constants(Field field) {
        return enums.getOrDefault(field.type, List.of());
    }

    static String camelCase(String name) {
        StringBuilder camel = new StringBuilder();
        for (String word : name.split("_")) {
            camel.append(camel.isEmpty() ? word : capitalised(word));
        }
        return camel.toString();
    }

    static String capitalised(String word) {
        return Character.toUpperCase(word.charAt(0)) + word.substring(1);
    }

    /** @throws IllegalArgumentException with line, found and expected token */
    static ProtoFile parse(String text) {
        ProtoTokens in = new ProtoTokens(text);
        ProtoFile file = new ProtoFile(new LinkedHashMap<>(), new LinkedHashMap<>());
        while (!in.atEnd()) {
            String token = in.next();
            switch (token) {
                case "syntax", "import" -> in.skipPast(";");
                case "extend" -> in.skipPast("}");
                case "message" -> {
                    Message message = message(in);
                    file.messages.put(message.name, message);
                }
                case "enum" -> file.enums.put(in.next(), constants(in));
                default -> throw in.unexpected(token, "message or enum");
            }
        }
        return file;
    }

    private static Message message(ProtoTokens in) {
        String name = in.next();
        boolean strict = false;
        List<Field> fields = new ArrayList<>();
        in.expect("{");
        while (!in.found("}")) {
            if (in.found("option")) {
                strict |= option(in).equals(Map.entry("strict", "true"));
                in.expect(";");
            } else if (in.found("oneof")) {
                in.next();
                in.expect("{");
                while (!in.found("}")) {
                    fields.add(field(in));
                }
            } else {
                fields.add(field(in));
            }
        }
        Set<Integer> numbers = new HashSet<>();
        for (Field field : fields) {
            if (!numbers.add(field.number)) {
                throw new IllegalArgumentException(
                        "message " + name + " has number " + field.number + " twice");
            }
        }
        return new Message(name, strict, fields);
    }

    private static Field field(ProtoTokens in) {
        String label = in.found("optional") ? "optional" : in.found("repeated") ? "repeated" : "";
        String type = in.next();
        String name = in.next();
        in.expect("=");
        return new Field(label, type, name, in.number(), options(in));
    }

    private static List<String> constants(ProtoTokens in) {
        List<String> constants = new ArrayList<>();
        in.expect("{");
        for (int number = 0; !in.found("}"); number++) {
            String name = in.next();
            in.expect("=");
            in.expect(String.valueOf(number));
            String constant = options(in).getOrDefault("java_name", name);
            if (number > 0) {
                constants.add(constant);
            }
        }
        return constants;
    }

    /** Options in brackets, if any, and the semicolon. */
    private static Map<String, String> options(ProtoTokens in) {
        Map<String, String> options = new LinkedHashMap<>();
        if (in.found("[")) {
            do {
                Map.Entry<String, String> option = option(in);
                options.put(option.getKey(), option.getValue());
            } while (in.found(","));
            in.expect("]");
        }
        in.expect(";");
        return options;
    }

    private static Map.Entry<String, String> option(ProtoTokens in) {
        boolean custom = in.found("(");
        String name = in.next();
        if (custom) {
            in.expect(")");
        }
        in.expect("=");
        return Map.entry(name, in.next());
    }
}
