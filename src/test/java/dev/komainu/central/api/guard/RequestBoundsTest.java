package dev.komainu.central.api.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralClient;
import dev.komainu.central.CentralTest;
import dev.komainu.central.access.Role;
import dev.komainu.central.access.Scope;
import dev.komainu.central.limit.Refusal;
import dev.komainu.central.limit.Refusals;
import dev.komainu.central.limit.RequestLimit;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.json.JsonMapper;

/** Attacks with bodies and slow connections on the real server. */
@Timeout(180)
class RequestBoundsTest extends CentralTest {

    private static final int BIG = 28 << 20;

    @LocalServerPort
    private int port;

    @Autowired
    private Refusals refusals;

    @Autowired
    private JsonMapper mapper;

    @Test
    void bodyOf28MegabytesAtLogin_isRefusedUnread() throws IOException {
        try (RawRequest request = RawRequest.open(
                port, RawRequest.head("POST", "/api/v1/session", "Content-Length: " + BIG))) {
            // Not one byte of the body is sent: the response does not wait for it.
            assertThat(request.status()).isEqualTo(413);
        }
    }

    @Test
    void bodyWithoutLengthAtLogin_isRefusedWhileItIsRead() throws IOException {
        int more = RequestLimit.SESSION_BODY.value() + 1;
        try (RawRequest request = RawRequest.open(
                port,
                RawRequest.head("POST", "/api/v1/session", "Transfer-Encoding: chunked")
                        + Integer.toHexString(more) + "\r\n" + "a".repeat(more))) {
            assertThat(request.status()).isEqualTo(413);
        }
    }

    @Test
    void bodyOf28MegabytesOfAStranger_atEveryRoute_isRefusedUnread() throws IOException {
        for (RouteScopes.Route route : RouteScopes.ALL) {
            String path = route.pattern().replaceAll("\\{[^}]*}", "1");
            try (RawRequest request = RawRequest.open(
                    port, RawRequest.head(route.method().name(), path, "Content-Length: " + BIG))) {
                assertThat(request.status()).as(route.toString()).isIn(401, 413);
            }
        }
    }

    @Test
    void bodyOfTwoMegabytes_ofAnAdministrator_isRefused() {
        byte[] body = new byte[RequestLimit.BODY.value() + 1];

        CentralClient.Answer answer =
                browser(Role.ADMINISTRATOR).post("/api/v1/users", body).expect(413);

        assertThat(answer.problem()).isEqualTo("body-too-large");
    }

    @Test
    void formBody_ofAStranger_isNotRead() throws IOException {
        try (RawRequest request = RawRequest.open(
                port,
                RawRequest.head(
                        "PUT",
                        "/api/v1/users/1",
                        "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000000"))) {
            assertThat(request.status()).isIn(400, 401);
        }
    }

    @Test
    void jsonBeyondItsLimits_isRefusedAndCounted() {
        long before = refusals.of(Refusal.JSON);
        String name = "a".repeat(RequestLimit.JSON_NAME.value() + 1);
        String many = "0,".repeat(RequestLimit.JSON_TOKENS.value());
        String text = "a".repeat(RequestLimit.JSON_STRING.value() + 1);

        browser(Role.ADMINISTRATOR)
                .post("/api/v1/tokens", "{\"name\":\"" + text + "\"}")
                .expect(400);
        stranger().post("/api/v1/session", "{\"" + name + "\":1}").expect(400);
        browser(Role.ADMINISTRATOR)
                .post("/api/v1/tokens", "{\"scopes\":[" + many + "0]}")
                .expect(400);

        assertThat(refusals.of(Refusal.JSON) - before).isEqualTo(3);
        assertThat(mapper.tokenStreamFactory().streamReadConstraints().getMaxNestingDepth())
                .isEqualTo(RequestLimit.JSON_DEPTH.value());
    }

    @Test
    void slowConnections_moreThanTheServerHolds_leaveAnAdministratorsPage() throws IOException {
        CentralClient administrator = browser(Role.ADMINISTRATOR);
        String half = "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ";
        String halfBody =
                RawRequest.head("POST", "/api/v1/session", "Content-Length: 1000") + "{\"name\":";
        List<RawRequest> slow = new ArrayList<>();
        try {
            for (int i = 0; i < 2_200; i++) { // server.tomcat.max-connections is 2000
                slow.add(RawRequest.open(port, i % 2 == 0 ? half : halfBody));
            }

            administrator.get("/api/v1/users").expect(200);
            stranger().get("/api/v1/session").expect(200);
        } finally {
            for (RawRequest request : slow) {
                request.close();
            }
        }
        assertThat(refusals.of(Refusal.UNFINISHED_CONNECTIONS)).isPositive();
    }

    @Test
    void metrics_haveACounterForEachReason() {
        String metrics = machine(Scope.METRICS_READ).get("/metrics").expect(200).body();

        for (Refusal reason : Refusal.values()) {
            assertThat(metrics)
                    .contains("komainu_refused_total{reason=\"" + reason.label() + "\"}");
        }
    }
}
