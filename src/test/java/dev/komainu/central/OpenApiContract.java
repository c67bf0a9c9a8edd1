package dev.komainu.central;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * The committed contract, {@code docs/api/openapi.yaml}, as a check of responses: status, content
 * type and every field. Fields that the contract does not name are refused, too.
 */
public final class OpenApiContract {

    /**
     * An operation.
     *
     * @param path with its parameters in braces
     */
    public record Operation(String method, String path) {}

    private static final Set<String> METHODS = Set.of("get", "post", "put", "patch", "delete");
    private static final String LOCATION = "https://komainu.dev/openapi";
    private static final OpenApiContract INSTANCE = new OpenApiContract();

    private final JsonNode contract;
    private final SchemaRegistry registry;
    private final Map<String, Schema> schemas = new ConcurrentHashMap<>();
    private final JsonMapper json = JsonMapper.builder().build();

    private OpenApiContract() {
        try (InputStream file = OpenApiContract.class.getResourceAsStream("/api/openapi.yaml")) {
            contract = YAMLMapper.builder().build().readTree(file);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        ObjectNode closed = closed(contract);
        registry = SchemaRegistry.withDefaultDialect(
                SpecificationVersion.DRAFT_2020_12,
                b -> b.schemas(Map.of(LOCATION, json.writeValueAsString(closed))));
    }

    public static OpenApiContract get() {
        return INSTANCE;
    }

    /** Returns all operations of the file. */
    public List<Operation> operations() {
        List<Operation> operations = new ArrayList<>();
        contract.get("paths")
                .properties()
                .forEach(path -> path.getValue().properties().stream()
                        .filter(entry -> METHODS.contains(entry.getKey()))
                        .forEach(entry -> operations.add(new Operation(
                                entry.getKey().toUpperCase(java.util.Locale.ROOT),
                                path.getKey()))));
        return operations;
    }

    /** Returns the callers, scopes and roles as the file states them. */
    public ContractRoles roles() {
        return new ContractRoles(contract);
    }

    /** Fails the test when the response does not match the contract for this request. */
    public void check(String method, String path, int status, String contentType, String body) {
        String bare = path.replaceFirst("\\?.*", "");
        Operation operation = operations().stream()
                .filter(known -> known.method().equals(method) && matches(known.path(), bare))
                .findFirst()
                .orElse(null);
        String type = contentType.replaceFirst(";.*", "");
        if (status >= 400) {
            assertThat(type)
                    .as("%s %s answers %d: %s", method, path, status, body)
                    .isEqualTo("application/problem+json");
            assertValid("/components/schemas/Problem", method + " " + path, body);
            return;
        }
        assertThat(operation).as("%s %s is in the contract", method, bare).isNotNull();
        String responses = "/paths/" + escaped(operation.path()) + "/"
                + method.toLowerCase(java.util.Locale.ROOT) + "/responses/" + status;
        JsonNode response = contract.at(responses);
        assertThat(response.isMissingNode())
                .as("%s is in the contract", responses)
                .isFalse();
        if (response.has("$ref")) {
            responses = response.get("$ref").asString().substring(1);
            response = contract.at(responses);
        }
        JsonNode content = response.path("content");
        if (content.isMissingNode()) {
            assertThat(body)
                    .as("%s %s answers %d without a body", method, path, status)
                    .isEmpty();
            return;
        }
        assertThat(content.has(type))
                .as("%s of %s is in the contract", type, responses)
                .isTrue();
        if (type.equals("application/json")) {
            assertValid(responses + "/content/application~1json/schema", method + " " + path, body);
        }
    }

    /** Fails the test when the text does not match a schema of {@code components/schemas}. */
    public void checkSchema(String name, String body) {
        assertValid("/components/schemas/" + name, name, body);
    }

    private void assertValid(String pointer, String what, String body) {
        Schema schema = schemas.computeIfAbsent(
                pointer,
                p -> registry.getSchema(SchemaLocation.of(
                        LOCATION + "#" + p.replace("{", "%7B").replace("}", "%7D"))));
        List<Error> errors = schema.validate(
                json.readTree(body),
                context -> context.executionConfig(c -> c.formatAssertionsEnabled(true)));
        assertThat(errors).as("%s against %s: %s", what, pointer, body).isEmpty();
    }

    private static boolean matches(String template, String path) {
        return Pattern.matches(template.replaceAll("\\{[^}]+}", "[^/]+"), path);
    }

    private static String escaped(String path) {
        return path.replace("~", "~0").replace("/", "~1");
    }

    /**
     * Returns a copy whose objects allow no unnamed fields. The parts of {@code allOf} must stay
     * open. So they are taken from a second, open copy of the schemas, and only the combination is
     * closed.
     */
    private static ObjectNode closed(JsonNode contract) {
        ObjectNode copy = (ObjectNode) contract.deepCopy();
        ObjectNode schemas = (ObjectNode) copy.at("/components/schemas");
        ObjectNode open = schemas.deepCopy();
        open.properties()
                .forEach(entry -> schemas.set(entry.getKey() + "__open", entry.getValue()));
        close(copy, true);
        return copy;
    }

    private static void close(JsonNode node, boolean closing) {
        if (node instanceof ObjectNode object) {
            boolean described =
                    object.path("properties").isObject() || object.path("allOf").isArray();
            if (closing && described && !object.has("additionalProperties")) {
                object.put("unevaluatedProperties", false);
            }
            for (Map.Entry<String, JsonNode> child : List.copyOf(object.properties())) {
                if (child.getKey().endsWith("__open")) {
                    closeInside(child.getValue());
                } else if (child.getKey().equals("allOf")) {
                    child.getValue().forEach(OpenApiContract::closeInside);
                } else {
                    close(child.getValue(), true);
                }
            }
        } else {
            node.forEach(child -> close(child, true));
        }
    }

    /** Closes the properties of an object, but not the object itself. */
    private static void closeInside(JsonNode part) {
        if (part instanceof ObjectNode object && object.has("$ref")) {
            object.put("$ref", object.get("$ref").asString() + "__open");
        }
        close(part, false);
    }
}
