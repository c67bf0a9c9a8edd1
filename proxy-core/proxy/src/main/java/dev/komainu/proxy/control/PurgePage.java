package dev.komainu.proxy.control;

import dev.komainu.intermediary.purge.PurgeOrder;
import dev.komainu.intermediary.purge.PurgePropagation;
import dev.komainu.proxy.purge.PurgeReport;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** A purge order and its result as JSON; see {@code docs/formats/proxy-control.md}. */
final class PurgePage {

    private static final Set<String> TARGETS =
            new TreeSet<>(Set.of("url", "prefix", "tags", "all"));
    private static final Set<String> MEMBERS =
            new TreeSet<>(Set.of("url", "prefix", "tags", "all", "soft", "dryRun"));

    /** Rejects duplicate names, which would be ambiguous. */
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private PurgePage() {}

    /**
     * Parses an order.
     *
     * @throws IllegalArgumentException with the member, its value and the expected one
     */
    static PurgeOrder read(String body) {
        Map<String, @Nullable Object> members = members(body);
        for (String name : members.keySet()) {
            if (!MEMBERS.contains(name)) {
                throw new IllegalArgumentException(
                        name + ": unknown (expected: one of " + MEMBERS + ")");
            }
        }
        List<String> named = TARGETS.stream().filter(members::containsKey).toList();
        if (named.size() != 1) {
            throw new IllegalArgumentException(
                    "order: has " + named + " (expected: exactly one of " + TARGETS + ")");
        }
        return new PurgeOrder(
                target(members, named.getFirst()),
                truth(members, "soft"),
                truth(members, "dryRun"));
    }

    /**
     * Parses a JSON object.
     *
     * @throws IllegalArgumentException when the body is not a JSON object
     */
    static Map<String, @Nullable Object> members(String body) {
        try {
            if (JSON.readValue(body, Object.class) instanceof Map<?, ?> map) {
                Map<String, @Nullable Object> members = new LinkedHashMap<>();
                map.forEach((name, value) -> members.put(String.valueOf(name), value));
                return members;
            }
        } catch (JacksonException e) {
            throw new IllegalArgumentException(
                    "body: " + e.getOriginalMessage() + " (expected: a JSON object)", e);
        }
        throw new IllegalArgumentException("body: not an object (expected: a JSON object)");
    }

    private static PurgeOrder.Target target(Map<String, @Nullable Object> members, String name) {
        return switch (name) {
            case "url" -> PurgeOrder.url(text(name, members.get(name)));
            case "prefix" -> PurgeOrder.prefix(text(name, members.get(name)));
            case "tags" -> PurgeOrder.tags(texts(name, members.get(name)));
            default -> {
                if (!truth(members, name)) {
                    throw new IllegalArgumentException("all: false (expected: true)");
                }
                yield PurgeOrder.everything();
            }
        };
    }

    private static boolean truth(Map<String, @Nullable Object> members, String name) {
        Object value = members.get(name);
        if (value instanceof Boolean truth) {
            return truth;
        }
        if (members.containsKey(name)) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: true or false)");
        }
        return false;
    }

    private static String text(String name, @Nullable Object value) {
        if (value instanceof String text) {
            return text;
        }
        throw new IllegalArgumentException(name + ": " + value + " (expected: a string)");
    }

    private static List<String> texts(String name, @Nullable Object value) {
        if (!(value instanceof List<?> list)) {
            throw new IllegalArgumentException(
                    name + ": " + value + " (expected: a list of strings)");
        }
        List<String> texts = new ArrayList<>();
        for (Object member : list) {
            texts.add(text(name, member));
        }
        return texts;
    }

    static Map<String, Object> of(
            PurgeOrder order,
            PurgeReport report,
            UrlQueries queries,
            PurgePropagation.@Nullable Acknowledgements elsewhere) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("matched", report.matched());
        members.put("bytes", report.bytes());
        members.put("purged", report.purged());
        members.put(
                "samples", report.samples().stream().map(queries::of).distinct().toList());
        members.put("dryRun", order.dryRun());
        members.put("soft", order.soft());
        members.put("tookMicros", report.tookMicros());
        if (elsewhere != null) {
            members.put("done", elsewhere.done());
            members.put("missing", elsewhere.missing());
            if (!elsewhere.refused().isEmpty()) {
                Map<String, Object> refused = new LinkedHashMap<>();
                elsewhere.refused().forEach((member, reason) -> refused.put(member, reason.text()));
                members.put("refused", refused);
            }
        }
        return members;
    }
}
