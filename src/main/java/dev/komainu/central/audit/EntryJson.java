package dev.komainu.central.audit;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** An entry as one JSON object: a line of the export, and a part of the webhook's body. Pure. */
public final class EntryJson {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private EntryJson() {}

    /** Returns the fields in the order of the columns. */
    public static Map<String, @Nullable Object> fields(AuditEntry entry) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("sequence", entry.sequence());
        fields.put("at", entry.at().toString());
        fields.put("actor", entry.actor());
        fields.put("action", entry.action());
        fields.put("subject", entry.subject());
        fields.put("outcome", entry.outcome());
        fields.put("attempts", entry.attempts());
        fields.put("address", entry.address());
        fields.put("agent", entry.agent());
        fields.put("before", entry.before());
        fields.put("after", entry.after());
        fields.put("hash", entry.hash());
        return fields;
    }

    /** Returns the entry as a line without its end. */
    public static String line(AuditEntry entry) {
        return JSON.writeValueAsString(fields(entry));
    }

    /** Returns the entry in a line; empty when the line has another form. */
    public static Optional<AuditEntry> of(String line) {
        try {
            JsonNode fields = JSON.readTree(line);
            if (!fields.path("sequence").isIntegralNumber()
                    || !fields.path("attempts").canConvertToInt()) {
                return Optional.empty();
            }
            return Optional.of(new AuditEntry(
                    fields.path("sequence").asLong(),
                    Instant.parse(fields.path("at").asString("")),
                    fields.path("actor").asString(""),
                    fields.path("action").asString(""),
                    text(fields, "subject"),
                    fields.path("outcome").asString(""),
                    fields.path("attempts").asInt(),
                    text(fields, "address"),
                    text(fields, "agent"),
                    text(fields, "before"),
                    text(fields, "after"),
                    fields.path("hash").asString("")));
        } catch (JacksonException | DateTimeException e) {
            return Optional.empty();
        }
    }

    private static @Nullable String text(JsonNode fields, String name) {
        JsonNode value = fields.path(name);
        return value.isNull() || value.isMissingNode() ? null : value.asString("");
    }
}
