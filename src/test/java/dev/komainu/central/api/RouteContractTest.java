package dev.komainu.central.api;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralTest;
import dev.komainu.central.OpenApiContract;
import dev.komainu.central.api.guard.RouteScopes;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** Tests that the controllers, the guard's list and the committed contract name the same routes. */
class RouteContractTest extends CentralTest {

    /** Routes of the contract that are not implemented yet. */
    private static final Set<String> PENDING = Set.of();

    /** The container's forward for failures; it has no data. */
    private static final String FAILURES = "/error";

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
        TreeSet<String> guarded = RouteScopes.ALL.stream()
                .map(route -> route.method() + " " + route.pattern())
                .collect(toCollection(TreeSet::new));
        TreeSet<String> promised = OpenApiContract.get().operations().stream()
                .map(operation -> operation.method() + " " + operation.path())
                .collect(toCollection(TreeSet::new));

        assertThat(guarded).isEqualTo(promised);
    }

    /**
     * Returns every method and path of the controllers; a mapping without a method accepts all of
     * them.
     */
    private TreeSet<String> mapped() {
        return requestMappingHandlerMapping.getHandlerMethods().keySet().stream()
                .flatMap(info -> info.getPatternValues().stream()
                        .filter(pattern -> !pattern.equals(FAILURES))
                        .flatMap(pattern -> methods(info).map(method -> method + " " + pattern)))
                .collect(toCollection(TreeSet::new));
    }

    private static Stream<String> methods(RequestMappingInfo info) {
        Set<RequestMethod> methods = info.getMethodsCondition().getMethods();
        return methods.isEmpty() ? Stream.of("ANY") : methods.stream().map(RequestMethod::name);
    }
}
