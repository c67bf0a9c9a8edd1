package dev.komainu.central.api;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralTest;
import dev.komainu.central.OpenApiContract;
import dev.komainu.central.api.guard.Routes;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** The controllers, the guard's list and the committed contract name the same routes. */
class RouteContractTest extends CentralTest {

    /** Promised in the contract, not built yet. Empty when the house stands. */
    private static final Set<String> PENDING = Set.of();

    @Autowired
    private RequestMappingHandlerMapping requestMappingHandlerMapping;

    @Test
    void controllers_andContract_nameTheSameRoutes() {
        TreeSet<String> promised = OpenApiContract.get().operations().stream()
                .map(operation -> operation.method() + " " + operation.path())
                .filter(route -> !PENDING.contains(route))
                .collect(toCollection(TreeSet::new));

        assertThat(mapped()).isEqualTo(promised);
    }

    @Test
    void guard_andContract_nameTheSameRoutes() {
        TreeSet<String> guarded = Routes.ALL.stream()
                .map(route -> route.method() + " " + route.pattern())
                .filter(route -> route.contains("/api/"))
                .collect(toCollection(TreeSet::new));
        TreeSet<String> promised = OpenApiContract.get().operations().stream()
                .map(operation -> operation.method() + " " + operation.path())
                .collect(toCollection(TreeSet::new));

        assertThat(guarded).isEqualTo(promised);
    }

    private TreeSet<String> mapped() {
        return requestMappingHandlerMapping.getHandlerMethods().keySet().stream()
                .flatMap(info -> info.getPatternValues().stream()
                        .filter(pattern -> pattern.startsWith("/api/"))
                        .flatMap(pattern ->
                                info.getMethodsCondition().getMethods().stream().map(method -> method + " " + pattern)))
                .collect(toCollection(TreeSet::new));
    }
}
