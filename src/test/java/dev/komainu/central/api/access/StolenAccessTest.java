package dev.komainu.central.api.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralClient;
import dev.komainu.central.CentralTest;
import dev.komainu.central.access.Role;
import dev.komainu.central.access.Scope;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/** Tests that a stolen token or session does not become lasting access. */
class StolenAccessTest extends CentralTest {

    private static final String TOKENS = "/api/v1/tokens";
    private static final String USERS = "/api/v1/users";
    private static final String CONFIRMATION = "/api/v1/session/confirmation";
    private static final Map<String, Object> READ =
            Map.of("name", "read", "scopes", List.of("servers:read"));

    @Autowired
    private JdbcClient jdbc;

    private CentralClient tokenOf(CentralClient owner, Map<String, Object> wish) {
        return stranger()
                .withToken(owner.post(TOKENS, wish)
                        .expect(201)
                        .json()
                        .get("secret")
                        .asString());
    }

    private void passSixMinutes(String user) {
        jdbc.sql(
                        "update sessions set confirmed = confirmed - interval '6' minute where user_name = ?")
                .param(user)
                .update();
    }

    @Test
    void adminToken_makesNoTokenAndNoUser() {
        CentralClient token = machine(Scope.values());

        assertThat(token.post(TOKENS, READ).expect(403).problem()).isEqualTo("forbidden");
        token.post(USERS, Map.of("name", "backdoor", "role", "administrator")).expect(403);
        token.patch(USERS + "/admin", Map.of("resetPassword", true)).expect(403);
        token.delete(USERS + "/admin").expect(403);
        token.get(TOKENS).expect(200);
    }

    @Test
    void stolenSession_olderThanFiveMinutes_makesNothingThatLasts() {
        CentralClient session = newcomer("stolen", Role.ADMINISTRATOR);
        passSixMinutes("stolen");

        assertThat(session.post(TOKENS, READ).expect(403).problem()).isEqualTo("password-required");
        session.post(USERS, Map.of("name", "backdoor", "role", "viewer")).expect(403);
        session.patch(USERS + "/stolen", Map.of("resetPassword", true)).expect(403);
        session.delete(USERS + "/stolen").expect(403);
    }

    @Test
    void confirmation_rightPassword_opensTheDoorForFiveMinutes() {
        CentralClient session = newcomer("owner", Role.ADMINISTRATOR);
        passSixMinutes("owner");
        session.put(CONFIRMATION, Map.of("password", "wrong")).expect(400);
        session.post(TOKENS, READ).expect(403);

        session.put(CONFIRMATION, Map.of("password", PASSWORD)).expect(204);

        session.post(TOKENS, READ).expect(201);
        passSixMinutes("owner");
        session.post(TOKENS, READ).expect(403);
    }

    @Test
    void stolenSession_guessesThePassword_isStoppedWithoutStoppingItsOwner() {
        newcomer("guessed-inside", Role.ADMINISTRATOR);
        CentralClient thief = stranger().login("guessed-inside", PASSWORD);
        for (int i = 0; i < 5; i++) {
            thief.put(CONFIRMATION, Map.of("password", "guess " + i)).expect(400);
        }

        thief.put(CONFIRMATION, Map.of("password", PASSWORD)).expect(429);
        stranger()
                .login("guessed-inside", PASSWORD)
                .put(CONFIRMATION, Map.of("password", PASSWORD))
                .expect(204);
    }

    @Test
    void owner_deleted_losesTokensAtOnce() {
        CentralClient token = tokenOf(newcomer("deleted", Role.ADMINISTRATOR), READ);
        token.get("/api/v1/changes").expect(200);

        browser(Role.ADMINISTRATOR).delete(USERS + "/deleted").expect(204);

        token.get("/api/v1/changes").expect(401);
        assertThat(browser(Role.ADMINISTRATOR).get("/api/v1/audit?limit=10").body())
                .contains("token.revoke", "revoked with deleted");
    }

    @Test
    void owner_demoted_losesTokensAndSessionsAtOnce() {
        CentralClient session = newcomer("demoted", Role.ADMINISTRATOR);
        CentralClient token = tokenOf(session, READ);

        browser(Role.ADMINISTRATOR)
                .patch(USERS + "/demoted", Map.of("role", "operator"))
                .expect(200);

        token.get("/api/v1/changes").expect(401);
        session.get("/api/v1/changes").expect(401);
    }

    @Test
    void owner_reset_losesTokensAndSessionsAtOnce() {
        CentralClient session = newcomer("reset", Role.ADMINISTRATOR);
        CentralClient token = tokenOf(session, READ);

        browser(Role.ADMINISTRATOR)
                .patch(USERS + "/reset", Map.of("resetPassword", true))
                .expect(200);

        token.get("/api/v1/changes").expect(401);
        session.get("/api/v1/changes").expect(401);
    }

    @Test
    void owner_promotedOrUnchanged_keepsEverything() {
        CentralClient session = newcomer("kept", Role.ADMINISTRATOR);
        CentralClient token = tokenOf(session, READ);

        browser(Role.ADMINISTRATOR)
                .patch(USERS + "/kept", Map.of("role", "administrator"))
                .expect(200);

        token.get("/api/v1/changes").expect(200);
        session.get("/api/v1/changes").expect(200);
    }

    @Test
    void powerfulToken_created_isToldToReceiversAndInTheHistory() {
        CentralClient administrator = browser(Role.ADMINISTRATOR);
        String receiver = administrator
                .post(
                        "/api/v1/receivers",
                        Map.of(
                                "name",
                                "told-of-tokens",
                                "type",
                                "webhook",
                                "language",
                                "en",
                                "url",
                                "http://127.0.0.1:9/hook",
                                "secret",
                                "sixteen-characters"))
                .expect(201)
                .json()
                .get("id")
                .asString();
        tokenOf(administrator, Map.of("name", "harmless", "scopes", List.of("metrics:read")));
        tokenOf(administrator, Map.of("name", "powerful", "scopes", List.of("tuning:apply")));

        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(administrator
                                .get("/api/v1/receivers/" + receiver + "/deliveries")
                                .expect(200)
                                .json()
                                .get("items"))
                        .isNotEmpty());
        List<JsonNode> told = administrator
                .get("/api/v1/alerts?status=ended")
                .expect(200)
                .json()
                .get("items")
                .valueStream()
                .filter(alert -> alert.get("kind").asString().equals("token-created"))
                .toList();
        assertThat(told)
                .extracting(alert -> alert.get("subject").asString())
                .contains("powerful")
                .doesNotContain("harmless");
        assertThat(told)
                .filteredOn(alert -> alert.get("subject").asString().equals("powerful"))
                .extracting(alert -> alert.at("/text/en").asString())
                .first()
                .asString()
                .contains("test-administrator", "tuning:apply", "127.0.0.1");
        administrator.delete("/api/v1/receivers/" + receiver).expect(204);
    }

    @Test
    void rotation_oldTokenWorksForTheOverlapOnly() {
        CentralClient administrator = browser(Role.ADMINISTRATOR);
        JsonNode old = administrator.post(TOKENS, READ).expect(201).json();
        String id = old.at("/token/id").asString();
        CentralClient oldToken = stranger().withToken(old.get("secret").asString());

        JsonNode fresh = administrator
                .post(TOKENS + "/" + id + "/rotation", Map.of("overlapHours", 1))
                .expect(201)
                .json();

        assertThat(fresh.at("/token/scopes")).isEqualTo(old.at("/token/scopes"));
        stranger()
                .withToken(fresh.get("secret").asString())
                .get("/api/v1/changes")
                .expect(200);
        oldToken.get("/api/v1/changes").expect(200);
        administrator
                .post(TOKENS + "/" + id + "/rotation", Map.of("overlapHours", 0))
                .expect(201);
        oldToken.get("/api/v1/changes").expect(401);
        administrator
                .post(TOKENS + "/nothing/rotation", Map.of("overlapHours", 0))
                .expect(404);
    }
}
