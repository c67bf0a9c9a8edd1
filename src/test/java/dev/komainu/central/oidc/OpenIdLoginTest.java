package dev.komainu.central.oidc;

import static dev.komainu.telemetry.kit.FreePort.freePort;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.komainu.central.CentralClient;
import dev.komainu.central.access.Role;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/**
 * Tests of login, logout and confirmation at a certified provider, which is a process of its own.
 * Each test has users of its own.
 */
class OpenIdLoginTest {

    private static final String LOGOUT = "/api/v1/session/oidc/back-channel-logout";
    private static final String CONFIRMATION = "/api/v1/session/oidc/confirmation";
    private static final String USERS = "/api/v1/users";
    private static final String COOKIE = "KOMAINU_OPENID";
    private static final String OTHER = "http://127.0.0.1:9/other";

    @TempDir
    private static Path data;

    private static LogoutInbox inbox;
    private static ProviderProcess provider;
    private static OpenIdService service;

    @BeforeAll
    static void start() throws IOException {
        inbox = new LogoutInbox();
        int port = freePort();
        String console = "http://localhost:" + port;
        provider = ProviderProcess.at(
                        freePort(),
                        List.of(
                                client("komainu", console + OpenIdSettings.CALLBACK, console + "/"),
                                client("other", OTHER, OTHER)))
                .start(false);
        service = OpenIdService.start(data, port, provider.issuer());
    }

    private static Map<String, Object> client(String id, String redirect, String afterLogout) {
        return Map.of(
                "client_id",
                id,
                "client_secret",
                "a secret of the client",
                "redirect_uris",
                List.of(redirect),
                "post_logout_redirect_uris",
                List.of(afterLogout),
                "backchannel_logout_uri",
                inbox.address(id),
                "backchannel_logout_session_required",
                true);
    }

    @AfterAll
    static void stop() {
        if (service != null) {
            service.close();
        }
        if (provider != null) {
            provider.close();
        }
        inbox.close();
    }

    private static CookieBrowser.Page logIn(CookieBrowser browser, String subject)
            throws Exception {
        CookieBrowser.Page page = browser.open(service.address(OpenIdSettings.BEGIN));
        return page.status() == 200 ? browser.logIn(subject) : page;
    }

    private static CookieBrowser loggedIn(String subject) throws Exception {
        CookieBrowser browser = new CookieBrowser();
        assertThat(logIn(browser, subject).location()).isEqualTo(console("/overview"));
        return browser;
    }

    private static String console(String page) {
        return service.address("/#" + page).toString();
    }

    private static String parameter(String address, String name) {
        Matcher found = Pattern.compile("[?&]" + name + "=([^&]*)").matcher(address);
        assertThat(found.find()).as("%s in %s", name, address).isTrue();
        return found.group(1);
    }

    private static CentralClient administrator(String name) {
        return service.localUser(name, Role.ADMINISTRATOR);
    }

    private static boolean isOpen(CookieBrowser browser) {
        return service.stranger()
                        .withHeader(
                                "Cookie",
                                "KOMAINU_SESSION="
                                        + browser.cookie(service.address("/"), "KOMAINU_SESSION"))
                        .get("/api/v1/changes")
                        .status()
                == 200;
    }

    private static CentralClient.Answer sendLogout(String form) {
        return service.stranger()
                .withHeader("Content-Type", "application/x-www-form-urlencoded")
                .post(LOGOUT, form);
    }

    @Test
    void session_ofAStranger_namesTheButton() {
        CentralClient.Answer answer = service.stranger().get("/api/v1/session").expect(200);

        assertThat(answer.json().at("/provider/text").asString()).isEqualTo("Log in at the office");
        assertThat(answer.json().at("/provider/url").asString())
                .isEqualTo(service.address(OpenIdSettings.BEGIN).toString());
    }

    @Test
    void login_memberOfAGroup_hasItsRoleAndServices() throws Exception {
        provider.user("ben", "Ben", "shop", "unknown");

        CentralClient ben = service.client(loggedIn("ben"));

        CentralClient.Answer session = ben.get("/api/v1/session");
        assertThat(session.json().at("/user/name").asString()).isEqualTo("ben");
        assertThat(session.json().at("/user/role").asString()).isEqualTo("operator");
        assertThat(session.json().at("/user/group").asString()).isEqualTo("team=shop");
        assertThat(session.json().at("/user/external").asBoolean()).isTrue();
        assertThat(session.json().at("/mustChangePassword").asBoolean()).isFalse();
        ben.get("/api/v1/audit").expect(403);
    }

    @Test
    void login_nextPage_isShownOnlyIfItIsOne() throws Exception {
        provider.user("gil", "gil", "staff");
        for (Map.Entry<String, String> each : Map.of(
                        "/services/a:80/indices?range=1h",
                        "/services/a:80/indices?range=1h",
                        "//evil.example/",
                        "/overview",
                        "https://evil.example/",
                        "/overview")
                .entrySet()) {
            CookieBrowser browser = new CookieBrowser();
            CookieBrowser.Page page = browser.open(service.address(OpenIdSettings.BEGIN + "?next="
                    + URLEncoder.encode(each.getKey(), StandardCharsets.UTF_8)));
            assertThat(page.status()).isEqualTo(200);
            assertThat(browser.logIn("gil").location()).isEqualTo(console(each.getValue()));
        }
    }

    @Test
    void login_externalUser_hasNoPasswordAndGetsNone() throws Exception {
        provider.user("hal", "hal", "staff");
        CentralClient hal = service.client(loggedIn("hal"));
        CentralClient boss = administrator("boss-hal");

        assertThat(hal.put(
                                "/api/v1/session/password",
                                Map.of(
                                        "currentPassword",
                                        "any",
                                        "newPassword",
                                        "a new long password"))
                        .expect(409)
                        .problem())
                .isEqualTo("external-user");
        assertThat(hal.put("/api/v1/session/confirmation", Map.of("password", "any"))
                        .expect(409)
                        .problem())
                .isEqualTo("external-user");
        for (Map<String, Object> change : List.<Map<String, Object>>of(
                Map.of("resetPassword", true), Map.of("role", "administrator"))) {
            assertThat(boss.patch(USERS + "/hal", change).expect(409).problem())
                    .isEqualTo("external-user");
        }
        assertThat(service.users().resetPassword("hal")).isEmpty();
        for (String password : List.of("", " ", "any", "null")) {
            assertThat(service.stranger()
                            .from("127.0.0.51")
                            .post("/api/v1/session", Map.of("name", "hal", "password", password))
                            .status())
                    .isIn(400, 401);
        }
        boss.delete(USERS + "/hal").expect(204);
        assertThat(hal.get("/api/v1/changes").status()).isEqualTo(401);
    }

    @Test
    void login_mailAddressAsName_isUsable() throws Exception {
        provider.user("f-1", "Fay+1@Example.com", "staff");

        CentralClient fay = service.client(loggedIn("f-1"));

        assertThat(fay.get("/api/v1/session").json().at("/user/name").asString())
                .isEqualTo("fay+1@example.com");
        assertThat(administrator("boss-fay")
                        .get(USERS + "/fay+1@example.com/sessions")
                        .expect(200)
                        .json()
                        .size())
                .isEqualTo(1);
    }

    @Test
    void login_changedGroups_changeTheRoleAndEndWhatHadMoreRights() throws Exception {
        provider.user("dan", "dan", "staff");
        CookieBrowser first = loggedIn("dan");
        assertThat(service.client(first).get("/api/v1/audit").status()).isEqualTo(403);

        provider.user("dan", "dan", "staff", "admins");
        CookieBrowser second = loggedIn("dan");
        assertThat(service.client(second).get("/api/v1/audit").status()).isEqualTo(200);
        assertThat(isOpen(first)).isTrue();

        provider.user("dan", "dan", "shop");
        CookieBrowser third = loggedIn("dan");
        assertThat(service.client(third).get("/api/v1/audit").status()).isEqualTo(403);
        assertThat(isOpen(first)).isFalse();
        assertThat(isOpen(second)).isFalse();

        provider.user("dan", "dan");
        assertThat(logIn(new CookieBrowser(), "dan").location())
                .isEqualTo(console("/login?refused=no-group"));
    }

    @Test
    void login_nameOfALocalUser_isNotTakenOver() throws Exception {
        CentralClient carl = service.localUser("carl", Role.VIEWER);
        provider.user("imposter", "carl", "admins");
        CookieBrowser browser = new CookieBrowser();

        assertThat(logIn(browser, "imposter").location())
                .isEqualTo(console("/login?refused=name-taken"));

        assertThat(browser.cookie(service.address("/"), "KOMAINU_SESSION")).isEmpty();
        carl.get("/api/v1/audit").expect(403);
        service.stranger().login("carl", OpenIdService.PASSWORD);
    }

    @Test
    void login_nameOfAnotherExternalUser_isNotTakenOver() throws Exception {
        provider.user("ida-1", "ida", "staff").user("ida-2", "ida", "admins");
        CookieBrowser ida = loggedIn("ida-1");

        assertThat(logIn(new CookieBrowser(), "ida-2").location())
                .isEqualTo(console("/login?refused=name-taken"));
        assertThat(service.client(ida).get("/api/v1/audit").status()).isEqualTo(403);
    }

    @Test
    void login_nameThatCannotBeUsed_isRefused() throws Exception {
        provider.user("jon", "../jon", "staff");

        assertThat(logIn(new CookieBrowser(), "jon").location())
                .isEqualTo(console("/login?refused=name"));
    }

    @Test
    void login_cancelledAtTheProvider_saysSo() throws Exception {
        CookieBrowser browser = new CookieBrowser();
        CookieBrowser.Page page = browser.open(service.address(OpenIdSettings.BEGIN));

        assertThat(browser.open(URI.create(page.address() + "/abort")).location())
                .isEqualTo(console("/login?refused=provider-refused"));
    }

    @Test
    void callback_secondTime_isRefusedAndNoSecretIsInTheLog() throws Exception {
        provider.user("kim", "kim", "staff");
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        Logger log = (Logger) LoggerFactory.getLogger("ROOT");
        lines.start();
        log.addAppender(lines);
        try {
            CookieBrowser browser = new CookieBrowser();
            browser.open(service.address(OpenIdSettings.BEGIN));
            String cookie = browser.cookie(service.address("/"), COOKIE);
            URI callback = browser.logIn("kim").address();
            String code = parameter(callback.toString(), "code");
            assertThat(browser.cookie(service.address("/"), COOKIE)).isEmpty();

            browser.setCookie(service.address("/"), COOKIE, cookie);
            assertThat(browser.get(callback).location())
                    .as("state and code again")
                    .isEqualTo(console("/login?refused=expired"));

            CookieBrowser thief = new CookieBrowser();
            String state =
                    parameter(thief.get(service.address(OpenIdSettings.BEGIN)).location(), "state");
            assertThat(thief.get(service.address(
                                    OpenIdSettings.CALLBACK + "?state=" + state + "&code=" + code))
                            .location())
                    .as("the code in another login")
                    .isEqualTo(console("/login?refused=token"));

            assertThat(lines.list)
                    .noneMatch(line -> line.getFormattedMessage().contains(code))
                    .noneMatch(
                            line -> line.getFormattedMessage().contains("a secret of the client"))
                    .anyMatch(line -> line.getFormattedMessage().contains("refused: "));
        } finally {
            log.detachAppender(lines);
        }
    }

    @Test
    void callback_stolenCodeBeforeItsUse_isRefusedInAnotherBrowser() throws Exception {
        provider.user("lea", "lea", "staff");
        CookieBrowser victim = new CookieBrowser();
        victim.open(service.address(OpenIdSettings.BEGIN));
        victim.setCookie(service.address("/"), COOKIE, "lost");
        URI callback = victim.logIn("lea").address();
        CookieBrowser thief = new CookieBrowser();

        assertThat(thief.get(callback).location()).isEqualTo(console("/login?refused=expired"));

        String state =
                parameter(thief.get(service.address(OpenIdSettings.BEGIN)).location(), "state");
        String code = parameter(callback.toString(), "code");
        assertThat(thief.get(service.address(
                                OpenIdSettings.CALLBACK + "?state=" + state + "&code=" + code))
                        .location())
                .as("the thief's login has another PKCE verifier")
                .isEqualTo(console("/login?refused=token"));
    }

    @Test
    void callback_withoutALogin_isRefused() throws Exception {
        for (String query : List.of("", "?code=x", "?state=x&code=y", "?error=access_denied")) {
            assertThat(new CookieBrowser()
                            .get(service.address(OpenIdSettings.CALLBACK + query))
                            .location())
                    .isEqualTo(console("/login?refused=expired"));
        }
    }

    @Test
    void callback_answerOfAnotherIssuer_isRefused() throws Exception {
        CookieBrowser browser = new CookieBrowser();
        String state =
                parameter(browser.get(service.address(OpenIdSettings.BEGIN)).location(), "state");

        assertThat(browser.get(service.address(OpenIdSettings.CALLBACK + "?code=x&state=" + state
                                + "&iss=https%3A%2F%2Fevil.example"))
                        .location())
                .isEqualTo(console("/login?refused=token"));
    }

    @Test
    void backChannelLogout_ofOneSession_endsExactlyThisOneOnce() throws Exception {
        provider.user("eve", "eve", "staff");
        CookieBrowser first = loggedIn("eve");
        CookieBrowser second = loggedIn("eve");

        first.confirmLogout(first.open(URI.create(provider.issuer() + "/session/end")));
        String form = inbox.take("komainu", "eve");
        assertThat(isOpen(first)).isTrue();
        sendLogout(form.substring(0, form.length() - 6) + "AAAAAA").expect(400);
        assertThat(isOpen(first)).isTrue();

        sendLogout(form).expect(200);

        assertThat(isOpen(first)).isFalse();
        assertThat(isOpen(second)).isTrue();
        assertThat(sendLogout(form).expect(400).problem()).isEqualTo("invalid-logout-token");
    }

    @Test
    void backChannelLogout_tokenForAnotherService_isRefused() throws Exception {
        provider.user("moe", "moe", "staff");
        CookieBrowser browser = loggedIn("moe");
        CookieBrowser.Page other = browser.get(URI.create(provider.issuer()
                + "/auth?response_type=code&client_id=other&scope=openid&state=s&redirect_uri="
                + OTHER
                + "&code_challenge_method=S256&code_challenge=" + "a".repeat(43)));
        assertThat(other.location()).startsWith(OTHER + "?code=");

        browser.confirmLogout(browser.open(URI.create(provider.issuer() + "/session/end")));

        sendLogout(inbox.take("other", "moe")).expect(400);
        assertThat(isOpen(browser)).isTrue();
    }

    @Test
    void backChannelLogout_noTokenOrNoForm_isRefused() {
        for (String form :
                List.of("", "a=b", "logout_token=", "logout_token=%", "logout_token=a.b.c")) {
            sendLogout(form).expect(400);
        }
        service.stranger().post(LOGOUT, Map.of("logout_token", "a.b.c")).expect(415);
        assertThat(sendLogout("logout_token=" + "a".repeat(100_000)).status()).isEqualTo(413);
    }

    @Test
    void logout_here_leadsThroughTheProvidersLogoutBackToTheConsole() throws Exception {
        provider.user("nia", "nia", "staff");
        CookieBrowser browser = loggedIn("nia");

        String location = service.client(browser)
                .delete("/api/v1/session")
                .expect(200)
                .json()
                .get("location")
                .asString();
        assertThat(isOpen(browser)).isFalse();
        CookieBrowser.Page end = browser.confirmLogout(browser.open(URI.create(location)));

        assertThat(location).startsWith(provider.issuer()).doesNotContain("id_token");
        assertThat(end.location()).isEqualTo(service.address("/").toString());
        assertThat(browser.open(service.address(OpenIdSettings.BEGIN)).status())
                .as("the provider asks for the login again")
                .isEqualTo(200);
    }

    @Test
    void logout_ofALocalUser_hasNoAddress() {
        administrator("boss-out").delete("/api/v1/session").expect(204);
    }

    @Test
    void confirmation_loginAgain_allowsWhatNeedsThePassword() throws Exception {
        provider.user("ann", "ann", "admins");
        CookieBrowser browser = loggedIn("ann");
        CentralClient ann = service.client(browser);
        Map<String, Object> user = Map.of("name", "made-by-ann", "role", "viewer");
        assertThat(ann.post(USERS, user).expect(403).problem()).isEqualTo("password-required");

        CookieBrowser.Page page = browser.open(service.address(CONFIRMATION));
        assertThat(page.status()).as("the provider asks again").isEqualTo(200);
        assertThat(browser.logIn("ann").location()).isEqualTo(console("/confirmed"));

        ann.post(USERS, user).expect(201);
    }

    @Test
    void confirmation_byAnotherUser_isRefused() throws Exception {
        provider.user("pam", "pam", "admins").user("quin", "quin", "admins");
        CookieBrowser browser = loggedIn("pam");
        CentralClient pam = service.client(browser);
        browser.forget(URI.create(provider.issuer()));

        browser.open(service.address(CONFIRMATION));

        assertThat(browser.logIn("quin").location())
                .isEqualTo(console("/confirmed?refused=other-user"));
        pam.post(USERS, Map.of("name", "made-by-pam", "role", "viewer")).expect(403);
    }

    @Test
    void confirmation_withoutALoginAtTheProvider_isRefused() throws Exception {
        provider.user("ray", "ray", "admins");
        CookieBrowser browser = loggedIn("ray");
        CentralClient ray = service.client(browser);

        String asked = browser.get(service.address(CONFIRMATION)).location();
        CookieBrowser.Page page =
                browser.open(URI.create(asked.replaceAll("&(prompt|max_age)=[^&]*", "")));

        assertThat(asked).contains("prompt=login").contains("max_age=0");
        assertThat(page.location()).isEqualTo(console("/confirmed?refused=other-user"));
        ray.post(USERS, Map.of("name", "made-by-ray", "role", "viewer")).expect(403);
    }

    @Test
    void confirmation_ofALocalUser_isAConflict() {
        assertThat(administrator("boss-conf").get(CONFIRMATION).expect(409).problem())
                .isEqualTo("local-user");
    }

    @Test
    void keys_replacedAtTheProvider_newOnesCountAndOldOnesNoMore() throws Exception {
        provider.user("sam", "sam", "staff");
        CookieBrowser before = loggedIn("sam");
        before.confirmLogout(before.open(URI.create(provider.issuer() + "/session/end")));
        String oldToken = inbox.take("komainu", "sam");

        provider.stop();
        provider.start(true); // and now the claims are in the ID token

        CookieBrowser after = loggedIn("sam");
        assertThat(isOpen(after)).isTrue();
        sendLogout(oldToken).expect(400);
        assertThat(isOpen(before)).isTrue();
        after.confirmLogout(after.open(URI.create(provider.issuer() + "/session/end")));
        sendLogout(inbox.take("komainu", "sam")).expect(200);
        assertThat(isOpen(after)).isFalse();
        assertThat(isOpen(before)).isTrue();
    }

    @Test
    void audit_loginsAndRefusals_areEntries() throws Exception {
        provider.user("tom", "tom", "staff").user("uma", "uma");
        loggedIn("tom");
        assertThat(logIn(new CookieBrowser(), "uma").location()).contains("no-group");

        String audit =
                administrator("boss-audit").get("/api/v1/audit").expect(200).body();

        assertThat(audit)
                .contains("openid-provider: no-group")
                .contains("\"uma\"")
                .contains("\"tom\"");
    }
}
