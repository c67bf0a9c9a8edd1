package dev.komainu.central.api.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralClient;
import dev.komainu.central.CentralTest;
import dev.komainu.central.access.ApiTokens;
import dev.komainu.central.access.Role;
import dev.komainu.central.access.Scope;
import dev.komainu.central.api.guard.RouteScopes;
import dev.komainu.central.api.guard.RouteScopes.Reach;
import dev.komainu.central.assessment.LiveFeed;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceSighting.ReportedLabel;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/**
 * Test of callers that are bound to a group: each write route is tried on a service of the group
 * and on one outside.
 */
class GroupRolesTest extends CentralTest {

    private static final String OWN = "shop-1:80";
    private static final String OTHER = "bank-1:80";

    /** Shares its process and its host with a service of the bank. */
    private static final String SHARED = "mixed-1:80";

    private static final String OUTSIDE = "outside-group";

    @Autowired
    private LiveFeed feed;

    @Autowired
    private ApiTokens tokens;

    private long sequence;

    @BeforeEach
    void sightServices() {
        List<TelemetryRecord> records = new ArrayList<>();
        records.add(service(OWN, "shop-1", "shop", 10));
        records.add(service(OTHER, "bank-1", "bank", 11));
        records.add(service(SHARED, "mixed-1", "shop", 12));
        records.add(service("mixed-1:81", "mixed-1", "bank", 12));
        feed.stored(new Batch(new BatchId("agent@groups", System.nanoTime(), ++sequence), records));
        judged(SHARED);
        judged("mixed-1:81");
    }

    private static ServiceSighting service(String id, String node, String team, long process) {
        return new ServiceSighting(
                id,
                node,
                "nginx " + id.substring(id.indexOf(':')),
                "nginx",
                null,
                List.of(),
                new ServiceSighting.ServerProcess(process, null),
                List.of(),
                System.currentTimeMillis() * 1_000,
                null,
                List.of(new ReportedLabel("team", team, ReportedLabel.OF_SETTINGS)));
    }

    /** Returns a client that may change the services of the shop, by every scope that exists. */
    private CentralClient shop() {
        return stranger()
                .withToken(tokens.create(
                                "shop",
                                List.of(
                                        Scope.METRICS_READ,
                                        Scope.SERVERS_READ,
                                        Scope.TUNING_RUN,
                                        Scope.TUNING_APPLY,
                                        Scope.CACHE_PURGE),
                                Duration.ofHours(1),
                                "test",
                                "team=shop",
                                null)
                        .secret());
    }

    private static boolean isOutside(CentralClient.Answer answer) {
        return answer.status() == 403 && answer.problem().equals(OUTSIDE);
    }

    @Test
    void routesWithAServiceInTheirPath_ownServiceOnly() {
        CentralClient shop = shop();
        int tried = 0;
        for (RouteScopes.Route route : RouteScopes.ALL) {
            if (route.reach() == Reach.SERVICE_IN_PATH
                    && !route.scopes().equals(Set.of(Scope.CONFIG_WRITE))) {
                String path = route.pattern().replace("{node}", "any");
                String method = route.method().name();
                assertThat(isOutside(
                                shop.send(method, path.replace("{service}", OTHER), body(method))))
                        .as("%s of another group is refused", route)
                        .isTrue();
                assertThat(isOutside(shop.send(
                                method, path.replace("{service}", "no-such:80"), body(method))))
                        .as("%s of an unknown service is refused", route)
                        .isTrue();
                assertThat(isOutside(
                                shop.send(method, path.replace("{service}", OWN), body(method))))
                        .as("%s of the group is not refused", route)
                        .isFalse();
                tried++;
            }
        }
        assertThat(tried).isGreaterThanOrEqualTo(8);
    }

    @Test
    void routesThatChangeMoreThanOneService_refused() {
        CentralClient shop = shop();
        int tried = 0;
        for (RouteScopes.Route route : RouteScopes.ALL) {
            boolean hasScope = route.scopes().stream()
                    .anyMatch(
                            Set.of(Scope.TUNING_RUN, Scope.TUNING_APPLY, Scope.CACHE_PURGE)
                                    ::contains);
            if (route.reach() == Reach.MORE && hasScope) {
                String method = route.method().name();
                assertThat(isOutside(shop.send(
                                method,
                                route.pattern().replaceAll("\\{[^}]+}", "any"),
                                body(method))))
                        .as("%s", route)
                        .isTrue();
                tried++;
            }
        }
        assertThat(tried).as("drain and weight of a member").isEqualTo(2);
    }

    /** The routes whose controllers check by themselves are those of the tests below. */
    @Test
    void routesThatCheckLater_areTheTestedOnes() {
        assertThat(RouteScopes.ALL.stream()
                        .filter(route -> route.reach() == Reach.CHECKED_LATER)
                        .map(route -> route.method() + " " + route.pattern()))
                .containsExactlyInAnyOrder(
                        "POST /api/v1/changes",
                        "PUT /api/v1/changes/{id}/upgrade",
                        "DELETE /api/v1/changes/{id}/upgrade",
                        "POST /api/v1/verifications",
                        "POST /api/v1/orders",
                        "POST /api/v1/orders/{id}/rollback",
                        "POST /api/v1/silences",
                        "DELETE /api/v1/silences/{id}");
    }

    @Test
    void changesUpgradesAndVerifications_ownServiceOnly() {
        CentralClient shop = shop();
        assertThat(isOutside(shop.post("/api/v1/changes", change(OTHER)))).isTrue();
        String own = id(shop.post("/api/v1/changes", change(OWN)));
        String other = id(browser(Role.OPERATOR).post("/api/v1/changes", change(OTHER)));

        for (String change : List.of(own, other)) {
            boolean isOther = change.equals(other);
            String upgrade = "/api/v1/changes/" + change + "/upgrade";
            assertThat(isOutside(shop.put(upgrade, Map.of()))).isEqualTo(isOther);
            assertThat(isOutside(shop.delete(upgrade))).isEqualTo(isOther);
            assertThat(isOutside(shop.post("/api/v1/verifications", Map.of("changeId", change))))
                    .isEqualTo(isOther);
        }
    }

    @Test
    void orders_everyServiceOfTheProcessAndOfTheHost() {
        CentralClient shop = shop();
        assertThat(isOutside(order(shop, OTHER, "worker_connections"))).isTrue();
        assertThat(order(shop, OWN, "worker_connections").status())
                .as("no agent takes orders")
                .isEqualTo(409);
        assertThat(order(shop, OWN, "sysctl:net.core.somaxconn").status()).isEqualTo(409);
        assertThat(isOutside(order(shop, SHARED, "worker_connections")))
                .as("the bank's port has the same process")
                .isTrue();
        assertThat(isOutside(order(shop, SHARED, "sysctl:net.core.somaxconn"))).isTrue();
        assertThat(order(browser(Role.OPERATOR), SHARED, "worker_connections").status())
                .isEqualTo(409);
    }

    @Test
    void silences_withinTheGroupOnly() {
        CentralClient shop = shop();
        assertThat(isOutside(silence(shop, Map.of("kind", "silence")))).isTrue();
        assertThat(isOutside(silence(shop, Map.of("kind", "silence", "service", OWN))))
                .isTrue();
        assertThat(isOutside(silence(shop, Map.of("kind", "silence", "label", "team=bank"))))
                .isTrue();
        assertThat(isOutside(silence(shop, Map.of("kind", "maintenance", "service", OTHER))))
                .isTrue();

        List<Map<String, Object>> own = List.of(
                Map.of("kind", "silence", "label", "team=shop"),
                Map.of("kind", "silence", "label", "tier=web,team=shop"),
                Map.of("kind", "maintenance", "service", OWN));
        for (Map<String, Object> allowed : own) {
            String id = id(silence(shop, allowed));
            shop.delete("/api/v1/silences/" + id).expect(200);
        }
        CentralClient operator = browser(Role.OPERATOR);
        String bank = id(silence(operator, Map.of("kind", "silence", "label", "team=bank")));
        assertThat(isOutside(shop.delete("/api/v1/silences/" + bank))).isTrue();
        operator.delete("/api/v1/silences/" + bank).expect(200);
    }

    @Test
    void bound_scopesThatReachMore_refused() {
        CentralClient administrator = browser(Role.ADMINISTRATOR);
        for (String scope : List.of("config:write", "admin", "ingest", "metrics:read")) {
            CentralClient.Answer answer = administrator.post(
                    "/api/v1/tokens",
                    Map.of("name", "bound", "scopes", List.of(scope), "group", "team=shop"));
            assertThat(answer.status()).as(scope).isEqualTo(400);
            assertThat(answer.body()).contains("\"group\"");
        }
        assertThat(administrator
                        .post(
                                "/api/v1/users",
                                Map.of(
                                        "name",
                                        "ann",
                                        "role",
                                        "administrator",
                                        "group",
                                        "team=shop"))
                        .status())
                .isEqualTo(400);
        assertThat(administrator
                        .post(
                                "/api/v1/tokens",
                                Map.of(
                                        "name",
                                        "b",
                                        "scopes",
                                        List.of("tuning:run"),
                                        "group",
                                        "team"))
                        .status())
                .isEqualTo(400);
    }

    @Test
    void boundUser_isBoundFromTheNextLoginOn() {
        CentralClient administrator = browser(Role.ADMINISTRATOR);
        CentralClient ben = newcomer("ben", Role.OPERATOR);
        ben.post("/api/v1/services/" + OTHER + "/notes", Map.of("text", "before"))
                .expect(201);

        administrator.patch("/api/v1/users/ben", Map.of("group", "team=shop")).expect(200);
        assertThat(ben.get("/api/v1/services").status())
                .as("the session that was not bound")
                .isEqualTo(401);
        CentralClient bound = stranger().login("ben", PASSWORD);
        assertThat(isOutside(bound.post(
                        "/api/v1/services/" + OTHER + "/notes", Map.of("text", "after"))))
                .isTrue();
        bound.post("/api/v1/services/" + OWN + "/notes", Map.of("text", "after"))
                .expect(201);
        bound.get("/api/v1/services/" + OTHER).expect(200);
        assertThat(administrator.get("/api/v1/users").body()).contains("\"group\":\"team=shop\"");
        administrator.delete("/api/v1/users/ben").expect(204);
    }

    private static Map<String, Object> change(String service) {
        return Map.of("service", service, "title", "More workers");
    }

    private static CentralClient.Answer order(
            CentralClient client, String service, String setting) {
        return client.post(
                "/api/v1/orders",
                Map.of(
                        "service",
                        service,
                        "setting",
                        setting,
                        "before",
                        "512",
                        "after",
                        "1024",
                        "confirmed",
                        true));
    }

    private static CentralClient.Answer silence(CentralClient client, Map<String, Object> what) {
        Map<String, Object> body = new HashMap<>(what);
        body.put("reason", "test");
        body.put("endsAt", Instant.now().plusSeconds(3_600).toString());
        return client.post("/api/v1/silences", body);
    }

    private static String id(CentralClient.Answer created) {
        return created.expect(201).json().get("id").asString();
    }

    private static @org.jspecify.annotations.Nullable String body(String method) {
        return method.equals("DELETE") ? null : "{}";
    }
}
