package dev.komainu.central.oidc;

import dev.komainu.central.CentralApplication;
import dev.komainu.central.CentralClient;
import dev.komainu.central.access.Role;
import dev.komainu.central.access.Users;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/**
 * A central service of the tests whose people log in at a provider, with a clock that can be set
 * forward.
 */
final class OpenIdService implements AutoCloseable {

    static final String PASSWORD = "correct horse battery";

    private final ConfigurableApplicationContext context;
    private final int port;
    private final SetClock clock;

    /** A clock that runs, ahead of the system's by what a test adds. */
    private static final class SetClock extends Clock {

        private volatile Duration ahead = Duration.ZERO;

        @Override
        public Instant instant() {
            return Instant.now().plus(ahead);
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            throw new UnsupportedOperationException("not needed");
        }
    }

    private OpenIdService(ConfigurableApplicationContext context, int port, SetClock clock) {
        this.context = context;
        this.port = port;
        this.clock = clock;
    }

    /**
     * Starts a service.
     *
     * @param port a free port; the address of the console is {@code http://localhost:PORT}
     */
    static OpenIdService start(Path data, int port, String issuer, String... more)
            throws IOException {
        Path secret = Files.writeString(data.resolve("client-secret"), "a secret of the client\n");
        List<String> arguments = new ArrayList<>(List.of(
                "--komainu.data=" + data.resolve("central"),
                "--komainu.bootstrap-tokens=" + data.resolve("tokens"),
                "--komainu.alerts.url=http://localhost:" + port,
                "--komainu.oidc.issuer=" + issuer,
                "--komainu.oidc.client-id=komainu",
                "--komainu.oidc.client-secret-file=" + secret,
                "--komainu.oidc.scopes=openid,profile,groups",
                "--komainu.oidc.roles=admins=administrator;shop=operator@team=shop;staff=viewer",
                "--komainu.oidc.button=Log in at the office",
                "--server.port=" + port));
        arguments.addAll(List.of(more));
        SetClock clock = new SetClock();
        return new OpenIdService(
                new SpringApplicationBuilder(CentralApplication.class)
                        .initializers(context -> ((GenericApplicationContext) context)
                                .registerBean(
                                        "setClock",
                                        Clock.class,
                                        () -> clock,
                                        definition -> definition.setPrimary(true)))
                        .run(arguments.toArray(String[]::new)),
                port,
                clock);
    }

    void setForward(Duration by) {
        clock.ahead = clock.ahead.plus(by);
    }

    URI address(String path) {
        return URI.create("http://localhost:" + port + path);
    }

    CentralClient stranger() {
        return CentralClient.at(port);
    }

    /** Returns a client with the session and the CSRF token of a browser. */
    CentralClient client(CookieBrowser browser) {
        CentralClient client = stranger()
                .withHeader(
                        "Cookie",
                        "KOMAINU_SESSION=" + browser.cookie(address("/"), "KOMAINU_SESSION"));
        return client.withHeader(
                "X-CSRF-Token",
                client.get("/api/v1/session")
                        .expect(200)
                        .json()
                        .get("csrfToken")
                        .asString());
    }

    /** Creates a local user and logs in, past the forced change of password. */
    CentralClient localUser(String name, Role role) {
        String oneTime =
                context.getBean(Users.class).create(name, role).orElseThrow().oneTimePassword();
        CentralClient first = stranger().login(name, oneTime);
        first.put(
                        "/api/v1/session/password",
                        Map.of("currentPassword", oneTime, "newPassword", PASSWORD))
                .expect(204);
        return first;
    }

    Users users() {
        return context.getBean(Users.class);
    }

    @Override
    public void close() {
        context.close();
    }
}
