package dev.komainu.central.api.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralClient;
import dev.komainu.central.CentralTest;
import dev.komainu.central.access.Role;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests of the user accounts and their administration. */
class UserTest extends CentralTest {

    private static final String USERS = "/api/v1/users";

    @Test
    void create_thenLogin_worksOnceWithTheOneTimePassword() {
        CentralClient.Answer created = browser(Role.ADMINISTRATOR)
                .post(USERS, Map.of("name", "keiko", "role", "operator"))
                .expect(201);

        CentralClient keiko =
                stranger().login("keiko", created.json().get("oneTimePassword").asString());
        assertThat(keiko.get("/api/v1/session").json().at("/user/role").asString())
                .isEqualTo("operator");
        assertThat(browser(Role.ADMINISTRATOR).get(USERS).body()).contains("keiko");
    }

    @Test
    void create_existingName_isAConflict() {
        browser(Role.ADMINISTRATOR)
                .post(USERS, Map.of("name", "twice", "role", "viewer"))
                .expect(201);

        assertThat(browser(Role.ADMINISTRATOR)
                        .post(USERS, Map.of("name", "twice", "role", "viewer"))
                        .expect(409)
                        .problem())
                .isEqualTo("name-taken");
    }

    @Test
    void create_wrongNameAndRole_bothAreReported() {
        assertThat(browser(Role.ADMINISTRATOR)
                        .post(USERS, Map.of("name", "Bad Name", "role", "king"))
                        .expect(400)
                        .json()
                        .get("errors")
                        .findValuesAsString("field"))
                .containsExactly("name", "role");
    }

    @Test
    void update_role_worksFromTheNextRequestOn() {
        CentralClient taro = newcomer("taro", Role.VIEWER);
        taro.get("/api/v1/audit").expect(403);

        browser(Role.ADMINISTRATOR)
                .patch(USERS + "/taro", Map.of("role", "administrator"))
                .expect(200);

        taro.get("/api/v1/audit").expect(200);
    }

    @Test
    void update_resetPassword_endsSessionsAndShowsANewOneOnce() {
        CentralClient hana = newcomer("hana", Role.VIEWER);

        CentralClient.Answer reset = browser(Role.ADMINISTRATOR)
                .patch(USERS + "/hana", Map.of("resetPassword", true))
                .expect(200);

        hana.get("/api/v1/changes").expect(401);
        CentralClient again =
                stranger().login("hana", reset.json().get("oneTimePassword").asString());
        assertThat(again.get("/api/v1/changes").expect(403).problem())
                .isEqualTo("password-change-required");
    }

    @Test
    void delete_userWithSession_logsOutAtOnce() {
        CentralClient jiro = newcomer("jiro", Role.VIEWER);

        browser(Role.ADMINISTRATOR).delete(USERS + "/jiro").expect(204);

        jiro.get("/api/v1/changes").expect(401);
        browser(Role.ADMINISTRATOR).delete(USERS + "/jiro").expect(404);
    }
}
