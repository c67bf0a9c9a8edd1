package dev.komainu.central.api.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralClient;
import dev.komainu.central.CentralTest;
import dev.komainu.central.access.Role;
import dev.komainu.central.access.Scope;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the requests that the guard refuses before a controller is called. */
class SecurityFiltersTest extends CentralTest {

    @Test
    void host_foreignName_isMisdirected() throws IOException {
        assertThat(
                        raw(
                                "GET /api/v1/session HTTP/1.1\r\nHost: rebound.example\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 421")
                .contains("urn:komainu:problem:foreign-host");
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "localhost:7600", "127.0.0.1", "[::1]:7600", "192.0.2.7"})
    void host_localhostOrAddress_passes(String host) throws IOException {
        assertThat(raw("GET /api/v1/session HTTP/1.1\r\nHost: " + host
                        + "\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 200");
    }

    @Test
    void token_wrong_isRefusedEverywhereWithoutBeingRepeated() {
        for (String path :
                new String[] {"/api/v1/session", "/api/v1/overview", "/api/v1/nowhere"}) {
            CentralClient.Answer answer =
                    stranger().withToken("kmn_wrong-secret").get(path).expect(401);
            assertThat(answer.problem()).isEqualTo("invalid-token");
            assertThat(answer.body()).doesNotContain("wrong-secret");
        }
    }

    @Test
    void token_wrong_ingestIsRefusedUnread() {
        CentralClient machine = stranger()
                .withToken("kmn_wrong")
                .withHeader("Content-Type", "application/x-ndjson");

        assertThat(machine.post("/api/v1/ingest", "{\"type\":\"serviceWindow\"}")
                        .expect(401)
                        .problem())
                .isEqualTo("invalid-token");
    }

    @Test
    void authorization_notBearer_isRefused() {
        assertThat(stranger()
                        .withHeader("Authorization", "Basic YTpi")
                        .get("/api/v1/users")
                        .status())
                .isEqualTo(401);
    }

    @Test
    void csrf_missingOrWrong_writeIsRefused() {
        CentralClient browser = browser(Role.OPERATOR);
        Map<String, String> change = Map.of("service", "csrf:80", "title", "forged");

        assertThat(browser.withHeader("X-CSRF-Token", "wrong")
                        .post("/api/v1/changes", change)
                        .expect(403)
                        .problem())
                .isEqualTo("csrf");
        assertThat(browser.get("/api/v1/changes?service=csrf:80").json().get("items"))
                .isEmpty();
    }

    @Test
    void csrf_token_machinesNeedNone() {
        machine(Scope.TUNING_RUN)
                .post("/api/v1/changes", Map.of("service", "machine:80", "title", "by machine"))
                .expect(201);
    }

    @Test
    void head_routeOfOthers_isRefusedLikeGet() {
        assertThat(browser(Role.VIEWER).request("/api/v1/users")).isNotNull();
        assertThat(head(browser(Role.VIEWER), "/api/v1/users")).isEqualTo(403);
        assertThat(head(browser(Role.ADMINISTRATOR), "/api/v1/users")).isEqualTo(200);
    }

    @Test
    void headers_everyAnswer_allowsNothingInlineAndNoFrames() {
        CentralClient.Answer answer = stranger().get("/api/v1/session");

        assertThat(answer.header("Content-Security-Policy"))
                .contains("default-src 'none'", "frame-ancestors 'none'")
                .doesNotContain("unsafe");
        assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(answer.header("X-Frame-Options")).isEqualTo("DENY");
        assertThat(answer.header("Referrer-Policy")).isEqualTo("no-referrer");
        assertThat(answer.header("Server")).isEmpty();
    }

    @Test
    void health_stranger_seesNothingButTheStatus() {
        assertThat(stranger().get("/actuator/health").expect(200).body())
                .isEqualTo("{\"status\":\"UP\"}");
        assertThat(stranger().get("/actuator/env").status()).isEqualTo(401);
        assertThat(browser(Role.ADMINISTRATOR).get("/actuator/env").status()).isEqualTo(404);
    }

    private int head(CentralClient client, String path) {
        try {
            return client.http()
                    .send(
                            client.request(path)
                                    .method(
                                            "HEAD",
                                            java.net.http.HttpRequest.BodyPublishers.noBody())
                                    .build(),
                            java.net.http.HttpResponse.BodyHandlers.discarding())
                    .statusCode();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Sends a raw request, since the client of the tests cannot set Host. */
    private String raw(String request) throws IOException {
        URI base = stranger().request("/").build().uri();
        try (Socket socket = new Socket(base.getHost(), base.getPort())) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            InputStream in = socket.getInputStream();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
