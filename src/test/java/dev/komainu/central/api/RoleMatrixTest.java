package dev.komainu.central.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralClient;
import dev.komainu.central.CentralTest;
import dev.komainu.central.ContractRoles;
import dev.komainu.central.ContractRoles.Caller;
import dev.komainu.central.OpenApiContract;
import dev.komainu.central.OpenApiContract.Operation;
import dev.komainu.central.access.Role;
import dev.komainu.central.access.Scope;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Tests of every operation of the contract by every kind of caller over HTTP. Only
 * {@code openapi.yaml} defines the expected result; the service's own tables of routes, roles and
 * scopes are tested.
 */
class RoleMatrixTest extends CentralTest {

    private static final String NEW_USER = "matrix-one-time";
    private static final String ONE_TIME = "one-time password";

    /** Writes without a body that create a secret, which has no effect until it is confirmed. */
    private static final Set<String> OFFERS = Set.of("POST /api/v1/session/second-factor");

    /** Writes that a session with a one-time password is refused, although it is a session. */
    private static final Set<String> OWN_PASSWORD =
            Set.of("POST /api/v1/session/second-factor", "PUT /api/v1/session/second-factor");

    private static final Operation LOGOUT = new Operation("DELETE", "/api/v1/session");

    private final ContractRoles contract = OpenApiContract.get().roles();

    @Test
    void rolesAndScopes_ofService_standInContract() {
        assertThat(contract.roles().keySet())
                .isEqualTo(
                        Set.copyOf(Arrays.stream(Role.values()).map(Role::text).toList()));
        assertThat(contract.scopes())
                .isEqualTo(Set.copyOf(
                        Arrays.stream(Scope.values()).map(Scope::text).toList()));
    }

    @TestFactory
    Stream<DynamicTest> operations_acceptAndRefuse_asTheContractSays() {
        String oneTimePassword = newUser();
        Map<Caller, CentralClient> callers = callers(oneTimePassword, this::browser);
        return OpenApiContract.get().operations().stream()
                .map(operation ->
                        DynamicTest.dynamicTest(operation.method() + " " + operation.path(), () -> {
                            // This ends the session, so that it must not be one that another test
                            // needs.
                            Map<Caller, CentralClient> asking = operation.equals(LOGOUT)
                                    ? callers(
                                            oneTimePassword,
                                            role -> stranger()
                                                    .login("test-" + role.text(), PASSWORD))
                                    : callers;
                            List<String> wrong = new ArrayList<>();
                            asking.forEach((caller, client) -> {
                                boolean accepted = contract.accepts(
                                        operation.method(), operation.path(), caller);
                                fault(operation, caller, accepted, ask(client, operation))
                                        .ifPresent(
                                                fault -> wrong.add(caller.name() + ": " + fault));
                            });
                            assertThat(wrong).isEmpty();
                        }))
                .onClose(() -> browser(Role.ADMINISTRATOR).delete("/api/v1/users/" + NEW_USER));
    }

    private static Optional<String> fault(
            Operation operation, Caller caller, boolean accepted, CentralClient.Answer answer) {
        int status = answer.status();
        if (!accepted) {
            boolean refused = caller.scheme() == null
                    ? status == 401 && answer.header("WWW-Authenticate").startsWith("Bearer")
                    : status == 403 && answer.problem().equals(reason(caller));
            return refused
                    ? Optional.empty()
                    : Optional.of("answered " + status + ", the contract refuses");
        }
        String named = operation.method() + " " + operation.path();
        if (status == 403
                && caller.name().equals(ONE_TIME)
                && OWN_PASSWORD.contains(named)
                && answer.problem().equals("password-change-required")) {
            return Optional.empty();
        }
        if (status == 401 || status == 403) {
            return Optional.of("refused with " + status + ", the contract accepts");
        }
        // Deleting an absent item succeeds; a write must fail for its empty body.
        boolean harmless = List.of("GET", "DELETE").contains(operation.method())
                || status / 100 == 4
                || OFFERS.contains(named);
        return harmless
                ? Optional.empty()
                : Optional.of("carried out (" + status + "); the test must not change anything");
    }

    private static String reason(Caller caller) {
        return caller.name().equals(ONE_TIME) ? "password-change-required" : "forbidden";
    }

    private Map<Caller, CentralClient> callers(
            String oneTimePassword, Function<Role, CentralClient> sessions) {
        Map<Caller, CentralClient> callers = new LinkedHashMap<>();
        callers.put(new Caller("stranger", null, Set.of()), stranger());
        callers.put(
                new Caller(ONE_TIME, "session", Set.of()),
                stranger().login(NEW_USER, oneTimePassword));
        contract.roles()
                .forEach((role, scopes) -> callers.put(
                        new Caller(role, "session", scopes),
                        sessions.apply(Role.of(role).orElseThrow())));
        for (String scope : contract.scopes()) {
            Set<String> others = new LinkedHashSet<>(contract.scopes());
            others.remove(scope);
            callers.put(
                    new Caller("token of " + scope, "bearer", Set.of(scope)),
                    machine(Set.of(scope)));
            callers.put(new Caller("token of all but " + scope, "bearer", others), machine(others));
        }
        return callers;
    }

    private CentralClient machine(Set<String> scopes) {
        return machine(
                scopes.stream().map(text -> Scope.of(text).orElseThrow()).toArray(Scope[]::new));
    }

    /**
     * Creates an administrator who has not changed the one-time password; returns that password.
     */
    private String newUser() {
        return browser(Role.ADMINISTRATOR)
                .post("/api/v1/users", Map.of("name", NEW_USER, "role", "administrator"))
                .expect(201)
                .json()
                .get("oneTimePassword")
                .asString();
    }

    /** Sends a request that names no existing item and whose body lacks the required fields. */
    private static CentralClient.Answer ask(CentralClient client, Operation operation) {
        return client.send(
                operation.method(),
                operation.path().replaceAll("\\{[^}]+}", "nobody"),
                List.of("POST", "PUT", "PATCH").contains(operation.method()) ? "{}" : null);
    }
}
