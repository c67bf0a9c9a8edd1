package dev.komainu.central;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The rights stated by an OpenAPI document: {@code security} of each operation, {@code x-scopes}
 * and {@code x-roles}. It uses none of the service's own classes, so that a fault there is not
 * repeated here.
 */
public final class ContractRoles {

    /**
     * A kind of caller.
     *
     * @param scheme security scheme of its authentication; null without authentication
     */
    public record Caller(String name, @Nullable String scheme, Set<String> scopes) {}

    private final JsonNode contract;

    public ContractRoles(JsonNode contract) {
        this.contract = contract;
    }

    /** Returns all scopes. */
    public Set<String> scopes() {
        return Set.copyOf(contract.at("/components/x-scopes").propertyNames());
    }

    /** Returns all roles with their scopes. */
    public Map<String, Set<String>> roles() {
        Map<String, Set<String>> roles = new LinkedHashMap<>();
        contract.at("/components/x-roles")
                .properties()
                .forEach(role -> roles.put(role.getKey(), texts(role.getValue())));
        return roles;
    }

    /**
     * Reports whether the operation accepts this caller.
     *
     * @throws IllegalStateException when the operation has no security, or names an undeclared
     *     scheme or scope
     */
    public boolean accepts(String method, String path, Caller caller) {
        String operation = method + " " + path;
        JsonNode security = contract.path("paths")
                .path(path)
                .path(method.toLowerCase(Locale.ROOT))
                .path("security");
        if (!security.isArray()) {
            throw new IllegalStateException(operation + ": security is absent (expected: a list)");
        }
        boolean accepted = security.isEmpty();
        for (JsonNode alternative : security) {
            if (alternative.size() != 1) {
                throw new IllegalStateException(
                        operation + ": " + alternative + " (expected: one scheme)");
            }
            String scheme = alternative.propertyNames().iterator().next();
            Set<String> needed = texts(alternative.get(scheme));
            if (!contract.at("/components/securitySchemes").has(scheme)
                    || !scopes().containsAll(needed)) {
                throw new IllegalStateException(
                        operation + ": " + alternative + " is not declared");
            }
            accepted |= scheme.equals(caller.scheme()) && caller.scopes().containsAll(needed);
        }
        return accepted;
    }

    private static Set<String> texts(JsonNode list) {
        Set<String> texts = new LinkedHashSet<>();
        list.forEach(text -> texts.add(text.asString()));
        return texts;
    }
}
