package dev.komainu.central.api.problem;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralClient;
import dev.komainu.central.CentralTest;
import dev.komainu.central.access.Role;
import dev.komainu.central.access.Scope;
import org.junit.jupiter.api.Test;

/** Tests of wrong requests: the response names position and expectation. */
class ProblemTest extends CentralTest {

    @Test
    void body_cutJson_namesLineAndColumn() {
        CentralClient.Answer answer = browser(Role.OPERATOR)
                .post("/api/v1/changes", "{\"service\":\"a:80\",\n \"title\": }")
                .expect(400);

        assertThat(answer.problem()).isEqualTo("malformed-request");
        assertThat(answer.json().get("detail").asString()).contains("line 2, column ");
        assertThat(answer.json().get("instance").asString()).isEqualTo("/api/v1/changes");
    }

    @Test
    void body_absent_isMalformed() {
        assertThat(browser(Role.OPERATOR)
                        .post("/api/v1/changes", "")
                        .expect(400)
                        .problem())
                .isEqualTo("malformed-request");
    }

    @Test
    void body_unknownField_isNamed() {
        CentralClient.Answer answer = browser(Role.OPERATOR)
                .post("/api/v1/changes", "{\"service\":\"a:80\",\"title\":\"t\",\"colour\":1}")
                .expect(400);

        assertThat(answer.json().at("/errors/0/field").asString()).isEqualTo("colour");
    }

    @Test
    void body_severalWrongFields_allAreReported() {
        CentralClient.Answer answer = browser(Role.ADMINISTRATOR)
                .post(
                        "/api/v1/tokens",
                        "{\"name\":\"\",\"scopes\":[\"ingest\",\"all\"],\"expiresInDays\":0}")
                .expect(400);

        assertThat(answer.json().get("errors").findValuesAsString("field"))
                .containsExactly("name", "expiresInDays", "scopes[1]", "reporting");
        assertThat(answer.json().get("detail").asString())
                .contains("expiresInDays: 0 (expected: 1 to 366)");
    }

    @Test
    void parameter_wrongType_namesValueAndExpectation() {
        CentralClient.Answer answer =
                machine(Scope.SERVERS_READ).get("/api/v1/changes?limit=many").expect(400);

        assertThat(answer.json().get("detail").asString())
                .isEqualTo("limit: many (expected: a whole number)");
    }

    @Test
    void parameter_outOfRange_namesRange() {
        assertThat(machine(Scope.SERVERS_READ)
                        .get("/api/v1/changes?limit=0")
                        .expect(400)
                        .json()
                        .get("detail")
                        .asString())
                .isEqualTo("limit: 0 (expected: 1 to 1000)");
    }

    @Test
    void cursor_notOurs_isRefused() {
        assertThat(machine(Scope.SERVERS_READ)
                        .get("/api/v1/changes?cursor=%21%21")
                        .expect(400)
                        .problem())
                .isEqualTo("invalid-request");
    }

    @Test
    void path_unknown_isNotFoundForCallersAndUnauthenticatedForStrangers() {
        assertThat(stranger().get("/api/v1/nowhere").status()).isEqualTo(401);
        assertThat(browser(Role.VIEWER).get("/api/v1/nowhere").expect(404).problem())
                .isEqualTo("not-found");
    }

    @Test
    void method_unknown_namesThoseAllowed() {
        CentralClient.Answer answer =
                browser(Role.ADMINISTRATOR).put("/api/v1/users", "{}").expect(405);

        assertThat(answer.header("Allow")).isEqualTo("GET, POST");
    }

    @Test
    void contentType_unknown_isNamed() {
        assertThat(browser(Role.OPERATOR)
                        .withHeader("Content-Type", "text/plain")
                        .post("/api/v1/changes", "x")
                        .expect(415)
                        .problem())
                .isEqualTo("unsupported-media-type");
    }

    @Test
    void accept_notOffered_isNamed() {
        assertThat(browser(Role.ADMINISTRATOR)
                        .withHeader("Accept", "image/png")
                        .get("/api/v1/audit")
                        .expect(406)
                        .problem())
                .isEqualTo("not-acceptable");
    }
}
