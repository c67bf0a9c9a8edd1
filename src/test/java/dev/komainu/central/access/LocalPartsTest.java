package dev.komainu.central.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralTest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Autowired;

/** Tests of the tokens of the parts on this machine. */
class LocalPartsTest extends CentralTest {

    @TempDir
    private Path directory;

    @Autowired
    private ApiTokens tokens;

    @Autowired
    private Audit audit;

    @Autowired
    private AccessSettings settings;

    private LocalParts parts;

    private void start(String... sources) {
        parts = new LocalParts(
                tokens,
                audit,
                new AccessSettings(
                        settings.sessionIdle(),
                        settings.sessionLength(),
                        settings.loginFailures(),
                        settings.loginAttempts(),
                        settings.oneTimeLife(),
                        settings.externalTokenIdle(),
                        settings.secondFactor(),
                        settings.auditDays(),
                        settings.firstPassword(),
                        settings.resets(),
                        directory,
                        List.of(sources)));
        parts.start();
    }

    @AfterEach
    void stop() {
        parts.stop();
    }

    private ApiToken token(String file) throws Exception {
        return tokens.find(Files.readString(directory.resolve(file)).strip()).orElseThrow();
    }

    @Test
    void tokens_areBoundToTheirSourceAndThisHost() throws Exception {
        start("agent@web-01", "proxy@web-01:7680");

        ReportingBounds agent = Objects.requireNonNull(token("agent.token").reportingBounds());
        assertThat(agent.source()).isEqualTo("agent@web-01");
        assertThat(agent.node()).isEqualTo("web-01");
        ReportingBounds proxy = Objects.requireNonNull(token("proxy.token").reportingBounds());
        assertThat(proxy.source()).isEqualTo("proxy@web-01:7680");
        assertThat(proxy.node()).isEqualTo("web-01");
        assertThat(token("proxy.token").scopes()).containsExactly(Scope.INGEST);
        assertThat(directory.resolve("ingest.token")).doesNotExist();
    }

    @Test
    void nextStart_keepsTheToken_andGivesItTheAddressesOfNow() throws Exception {
        start("agent@web-01");
        String secret = Files.readString(directory.resolve("agent.token"));
        ApiToken before = token("agent.token");
        tokens.bind(before.id(), ReportingBounds.of("agent@web-01", "web-01", "203.0.113.9/32"));
        parts.stop();

        start("agent@web-01");

        assertThat(Files.readString(directory.resolve("agent.token"))).isEqualTo(secret);
        assertThat(token("agent.token").reportingBounds()).isEqualTo(before.reportingBounds());
    }

    @Test
    void tokenOfAnotherSource_isReplaced() throws Exception {
        Files.writeString(
                directory.resolve("agent.token"),
                tokens.create("old", Set.of(Scope.INGEST), Duration.ofDays(1), "system")
                        .secret());

        start("agent@web-02");

        assertThat(Objects.requireNonNull(token("agent.token").reportingBounds())
                        .source())
                .isEqualTo("agent@web-02");
    }
}
