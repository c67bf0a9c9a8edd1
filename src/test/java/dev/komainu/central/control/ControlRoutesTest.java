package dev.komainu.central.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralApplication;
import dev.komainu.central.CentralClient;
import dev.komainu.central.api.guard.RouteScopes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.http.HttpMethod;
import tools.jackson.databind.JsonNode;

/**
 * Tests that no route fails over PostgreSQL: every one that reads, with and without its filters,
 * and a creation and change of each kind of item. The tests of the routes themselves run over H2,
 * and over PostgreSQL with {@code -Dtest.control=debian}.
 */
class ControlRoutesTest {

    private static final String PASSWORD = "correct horse battery";
    private static final String SERVICE = "web:80";

    /** Values of path variables and queries: such as exist, of another kind, and none. */
    private static final List<String> VALUES = List.of(SERVICE, "1", "admin");

    private static final List<String> QUERIES = List.of(
            "",
            "?service=" + SERVICE,
            "?service=" + SERVICE + "&before=1000&limit=5",
            "?change=1",
            "?subject=" + SERVICE);

    @TempDir
    private Path data;

    private String secret(String file) throws IOException {
        return Files.readString(data.resolve(file)).strip();
    }

    @ParameterizedTest
    @EnumSource(names = {"DEBIAN", "NEWEST"})
    void everyRoute_overPostgresql_doesNotFail(ControlEngine engine) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(
                "--komainu.data=" + data.resolve("central"),
                "--komainu.bootstrap-tokens=" + data.resolve("tokens"),
                "--komainu.bootstrap-parts=any",
                "--server.port=0"));
        engine.settings().forEach((key, value) -> arguments.add("--" + key + "=" + value));
        try (ServletWebServerApplicationContext service = (ServletWebServerApplicationContext)
                SpringApplication.run(CentralApplication.class, arguments.toArray(String[]::new))) {
            CentralClient stranger = CentralClient.at(service.getWebServer().getPort());
            String oneTime = secret("central/first-password");
            stranger.login("admin", oneTime)
                    .put(
                            "/api/v1/session/password",
                            Map.of("currentPassword", oneTime, "newPassword", PASSWORD))
                    .expect(204);
            CentralClient admin = stranger.login("admin", PASSWORD);
            report(stranger.withToken(secret("tokens/ingest.token")));
            Awaitility.await("judged")
                    .until(() -> admin.get("/api/v1/services/" + SERVICE).status() == 200);

            readAll(admin);
            write(admin);
            readAll(admin);
        }
    }

    private static void report(CentralClient agent) {
        agent.withHeader("Content-Type", "application/x-ndjson")
                .withHeader("Komainu-Batch", "agent@web/7/1")
                .post("/api/v1/ingest", """
                        {"type":"serviceSighting","service":"web:80","node":"web","name":"nginx :80","kind":"nginx","addresses":[],"settings":[],"atMicros":%1$d}
                        """.replace(
                                "%1$d", Long.toString(System.currentTimeMillis() * 1_000)))
                .expect(200);
    }

    private static void readAll(CentralClient admin) {
        List<String> failed = new ArrayList<>();
        for (RouteScopes.Route route : RouteScopes.ALL) {
            if (!route.method().equals(HttpMethod.GET)
                    || route.pattern().equals("/api/v1/stream")
                    || route.pattern().contains("/oidc/")) {
                continue;
            }
            for (String value : route.pattern().contains("{") ? VALUES : List.of("")) {
                for (String query : QUERIES) {
                    String path = route.pattern().replaceAll("\\{[^}]*}", value) + query;
                    int status = admin.get(path).status();
                    if (status >= 500) {
                        failed.add(status + " " + path);
                    }
                }
            }
        }
        assertThat(failed).isEmpty();
    }

    private static String created(CentralClient admin, String path, Map<String, Object> body) {
        JsonNode item = admin.post(path, body).expect(201).json();
        return (item.has("token") ? item.get("token") : item).path("id").asString("");
    }

    private static void write(CentralClient admin) {
        String service = "/api/v1/services/" + SERVICE;
        String later = Instant.now().plusSeconds(3_600).toString();
        created(admin, "/api/v1/users", Map.of("name", "ben", "role", "operator"));
        admin.patch("/api/v1/users/ben", Map.of("group", "team=shop")).expect(200);
        admin.delete("/api/v1/users/ben").expect(204);
        String token = created(
                admin,
                "/api/v1/tokens",
                Map.of("name", "reader", "scopes", List.of("metrics:read")));
        for (int time = 0; time < 2; time++) {
            admin.put(service + "/labels", Map.of("key", "team", "value", "shop"))
                    .expect(200);
        }
        String rule = created(
                admin,
                "/api/v1/label-rules",
                Map.of("service", "web:*", "key", "team", "value", "rule"));
        String change = created(
                admin, "/api/v1/changes", Map.of("service", SERVICE, "title", "More workers"));
        for (int time = 0; time < 2; time++) {
            admin.put("/api/v1/changes/" + change + "/upgrade", Map.of()).expect(200);
        }
        created(admin, service + "/notes", Map.of("text", "a note"));
        String silence = created(
                admin,
                "/api/v1/silences",
                Map.of("kind", "maintenance", "service", SERVICE, "reason", "r", "endsAt", later));
        String receiver = created(
                admin,
                "/api/v1/receivers",
                Map.of(
                        "name",
                        "hook",
                        "type",
                        "webhook",
                        "url",
                        "https://hook.example/",
                        "secret",
                        "sixteen-characters"));
        String alertRule = created(
                admin,
                "/api/v1/alert-rules",
                Map.of(
                        "name",
                        "Saturated",
                        "kind",
                        "service",
                        "service",
                        SERVICE,
                        "states",
                        List.of("saturated"),
                        "receivers",
                        List.of(receiver)));
        admin.post("/api/v1/verifications", Map.of("changeId", change));
        readAll(admin);

        admin.delete("/api/v1/alert-rules/" + alertRule).expect(204);
        admin.delete("/api/v1/receivers/" + receiver).expect(204);
        admin.delete("/api/v1/silences/" + silence).expect(200);
        admin.delete("/api/v1/changes/" + change + "/upgrade").expect(204);
        admin.delete("/api/v1/label-rules/" + rule).expect(204);
        admin.delete("/api/v1/tokens/" + token).expect(204);
        writeNothing(admin);
    }

    /**
     * Sends an empty object to every route that writes: it is refused, or there is no such item.
     */
    private static void writeNothing(CentralClient admin) {
        List<String> failed = new ArrayList<>();
        for (RouteScopes.Route route : RouteScopes.ALL) {
            if (route.method().equals(HttpMethod.GET)
                    || route.pattern().startsWith("/api/v1/session")
                    || route.pattern().contains("/users/{name}")) {
                continue;
            }
            String path = route.pattern().replaceAll("\\{[^}]*}", "1");
            String body = route.method().equals(HttpMethod.DELETE) ? null : "{}";
            int status = admin.send(route.method().name(), path, body).status();
            if (status >= 500) {
                failed.add(status + " " + route.method() + " " + path);
            }
        }
        assertThat(failed).isEmpty();
    }
}
