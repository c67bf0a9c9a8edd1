package dev.komainu.central.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralClient;
import dev.komainu.central.CentralTest;
import dev.komainu.central.access.Role;
import dev.komainu.central.access.Users;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** Logging in, out, and what stands between. */
class SessionTest extends CentralTest {

    private static final String SESSION = "/api/v1/session";

    @Autowired
    private Users users;

    @Test
    void who_nobodyLoggedIn_answersNullUser() {
        CentralClient.Answer answer = stranger().get(SESSION).expect(200);

        assertThat(answer.json().get("user").isNull()).isTrue();
        assertThat(answer.json().get("version").asString()).isNotEmpty();
    }

    @Test
    void login_oneTimePassword_opensOnlyThePasswordChange() {
        String oneTime =
                users.create("forced", Role.ADMINISTRATOR).orElseThrow().oneTimePassword();
        CentralClient browser = stranger().login("forced", oneTime);

        assertThat(browser.get(SESSION).json().get("mustChangePassword").asBoolean())
                .isTrue();
        assertThat(browser.get("/api/v1/users").expect(403).problem()).isEqualTo("password-change-required");

        browser.put(SESSION + "/password", Map.of("currentPassword", oneTime, "newPassword", PASSWORD))
                .expect(204);
        assertThat(browser.get(SESSION).json().get("mustChangePassword").asBoolean())
                .isFalse();
        assertThat(stranger()
                        .post(SESSION, Map.of("name", "forced", "password", oneTime))
                        .status())
                .isEqualTo(401);
    }

    @Test
    void login_cookie_isOutOfReachOfScriptsAndOtherSites() {
        newcomer("cookie", Role.VIEWER);

        String cookie = stranger()
                .post(SESSION, Map.of("name", "cookie", "password", PASSWORD))
                .header("Set-Cookie");

        assertThat(cookie).startsWith("KOMAINU_SESSION=").contains("HttpOnly", "SameSite=Strict", "Path=/");
    }
}
