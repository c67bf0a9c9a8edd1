package dev.komainu.central.api.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralClient;
import dev.komainu.central.CentralTest;
import dev.komainu.central.access.Role;
import dev.komainu.central.access.Users;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** Tests of login, logout and the session between. */
class SessionTest extends CentralTest {

    private static final String SESSION = "/api/v1/session";

    @Autowired
    private Users users;

    @Test
    void session_notLoggedIn_hasNullUser() {
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
        assertThat(browser.get("/api/v1/users").expect(403).problem())
                .isEqualTo("password-change-required");

        browser.put(
                        SESSION + "/password",
                        Map.of("currentPassword", oneTime, "newPassword", PASSWORD))
                .expect(204);
        assertThat(browser.get(SESSION).json().get("mustChangePassword").asBoolean())
                .isFalse();
        assertThat(stranger()
                        .post(SESSION, Map.of("name", "forced", "password", oneTime))
                        .status())
                .isEqualTo(401);
    }

    @Test
    void login_cookie_isNotReadableByScriptsAndOtherSites() {
        newcomer("cookie", Role.VIEWER);

        String cookie = stranger()
                .post(SESSION, Map.of("name", "cookie", "password", PASSWORD))
                .header("Set-Cookie");

        assertThat(cookie)
                .startsWith("KOMAINU_SESSION=")
                .contains("HttpOnly", "SameSite=Strict", "Path=/");
    }

    @Test
    void login_wrongNameOrWrongPassword_getTheSameResponse() {
        newcomer("alike", Role.VIEWER);
        CentralClient away = stranger().from("127.0.0.31");

        CentralClient.Answer wrongPassword =
                away.post(SESSION, Map.of("name", "alike", "password", "wrong"));
        CentralClient.Answer wrongName =
                away.post(SESSION, Map.of("name", "nobody-here", "password", "wrong"));

        assertThat(wrongPassword.expect(401).body())
                .isEqualTo(wrongName.expect(401).body());
        assertThat(wrongName.header("Set-Cookie")).isEmpty();
    }

    @Test
    void login_fiveFailures_refusesEvenTheRightPassword() {
        newcomer("guessed", Role.VIEWER);
        CentralClient away = stranger().from("127.0.0.32");
        for (int i = 0; i < 5; i++) {
            away.post(SESSION, Map.of("name", "guessed", "password", "guess " + i))
                    .expect(401);
        }

        CentralClient.Answer later = away.post(
                        SESSION, Map.of("name", "guessed", "password", PASSWORD))
                .expect(429);

        assertThat(Integer.parseInt(later.header("Retry-After"))).isBetween(1, 60);
        stranger().login("guessed", PASSWORD);
    }

    @Test
    void changePassword_whileAnotherBrowserIsIn_endsTheOther() {
        CentralClient here = newcomer("moving", Role.VIEWER);
        CentralClient there = stranger().login("moving", PASSWORD);

        here.put(
                        SESSION + "/password",
                        Map.of("currentPassword", PASSWORD, "newPassword", "another long one"))
                .expect(204);

        here.get("/api/v1/changes").expect(200);
        there.get("/api/v1/changes").expect(401);
    }

    @Test
    void changePassword_weakOrWrong_isRefusedWithoutRepeatingIt() {
        CentralClient browser = newcomer("weak", Role.VIEWER);

        CentralClient.Answer weak = browser.put(
                        SESSION + "/password",
                        Map.of("currentPassword", PASSWORD, "newPassword", "tooshort1"))
                .expect(400);
        CentralClient.Answer wrong = browser.put(
                        SESSION + "/password",
                        Map.of("currentPassword", "not this", "newPassword", "long enough now"))
                .expect(400);

        assertThat(weak.json().at("/errors/0/field").asString()).isEqualTo("newPassword");
        assertThat(weak.body()).doesNotContain("tooshort1");
        assertThat(wrong.json().at("/errors/0/field").asString()).isEqualTo("currentPassword");
    }

    @Test
    void logout_cookieAfterwards_opensNothing() {
        CentralClient browser = newcomer("leaving", Role.VIEWER);

        assertThat(browser.delete(SESSION).expect(204).header("Set-Cookie")).contains("Max-Age=0");

        browser.get("/api/v1/changes").expect(401);
    }

    @Test
    void firstPassword_changed_fileIsGone() throws Exception {
        Path file = data().resolve("first-password");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        String oneTime = Files.readString(file).strip();

        stranger()
                .login("admin", oneTime)
                .put(
                        SESSION + "/password",
                        Map.of("currentPassword", oneTime, "newPassword", PASSWORD))
                .expect(204);

        assertThat(file).doesNotExist();
    }
}
