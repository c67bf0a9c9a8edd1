package dev.komainu.central.api.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralClient;
import dev.komainu.central.CentralTest;
import dev.komainu.central.access.Role;
import dev.komainu.central.access.TestAuthenticator;
import dev.komainu.central.access.Users;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/** Tests of the second factor over HTTP: set-up, login in two steps, guesses, removal. */
class SecondFactorTest extends CentralTest {

    private static final String SESSION = "/api/v1/session";
    private static final String CODE = SESSION + "/code";
    private static final String FACTOR = SESSION + "/second-factor";
    private static final String CONFIRMATION = SESSION + "/confirmation";
    private static final String USERS = "/api/v1/users";

    /** Any route of a viewer. */
    private static final String INSIDE = "/api/v1/changes";

    @Autowired
    private Users users;

    @Autowired
    private JdbcClient jdbc;

    /** A user with a second factor. */
    private record Guarded(
            String name,
            CentralClient session,
            TestAuthenticator authenticator,
            List<String> recoveryCodes) {}

    private Guarded guarded(String name, Role role) {
        CentralClient session = newcomer(name, role);
        TestAuthenticator authenticator = new TestAuthenticator(
                session.post(FACTOR, null).expect(201).json().get("secret").asString());
        List<String> codes = session.put(FACTOR, Map.of("code", authenticator.moved(0)))
                .expect(200)
                .json()
                .get("recoveryCodes")
                .valueStream()
                .map(JsonNode::asString)
                .toList();
        // The code of the set-up is used up; a test need not wait for the next time step.
        jdbc.sql("update second_factor set last_step = 0 where user_name = ?")
                .param(name)
                .update();
        return new Guarded(name, session, authenticator, codes);
    }

    private static CentralClient.Answer password(CentralClient from, String name) {
        return from.post(SESSION, Map.of("name", name, "password", PASSWORD)).expect(200);
    }

    /** Gives the right password and returns the browser that waits for its code. */
    private static CentralClient pending(CentralClient from, String name) {
        return withCookie(from, "KOMAINU_PENDING", password(from, name));
    }

    private static CentralClient withCookie(
            CentralClient from, String name, CentralClient.Answer answer) {
        String cookie = answer.headers().allValues("Set-Cookie").stream()
                .filter(each -> each.startsWith(name + "="))
                .findFirst()
                .orElseThrow();
        return from.withHeader("Cookie", cookie.replaceFirst(";.*", ""));
    }

    private static CentralClient.Answer give(CentralClient pending, String code) {
        return pending.post(CODE, Map.of("code", code));
    }

    /** Returns a browser that is logged in by this answer. */
    private CentralClient inside(CentralClient.Answer answer) {
        return withCookie(stranger(), "KOMAINU_SESSION", answer)
                .withHeader("X-CSRF-Token", answer.json().get("csrfToken").asString());
    }

    private List<JsonNode> audit(String action, String subjectOrActor) {
        return browser(Role.ADMINISTRATOR)
                .get("/api/v1/audit?limit=1000")
                .expect(200)
                .json()
                .get("items")
                .valueStream()
                .filter(entry -> entry.get("action").asString().equals(action)
                        && (entry.path("subject").asString("").equals(subjectOrActor)
                                || entry.get("actor").asString().equals(subjectOrActor)))
                .toList();
    }

    @Test
    void setUp_firstCode_endsOtherSessionsAndIsInTheListOfUsers() {
        CentralClient here = newcomer("first-code", Role.VIEWER);
        CentralClient there = stranger().login("first-code", PASSWORD);
        assertThat(here.get(FACTOR).expect(200).json().get("since").isNull()).isTrue();

        JsonNode offer = here.post(FACTOR, null).expect(201).json();
        there.get(INSIDE).expect(200);
        here.put(
                        FACTOR,
                        Map.of(
                                "code",
                                new TestAuthenticator(offer.get("secret").asString()).next()))
                .expect(200);

        here.get(INSIDE).expect(200);
        there.get(INSIDE).expect(401);
        assertThat(offer.get("uri").asString())
                .contains("otpauth://totp/Komainu:first-code%40127.0.0.1?secret="
                        + offer.get("secret").asString());
        assertThat(here.get(FACTOR).json().get("recoveryCodesLeft").asInt()).isEqualTo(10);
        assertThat(here.get(SESSION).json().at("/user/secondFactor").asBoolean())
                .isTrue();
        assertThat(browser(Role.ADMINISTRATOR)
                        .get(USERS)
                        .json()
                        .valueStream()
                        .filter(user -> user.get("secondFactor").asBoolean())
                        .map(user -> user.get("name").asString()))
                .contains("first-code")
                .doesNotContain("test-administrator");
        assertThat(audit("second-factor.set-up", "first-code")).singleElement().satisfies(entry -> {
            assertThat(entry.get("outcome").asString()).isEqualTo("done");
            assertThat(entry.get("after").asString()).isEqualTo("set up; sessions ended: 1");
        });
    }

    @Test
    void setUp_wrongFirstCode_isRefusedAndTheLoginNeedsNone() {
        CentralClient session = newcomer("first-wrong", Role.VIEWER);
        assertThat(session.put(FACTOR, Map.of("code", "123456")).expect(409).problem())
                .isEqualTo("no-offer");
        TestAuthenticator authenticator = new TestAuthenticator(
                session.post(FACTOR, null).expect(201).json().get("secret").asString());

        assertThat(session.put(FACTOR, Map.of("code", authenticator.moved(-100)))
                        .expect(400)
                        .problem())
                .isEqualTo("code-refused");

        stranger().login("first-wrong", PASSWORD).get(INSIDE).expect(200);
    }

    @Test
    void setUp_byAStolenSessionOrWithAOneTimePassword_isRefused() {
        CentralClient session = newcomer("set-up-stolen", Role.VIEWER);
        passSixMinutes("set-up-stolen");
        assertThat(session.post(FACTOR, null).expect(403).problem()).isEqualTo("password-required");

        String oneTime = users.create("set-up-early", Role.VIEWER).orElseThrow().oneTimePassword();
        assertThat(stranger()
                        .login("set-up-early", oneTime)
                        .post(FACTOR, null)
                        .expect(403)
                        .problem())
                .isEqualTo("password-change-required");
    }

    private void passSixMinutes(String user) {
        jdbc.sql(
                        "update sessions set confirmed = confirmed - interval '6' minute where user_name = ?")
                .param(user)
                .update();
    }

    @Test
    void login_password_opensNothingBeforeTheCode() {
        Guarded user = guarded("two-steps", Role.VIEWER);
        CentralClient.Answer first = password(stranger(), "two-steps");
        CentralClient waiting = withCookie(stranger(), "KOMAINU_PENDING", first);

        assertThat(first.json().get("user").isNull()).isTrue();
        assertThat(first.json().get("csrfToken").asString()).isEmpty();
        assertThat(first.headers().allValues("Set-Cookie"))
                .singleElement()
                .asString()
                .contains("HttpOnly", "SameSite=Strict", "Path=/api/v1/session;", "Max-Age=300")
                .doesNotContain("two-steps");
        waiting.get(INSIDE).expect(401);
        assertThat(waiting.get(SESSION).json().at("/pendingLogin/until").asString())
                .isNotEmpty();

        CentralClient.Answer second = give(waiting, user.authenticator().next()).expect(200);

        assertThat(second.json().at("/user/name").asString()).isEqualTo("two-steps");
        inside(second).get(INSIDE).expect(200);
        assertThat(give(waiting, user.authenticator().next()).expect(401).problem())
                .as("the pending login is over")
                .isEqualTo("login-ended");
        assertThat(audit("login", "two-steps").getFirst().get("after").asString())
                .isEqualTo("code");
        assertThat(audit("login.password", "two-steps")).hasSize(1);
    }

    @Test
    void code_withoutAPassword_opensNothing() {
        Guarded user = guarded("no-password", Role.VIEWER);

        assertThat(give(stranger(), user.authenticator().next()).expect(401).problem())
                .isEqualTo("login-ended");
        assertThat(give(
                                stranger().withHeader("Cookie", "KOMAINU_PENDING=made-up"),
                                user.authenticator().moved(0))
                        .expect(401)
                        .problem())
                .isEqualTo("login-ended");
    }

    @Test
    void code_fiveWrongOnes_endTheLoginAndCountAsFailures() {
        Guarded user = guarded("five-codes", Role.VIEWER);
        CentralClient away = stranger().from("127.0.0.101");
        CentralClient waiting = pending(away, "five-codes");
        for (int i = 0; i < 4; i++) {
            assertThat(give(waiting, user.authenticator().moved(100 + i))
                            .expect(401)
                            .problem())
                    .isEqualTo("code-refused");
        }
        assertThat(give(waiting, user.authenticator().moved(200)).expect(401).problem())
                .isEqualTo("login-ended");
        assertThat(give(waiting, user.authenticator().next()).expect(401).problem())
                .as("the right code, too late")
                .isEqualTo("login-ended");

        away.post(SESSION, Map.of("name", "five-codes", "password", PASSWORD)).expect(429);
        assertThat(audit("login.code", "five-codes"))
                .isNotEmpty()
                .allMatch(entry -> entry.get("outcome").asString().equals("refused"));
    }

    @Test
    void password_rightOne_doesNotForgetEarlierFailures() {
        Guarded user = guarded("no-reset", Role.VIEWER);
        CentralClient away = stranger().from("127.0.0.102");
        for (int i = 0; i < 5; i++) {
            give(pending(away, "no-reset"), user.authenticator().moved(100 + i)).expect(401);
        }

        away.post(SESSION, Map.of("name", "no-reset", "password", PASSWORD)).expect(429);
    }

    @Test
    void pendingLogins_moreThanThreeOfAUser_endTheOldest() {
        Guarded user = guarded("many-pending", Role.VIEWER);
        List<CentralClient> waiting = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            waiting.add(pending(stranger(), "many-pending"));
            jdbc.sql("update pending_login set created = created - interval '1' second"
                            + " where user_name = 'many-pending'")
                    .update();
        }

        assertThat(give(waiting.getFirst(), user.authenticator().next())
                        .expect(401)
                        .problem())
                .isEqualTo("login-ended");
        give(waiting.getLast(), user.authenticator().moved(0)).expect(200);
    }

    @Test
    void pendingLogin_fiveMinutesLater_hasEnded() {
        Guarded user = guarded("slow-code", Role.VIEWER);
        CentralClient waiting = pending(stranger(), "slow-code");
        jdbc.sql("update pending_login set created = created - interval '5' minute"
                        + " where user_name = 'slow-code'")
                .update();

        assertThat(give(waiting, user.authenticator().next()).expect(401).problem())
                .isEqualTo("login-ended");
        assertThat(waiting.get(SESSION).json().get("pendingLogin").isNull()).isTrue();
    }

    @Test
    void code_usedBefore_isRefusedInAnotherLogin() {
        Guarded user = guarded("code-twice", Role.VIEWER);
        CentralClient away = stranger().from("127.0.0.103");
        String code = user.authenticator().next();
        give(pending(away, "code-twice"), code).expect(200);

        assertThat(give(pending(away, "code-twice"), code).expect(401).problem())
                .isEqualTo("code-used");
    }

    @Test
    void code_sameOneInTwoLoginsAtTheSameTime_opensOneSession() throws Exception {
        Guarded user = guarded("code-race", Role.VIEWER);
        CentralClient away = stranger().from("127.0.0.104");
        List<CentralClient> waiting = List.of(
                pending(away, "code-race"), pending(away, "code-race"), pending(away, "code-race"));
        CyclicBarrier start = new CyclicBarrier(waiting.size());
        String code = user.authenticator().next();
        List<Integer> statuses = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(waiting.size())) {
            List<Future<Integer>> running = new ArrayList<>();
            for (CentralClient each : waiting) {
                running.add(threads.submit(() -> {
                    start.await();
                    return give(each, code).status();
                }));
            }
            for (Future<Integer> each : running) {
                statuses.add(each.get());
            }
        }

        assertThat(statuses).containsExactlyInAnyOrder(200, 401, 401);
    }

    @Test
    void recoveryCode_opensOneSessionOnly() {
        Guarded user = guarded("recovered", Role.VIEWER);
        CentralClient away = stranger().from("127.0.0.105");
        String code = user.recoveryCodes().getFirst();

        give(pending(away, "recovered"), code).expect(200);

        assertThat(give(pending(away, "recovered"), code).expect(401).problem())
                .isEqualTo("code-refused");
        assertThat(audit("login", "recovered").getFirst().get("after").asString())
                .isEqualTo("recovery code, 9 left");
    }

    @Test
    void code_ofYesterday_saysThatAClockMayBeWrongAndARecoveryCodeWorks() {
        Guarded user = guarded("wrong-clock", Role.VIEWER);
        CentralClient waiting = pending(stranger().from("127.0.0.106"), "wrong-clock");

        CentralClient.Answer answer =
                give(waiting, user.authenticator().moved(-2_880)).expect(401);

        assertThat(answer.problem()).isEqualTo("code-refused");
        assertThat(answer.json().get("detail").asString())
                .containsPattern("clock of the service shows 20\\d\\d-\\d\\d-\\d\\d")
                .as("not which time the code belongs to")
                .doesNotContain("day");
        give(waiting, user.recoveryCodes().getFirst()).expect(200);
    }

    @Test
    void confirmation_ofAUserWithSecondFactor_needsTheCodeToo() {
        Guarded user = guarded("confirming", Role.ADMINISTRATOR);
        passSixMinutes("confirming");
        Map<String, Object> token = Map.of("name", "read", "scopes", List.of("servers:read"));

        CentralClient.Answer missing =
                user.session().put(CONFIRMATION, Map.of("password", PASSWORD)).expect(400);
        assertThat(missing.json().at("/errors/0/field").asString()).isEqualTo("code");
        assertThat(user.session()
                        .put(
                                CONFIRMATION,
                                Map.of(
                                        "password",
                                        PASSWORD,
                                        "code",
                                        user.authenticator().moved(500)))
                        .expect(400)
                        .problem())
                .isEqualTo("code-refused");
        assertThat(user.session()
                        .put(
                                CONFIRMATION,
                                Map.of(
                                        "password",
                                        "wrong",
                                        "code",
                                        user.authenticator().moved(0)))
                        .expect(400)
                        .json()
                        .at("/errors/0/field")
                        .asString())
                .isEqualTo("password");
        user.session().post("/api/v1/tokens", token).expect(403);

        user.session()
                .put(
                        CONFIRMATION,
                        Map.of(
                                "password",
                                PASSWORD,
                                "code",
                                user.authenticator().next()))
                .expect(204);
        user.session().post("/api/v1/tokens", token).expect(201);
    }

    @Test
    void confirmation_rightPasswordBetweenWrongCodes_doesNotForgetThem() {
        Guarded user = guarded("confirm-guess", Role.VIEWER);
        for (int i = 0; i < 5; i++) {
            user.session()
                    .put(
                            CONFIRMATION,
                            Map.of(
                                    "password",
                                    PASSWORD,
                                    "code",
                                    user.authenticator().moved(100 + i)))
                    .expect(400);
        }

        user.session()
                .put(
                        CONFIRMATION,
                        Map.of(
                                "password",
                                PASSWORD,
                                "code",
                                user.authenticator().next()))
                .expect(429);
    }

    @Test
    void tokens_ofAUserWithSecondFactor_needNoCode() {
        CentralClient session = newcomer("token-owner", Role.ADMINISTRATOR);
        CentralClient token = stranger()
                .withToken(session.post(
                                "/api/v1/tokens",
                                Map.of("name", "read", "scopes", List.of("servers:read")))
                        .expect(201)
                        .json()
                        .get("secret")
                        .asString());
        TestAuthenticator authenticator = new TestAuthenticator(
                session.post(FACTOR, null).expect(201).json().get("secret").asString());

        session.put(FACTOR, Map.of("code", authenticator.next())).expect(200);

        token.get(INSIDE).expect(200);
    }

    @Test
    void removal_byAnAdministrator_needsThePasswordAndEndsSessions() {
        Guarded user = guarded("freed", Role.VIEWER);
        CentralClient waiting = pending(stranger(), "freed");
        CentralClient administrator = newcomer("freeing", Role.ADMINISTRATOR);
        passSixMinutes("freeing");
        assertThat(administrator
                        .delete(USERS + "/freed/second-factor")
                        .expect(403)
                        .problem())
                .isEqualTo("password-required");
        administrator.put(CONFIRMATION, Map.of("password", PASSWORD)).expect(204);

        administrator.delete(USERS + "/freed/second-factor").expect(204);

        user.session().get(INSIDE).expect(401);
        assertThat(give(waiting, user.authenticator().next()).expect(401).problem())
                .isEqualTo("login-ended");
        stranger().login("freed", PASSWORD).get(INSIDE).expect(200);
        administrator.delete(USERS + "/freed/second-factor").expect(404);
        administrator.delete(USERS + "/not-there/second-factor").expect(404);
        assertThat(audit("second-factor.remove", "freed")).singleElement().satisfies(entry -> {
            assertThat(entry.get("actor").asString()).isEqualTo("freeing");
            assertThat(entry.get("after").asString()).isEqualTo("none; sessions ended: 1");
        });
    }

    @Test
    void removal_byTheUser_needsPasswordAndCodeAndKeepsTheSession() {
        Guarded user = guarded("leaves-it", Role.VIEWER);
        passSixMinutes("leaves-it");
        user.session().delete(FACTOR).expect(403);
        user.session()
                .put(
                        CONFIRMATION,
                        Map.of(
                                "password",
                                PASSWORD,
                                "code",
                                user.authenticator().next()))
                .expect(204);

        user.session().delete(FACTOR).expect(204);

        user.session().get(INSIDE).expect(200);
        stranger().login("leaves-it", PASSWORD).get(INSIDE).expect(200);
        user.session().delete(FACTOR).expect(404);
        user.session().post(FACTOR + "/recovery-codes", null).expect(404);
    }

    @Test
    void recoveryCodes_renewed_replaceTheOldOnes() {
        Guarded user = guarded("renews", Role.VIEWER);

        String fresh = user.session()
                .post(FACTOR + "/recovery-codes", null)
                .expect(201)
                .json()
                .at("/recoveryCodes/0")
                .asString();

        CentralClient waiting = pending(stranger().from("127.0.0.107"), "renews");
        give(waiting, user.recoveryCodes().getFirst()).expect(401);
        give(waiting, fresh).expect(200);
    }

    @Test
    void passwordReset_endsPendingLoginsAndKeepsTheSecondFactor() {
        Guarded user = guarded("reset-pending", Role.VIEWER);
        CentralClient waiting = pending(stranger(), "reset-pending");

        String oneTime = browser(Role.ADMINISTRATOR)
                .patch(USERS + "/reset-pending", Map.of("resetPassword", true))
                .expect(200)
                .json()
                .get("oneTimePassword")
                .asString();

        assertThat(give(waiting, user.authenticator().moved(0)).expect(401).problem())
                .isEqualTo("login-ended");
        CentralClient.Answer first = stranger()
                .post(SESSION, Map.of("name", "reset-pending", "password", oneTime))
                .expect(200);
        assertThat(first.json().get("user").isNull()).isTrue();
        CentralClient.Answer second = give(
                        withCookie(stranger(), "KOMAINU_PENDING", first),
                        user.authenticator().next())
                .expect(200);
        assertThat(second.json().get("mustChangePassword").asBoolean()).isTrue();
    }
}
