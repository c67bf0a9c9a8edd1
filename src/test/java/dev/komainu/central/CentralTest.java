package dev.komainu.central;

import dev.komainu.central.access.ApiTokens;
import dev.komainu.central.access.Role;
import dev.komainu.central.access.Scope;
import dev.komainu.central.access.Users;
import dev.komainu.central.assessment.Assessment;
import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.control.ControlEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.awaitility.Awaitility;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;

/**
 * A complete service on a port of its own, started once and shared by all test classes that extend
 * this one. Tests must not rely on being alone: they use names of their own and add no settings
 * (each change would start another service). {@code -Dtest.control=debian} or {@code newest} runs
 * them over PostgreSQL.
 */
@SpringBootTest(
        classes = CentralApplication.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
public abstract class CentralTest {

    /** The password of all users in tests. */
    protected static final String PASSWORD = "correct horse battery";

    /** Address of the clients whose {@code X-Forwarded-For} the service believes. */
    protected static final String TRUSTED_PROXY = "127.0.0.77";

    private static final Path DATA = temporary();
    private static final Map<Role, CentralClient> LOGGED_IN = new ConcurrentHashMap<>();

    static {
        // Not by @DynamicPropertySource: it runs after the settings were checked and the database's
        // path was chosen.
        System.setProperty("komainu.data", DATA.resolve("central").toString());
        ControlEngine.ofThisRun().settings().forEach(System::setProperty);
        System.setProperty("komainu.caches.file", DATA.resolve("caches").toString());
        System.setProperty("komainu.alerts.allow", "127.0.0.1");
        System.setProperty("komainu.bootstrap-tokens", DATA.resolve("tokens").toString());
        System.setProperty("komainu.bootstrap-parts", "any");
        System.setProperty("komainu.trusted-proxies", TRUSTED_PROXY);
        // Tests log in and fail far more often than users do.
        System.setProperty("komainu.access.login-attempts", "10000");
        // Tests of one service share the day's entries about refused attempts.
        System.setProperty("komainu.audit.refused-a-day", "100000");
        System.setProperty("komainu.audit.most", "1000000");
    }

    @LocalServerPort
    private int port;

    @Autowired
    private Users users;

    @Autowired
    private ApiTokens tokens;

    @Autowired
    private Assessor judge;

    /** Returns the data directory of this service. */
    protected static Path data() {
        return DATA.resolve("central");
    }

    /** Returns the file of the proxies' control endpoints. */
    protected static Path cachesFile() {
        return DATA.resolve("caches");
    }

    /** Returns the port of the service. */
    protected int port() {
        return port;
    }

    /** Returns a client without authentication. */
    protected CentralClient stranger() {
        return CentralClient.at(port);
    }

    /** Returns a browser client that is logged in with this role and gave its password just now. */
    protected CentralClient browser(Role role) {
        CentralClient browser =
                LOGGED_IN.computeIfAbsent(role, r -> newcomer("test-" + r.text(), r));
        browser.put("/api/v1/session/confirmation", Map.of("password", PASSWORD))
                .expect(204);
        return browser;
    }

    /** Creates a user and logs in, past the forced change of password. */
    protected CentralClient newcomer(String name, Role role) {
        String oneTime = users.create(name, role).orElseThrow().oneTimePassword();
        CentralClient first = stranger().login(name, oneTime);
        first.put(
                        "/api/v1/session/password",
                        Map.of("currentPassword", oneTime, "newPassword", PASSWORD))
                .expect(204);
        return first;
    }

    /** Returns a client whose token has these scopes. */
    protected CentralClient machine(Scope... scopes) {
        return stranger().withToken(token(scopes));
    }

    /** Returns the secret of a new token with these scopes. */
    protected String token(Scope... scopes) {
        return tokens.create("test", List.of(scopes), Duration.ofHours(1), "test")
                .secret();
    }

    /**
     * Waits until a service was assessed and all listeners were called. One thread calls them after
     * an assessment is published and before the next one is. So this method waits for the next one.
     */
    protected void judged(String service) {
        Awaitility.await("judged: " + service)
                .atMost(Duration.ofSeconds(60))
                .until(() -> judge.find(service).isPresent());
        Assessment whole = judge.latest();
        Awaitility.await("judged again: " + service)
                .atMost(Duration.ofSeconds(60))
                .until(() -> judge.latest() != whole);
    }

    private static Path temporary() {
        try {
            return Files.createTempDirectory("komainu-central");
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
