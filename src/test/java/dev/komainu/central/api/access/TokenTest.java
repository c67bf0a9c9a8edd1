package dev.komainu.central.api.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralClient;
import dev.komainu.central.CentralTest;
import dev.komainu.central.access.ApiTokens;
import dev.komainu.central.access.ExternalIdentity;
import dev.komainu.central.access.ExternalUsers;
import dev.komainu.central.access.Role;
import dev.komainu.central.access.Scope;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/** Tests of API tokens: created, used, revoked, and never stored in clear text. */
class TokenTest extends CentralTest {

    private static final String TOKENS = "/api/v1/tokens";

    @Autowired
    private ApiTokens tokens;

    @Autowired
    private ExternalUsers externals;

    @Autowired
    private JdbcClient jdbc;

    @Test
    void create_thenUse_thenRevoke() {
        CentralClient administrator = browser(Role.ADMINISTRATOR);
        JsonNode created = administrator
                .post(
                        TOKENS,
                        Map.of("name", "ci", "scopes", List.of("servers:read"), "expiresInDays", 7))
                .expect(201)
                .json();
        String secret = created.get("secret").asString();
        String id = created.at("/token/id").asString();
        assertThat(secret).startsWith("kmn_" + id).hasSize(4 + 43);

        CentralClient ci = stranger().withToken(secret);
        ci.get("/api/v1/changes").expect(200);
        assertThat(administrator.get(TOKENS).json().findParents("id"))
                .filteredOn(token -> token.get("id").asString().equals(id))
                .singleElement()
                .satisfies(token -> assertThat(token.get("lastUsed").isNull()).isFalse());

        administrator.delete(TOKENS + "/" + id).expect(204);
        ci.get("/api/v1/changes").expect(401);
    }

    @Test
    void tokenOfAnExternalUser_whoDoesNotLogIn_isRefusedWithTheReason_untilTheNextLogin() {
        externals.store(
                new ExternalIdentity("https://login.example", "token-test", "cora@example"),
                Role.OPERATOR,
                null);
        lastLogin(Duration.ofDays(89));
        ApiTokens.Created created = tokens.create(
                "cora's", List.of(Scope.SERVERS_READ), Duration.ofDays(200), "cora@example");
        CentralClient program = stranger().withToken(created.secret());
        program.get("/api/v1/changes").expect(200);

        Instant loginBy = lastLogin(Duration.ofDays(91));

        CentralClient.Answer refused = program.get("/api/v1/changes").expect(401);
        assertThat(refused.problem()).isEqualTo("invalid-token");
        assertThat(refused.body()).contains("its owner cora@example has not logged in");
        assertThat(browser(Role.ADMINISTRATOR).get(TOKENS).json().findParents("id"))
                .filteredOn(token ->
                        token.get("id").asString().equals(created.token().id()))
                .singleElement()
                .satisfies(
                        token -> assertThat(Instant.parse(token.get("loginBy").asString()))
                                .isEqualTo(loginBy));
        assertThat(stranger().withToken("kmn_unknown").get("/api/v1/changes").body())
                .contains("unknown, revoked or expired");

        lastLogin(Duration.ZERO);
        program.get("/api/v1/changes").expect(200);

        browser(Role.ADMINISTRATOR).delete("/api/v1/users/cora@example").expect(204);
        assertThat(program.get("/api/v1/changes").expect(401).body())
                .contains("unknown, revoked or expired");
    }

    /** Sets the last login of the external user, and returns the end of the time without one. */
    private Instant lastLogin(Duration ago) {
        Instant at = Instant.now().minus(ago).truncatedTo(ChronoUnit.MICROS);
        jdbc.sql("update users set last_login = ? where name = 'cora@example'")
                .param(at.atOffset(ZoneOffset.UTC))
                .update();
        return at.plus(Duration.ofDays(90));
    }

    @Test
    void secret_isStoredAsHashOnly() {
        String secret = token(Scope.METRICS_READ);

        String kept = jdbc.sql("select * from tokens").query().listOfRows().toString();

        assertThat(kept).doesNotContain(secret).doesNotContain(secret.substring(20));
    }

    @Test
    void find_expired_isEmpty() {
        String secret = tokens.create("old", List.of(Scope.ADMIN), Duration.ofSeconds(-1), "test")
                .secret();

        stranger().withToken(secret).get("/api/v1/users").expect(401);
    }

    @Test
    void bootstrap_files_workAndAreTheOwnersAlone() throws IOException {
        Path read = data().resolveSibling("tokens").resolve("read.token");
        Path ingest = read.resolveSibling("ingest.token");

        for (Path file : new Path[] {read, ingest}) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-------");
        }
        stranger().withToken(Files.readString(read).strip()).get("/metrics").expect(200);
        stranger().withToken(Files.readString(ingest).strip()).get("/metrics").expect(403);
    }

    @Test
    void session_bearer_holdsNoSession() {
        assertThat(machine(Scope.values())
                        .put(
                                "/api/v1/session/password",
                                Map.of("currentPassword", "a", "newPassword", "b"))
                        .status())
                .isEqualTo(403);
    }
}
