package dev.komainu.central.api.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralClient;
import dev.komainu.central.CentralTest;
import dev.komainu.central.access.ApiTokens;
import dev.komainu.central.access.Role;
import dev.komainu.central.access.Scope;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
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
