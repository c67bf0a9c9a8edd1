package dev.komainu.central.oidc;

import static dev.komainu.telemetry.kit.FreePort.freePort;
import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralClient;
import dev.komainu.central.access.Role;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of a provider that is away at the start, comes, and goes again. */
class ProviderAwayTest {

    @Test
    void login_whileTheProviderIsAway_saysSoAndAdministratorsLogInHere(@TempDir Path data)
            throws Exception {
        int port = freePort();
        String console = "http://localhost:" + port;
        try (ProviderProcess provider = ProviderProcess.at(freePort(), List.of(client(console)));
                OpenIdService service = OpenIdService.start(
                        data,
                        port,
                        provider.issuer(),
                        "--komainu.oidc.local-login=administrators")) {
            assertThat(begin(service)).isEqualTo(console + "/#/login?refused=provider-away");
            service.localUser("chief", Role.ADMINISTRATOR);
            service.stranger().login("chief", OpenIdService.PASSWORD);
            localUserIsRefused(service);
            service.stranger()
                    .withHeader("Content-Type", "application/x-www-form-urlencoded")
                    .post("/api/v1/session/oidc/back-channel-logout", "logout_token=a.b.c")
                    .expect(503);

            provider.user("ann", "ann", "staff").start(false);
            assertThat(begin(service))
                    .as("the next attempt is in ten seconds")
                    .isEqualTo(console + "/#/login?refused=provider-away");
            service.setForward(ProviderDiscovery.PAUSE);
            CookieBrowser browser = new CookieBrowser();
            browser.open(service.address(OpenIdSettings.BEGIN));
            assertThat(browser.logIn("ann").location()).isEqualTo(console + "/#/overview");

            CookieBrowser late = new CookieBrowser();
            late.open(service.address(OpenIdSettings.BEGIN));
            service.setForward(BegunLogins.LIFE);
            assertThat(late.logIn("ann").location())
                    .isEqualTo(console + "/#/login?refused=expired");

            CookieBrowser cut = new CookieBrowser();
            String state = cut.get(service.address(OpenIdSettings.BEGIN))
                    .location()
                    .replaceFirst(".*[?&]state=([^&]*).*", "$1");
            provider.stop();
            assertThat(cut.get(service.address(OpenIdSettings.CALLBACK + "?code=x&state=" + state))
                            .location())
                    .as("away between begin and answer")
                    .isEqualTo(console + "/#/login?refused=provider-away");
            service.setForward(ProviderDiscovery.REACHED.plus(Duration.ofSeconds(1)));
            assertThat(begin(service)).isEqualTo(console + "/#/login?refused=provider-away");
            CentralClient ann = service.client(browser);
            ann.get("/api/v1/changes").expect(200);
            ann.delete("/api/v1/session").expect(200);
        }
    }

    private static void localUserIsRefused(OpenIdService service) {
        String oneTime =
                service.users().create("local", Role.OPERATOR).orElseThrow().oneTimePassword();
        assertThat(service.stranger()
                        .post("/api/v1/session", Map.of("name", "local", "password", oneTime))
                        .expect(401)
                        .problem())
                .isEqualTo("login-refused");
        assertThat(service.stranger()
                        .get("/api/v1/session")
                        .json()
                        .get("localLogin")
                        .asString())
                .isEqualTo("administrators");
    }

    private static String begin(OpenIdService service) throws IOException, InterruptedException {
        return new CookieBrowser().get(service.address(OpenIdSettings.BEGIN)).location();
    }

    private static Map<String, Object> client(String console) {
        return Map.of(
                "client_id",
                "komainu",
                "client_secret",
                "a secret of the client",
                "redirect_uris",
                List.of(console + OpenIdSettings.CALLBACK));
    }
}
