package dev.komainu.central.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralClient;
import dev.komainu.central.CentralTest;
import dev.komainu.central.OpenApiContract;
import dev.komainu.central.access.Role;
import dev.komainu.central.access.Scope;
import dev.komainu.central.api.guard.Routes;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every route of the contract, asked by everybody: strangers, each role, and tokens that hold all scopes but the right one. */
class RoleMatrixTest extends CentralTest {

    @TestFactory
    Stream<DynamicTest> strangers_getNothingButTheOpenRoutes() {
        return OpenApiContract.get().operations().stream()
                .filter(operation -> !operation.open())
                .map(operation -> test(operation.method(), operation.path(), "stranger", () -> {
                    CentralClient.Answer answer = ask(stranger(), operation.method(), operation.path());
                    assertThat(answer.status()).isEqualTo(401);
                    assertThat(answer.header("WWW-Authenticate")).startsWith("Bearer");
                }));
    }

    @TestFactory
    Stream<DynamicTest> roles_getWhatTheirScopesAllow() {
        return guarded()
                .flatMap(route -> Arrays.stream(Role.values())
                        .map(role -> test(route.method().name(), route.pattern(), role.text(), () -> {
                            boolean allowed = !Collections.disjoint(role.scopes(), route.scopes());
                            // Those allowed are not sent through: some routes change what other tests need.
                            if (!allowed) {
                                CentralClient.Answer answer =
                                        ask(browser(role), route.method().name(), route.pattern());
                                assertThat(answer.expect(403).problem()).isEqualTo("forbidden");
                            } else if (reads(route)) {
                                assertThat(ask(browser(role), "GET", route.pattern())
                                                .status())
                                        .isNotIn(401, 403);
                            }
                        })));
    }

    @TestFactory
    Stream<DynamicTest> tokens_withoutTheScope_areRefused() {
        return guarded()
                .map(route -> test(route.method().name(), route.pattern(), "other scopes", () -> {
                    Set<Scope> others = EnumSet.complementOf(EnumSet.copyOf(route.scopes()));
                    CentralClient machine = machine(others.toArray(Scope[]::new));
                    assertThat(ask(machine, route.method().name(), route.pattern())
                                    .status())
                            .isEqualTo(403);
                    if (reads(route)) {
                        CentralClient right = machine(route.scopes().iterator().next());
                        assertThat(ask(right, "GET", route.pattern()).status()).isNotIn(401, 403);
                    }
                }));
    }

    private static Stream<Routes.Route> guarded() {
        return Routes.ALL.stream().filter(route -> route.door() == Routes.Door.SCOPES);
    }

    private static boolean reads(Routes.Route route) {
        return route.method().name().equals("GET") && !route.pattern().endsWith("/stream");
    }

    private static CentralClient.Answer ask(CentralClient client, String method, String pattern) {
        String path =
                pattern.replaceAll("\\{[^}]+}", "nobody") + (pattern.endsWith("/stream") ? "?topics=changes" : "");
        return client.send(method, path, List.of("POST", "PUT", "PATCH").contains(method) ? "{}" : null);
    }

    private static DynamicTest test(
            String method, String path, String who, org.junit.jupiter.api.function.Executable e) {
        return DynamicTest.dynamicTest(who + ": " + method + " " + path, e);
    }
}
