package dev.komainu.central.api.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralClient;
import dev.komainu.central.CentralTest;
import dev.komainu.central.access.Role;
import dev.komainu.central.access.Users;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Tests of attacks on the login by strangers, over HTTP. */
@Timeout(300)
class LoginAttackTest extends CentralTest {

    private static final String SESSION = "/api/v1/session";

    @Autowired
    private Users users;

    @Autowired
    private JdbcClient jdbc;

    private static CentralClient.Answer attempt(CentralClient from, String name, String password) {
        return from.post(SESSION, Map.of("name", name, "password", password));
    }

    /** Returns a client as the browser that has just logged in with this answer. */
    private static CentralClient again(CentralClient browser, CentralClient.Answer loggedIn) {
        String mark = loggedIn.headers().allValues("Set-Cookie").stream()
                .filter(cookie -> cookie.startsWith("KOMAINU_BROWSER="))
                .findFirst()
                .orElseThrow();
        return browser.withHeader("Cookie", mark.replaceFirst(";.*", ""));
    }

    @Test
    void strangerBehindTheSameProxy_failsForAllNames_doesNotLockTheAdministratorOut() {
        newcomer("behind", Role.ADMINISTRATOR);
        CentralClient proxy = stranger().from("127.0.0.41");
        CentralClient browser = again(proxy, attempt(proxy, "behind", PASSWORD).expect(200));
        for (int i = 0; i < 60; i++) {
            attempt(proxy, i % 2 == 0 ? "behind" : "made-up" + i, "guess");
        }
        attempt(proxy, "behind", PASSWORD).expect(429);

        assertThat(attempt(browser, "behind", PASSWORD).status()).isEqualTo(200);
    }

    @Test
    void thousandsOfWrongLogins_atTheSameTime_knownAdministratorLogsInAndOthersAreServed()
            throws Exception {
        CentralClient inside = newcomer("flooded", Role.ADMINISTRATOR);
        CentralClient home = stranger().from("127.0.0.42");
        CentralClient browser = again(home, attempt(home, "flooded", PASSWORD).expect(200));
        List<CentralClient> attackers = new ArrayList<>();
        for (int i = 43; i < 47; i++) {
            attackers.add(stranger().from("127.0.0." + i));
        }
        List<Integer> answers = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(attackers.size())) {
            List<Future<List<Integer>>> floods = new ArrayList<>();
            for (CentralClient attacker : attackers) {
                floods.add(threads.submit(() -> {
                    List<Integer> got = new ArrayList<>();
                    for (int i = 0; i < 500; i++) {
                        String name = i % 3 == 0 ? "flooded" : "made-up-" + i;
                        got.add(attempt(attacker, name, "guess " + i).status());
                    }
                    return got;
                }));
            }
            for (int i = 0; i < 5; i++) {
                attempt(browser, "flooded", PASSWORD).expect(200);
                inside.get("/api/v1/users").expect(200);
            }
            for (Future<List<Integer>> flood : floods) {
                answers.addAll(flood.get());
            }
        }

        attempt(browser, "flooded", PASSWORD).expect(200);
        assertThat(answers).hasSize(2_000).allMatch(List.of(401, 429, 503)::contains);
        assertThat(answers.stream().filter(status -> status == 401).count())
                .as("passwords that were checked at all")
                .isLessThanOrEqualTo(4L * 20);
    }

    @Test
    void browserMark_isUnreadableForScriptsAndBoundToTheLoginRoute() {
        newcomer("marked", Role.VIEWER);

        CentralClient.Answer answer = attempt(stranger(), "marked", PASSWORD).expect(200);

        assertThat(answer.headers().allValues("Set-Cookie"))
                .filteredOn(cookie -> cookie.startsWith("KOMAINU_BROWSER="))
                .singleElement()
                .asString()
                .contains("HttpOnly", "SameSite=Strict", "Path=/api/v1/session;", "Max-Age=")
                .doesNotContain("marked");
    }

    @Test
    void browserMark_ofAnAccountOfTheAttackers_doesNotOpenOtherNames() {
        newcomer("mallory", Role.VIEWER);
        newcomer("target", Role.ADMINISTRATOR);
        CentralClient away = stranger().from("127.0.0.48");
        CentralClient browser = again(away, attempt(away, "mallory", PASSWORD).expect(200));
        for (int i = 0; i < 5; i++) {
            attempt(browser, "target", "guess " + i).expect(401);
        }

        attempt(browser, "target", PASSWORD).expect(429);
    }

    @Test
    void spoofedForwardedFor_ofAStranger_doesNotEscapeTheLimit() {
        CentralClient away = stranger().from("127.0.0.49");
        for (int i = 0; i < 5; i++) {
            attempt(away.withHeader("X-Forwarded-For", "198.51.100." + i), "spoofed", "guess")
                    .expect(401);
        }

        attempt(away.withHeader("X-Forwarded-For", "198.51.100.99"), "spoofed", "guess")
                .expect(429);
    }

    @Test
    void strangerBehindTheTrustedProxy_isLimitedByHisOwnAddressAndAuditedWithIt() {
        newcomer("proxied", Role.VIEWER);
        CentralClient proxy =
                stranger().from(TRUSTED_PROXY).withHeader("X-Forwarded-Proto", "https");
        CentralClient attacker = proxy.withHeader("X-Forwarded-For", "1.1.1.1, 198.51.100.66");
        for (int i = 0; i < 5; i++) {
            attempt(attacker, "proxied", "guess").expect(401);
        }
        attempt(attacker, "proxied", PASSWORD).expect(429);

        CentralClient.Answer answer = attempt(
                        proxy.withHeader("X-Forwarded-For", "198.51.100.7"), "proxied", PASSWORD)
                .expect(200);

        assertThat(answer.headers().allValues("Set-Cookie"))
                .allSatisfy(cookie -> assertThat(cookie).contains("Secure"));
        assertThat(browser(Role.ADMINISTRATOR).get("/api/v1/audit?limit=20").body())
                .contains("198.51.100.66", "198.51.100.7");
        assertThat(browser(Role.ADMINISTRATOR)
                        .get("/api/v1/users/proxied/sessions")
                        .expect(200)
                        .json()
                        .findValuesAsString("address"))
                .contains("198.51.100.7");
    }

    @Test
    void oneTimePassword_foundADayLater_saysHowToGetANewOne() {
        String oneTime =
                users.create("forgotten", Role.ADMINISTRATOR).orElseThrow().oneTimePassword();
        jdbc.sql("update users set one_time_until = one_time_until - interval '1' day"
                        + " where name = 'forgotten'")
                .update();

        CentralClient.Answer answer = attempt(stranger(), "forgotten", oneTime).expect(401);

        assertThat(answer.problem()).isEqualTo("one-time-password-expired");
        assertThat(answer.json().get("detail").asString())
                .contains("./komainu reset-password forgotten");
        assertThat(attempt(stranger(), "forgotten", "wrong").expect(401).problem())
                .as("nobody else learns it")
                .isEqualTo("login-refused");
    }

    @Test
    void commonPassword_isRefusedWithoutRepeatingIt() {
        CentralClient browser = newcomer("common", Role.VIEWER);

        CentralClient.Answer answer = browser.put(
                        SESSION + "/password",
                        Map.of("currentPassword", PASSWORD, "newPassword", "password1234"))
                .expect(400);

        assertThat(answer.json().at("/errors/0/field").asString()).isEqualTo("newPassword");
        assertThat(answer.body()).doesNotContain("password1234");
    }
}
