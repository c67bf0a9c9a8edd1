package dev.komainu.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import tools.jackson.databind.JsonNode;

/**
 * What a newcomer sees: {@code ./komainu up --demo}. One platform serves all methods because a demo's period lasts two
 * and a half minutes; each method waits for its own condition and none depends on another having run.
 */
@TestMethodOrder(MethodOrderer.MethodName.class)
class DemoIT {

    private static Platform platform;

    @BeforeAll
    static void start() throws IOException {
        platform = Platform.up("--demo");
    }

    @AfterAll
    static void stop() {
        if (platform != null) {
            platform.close();
        }
    }

    @Test
    void a_withinAMinute_serverAndProxyAreListedWithTrafficAndEvidence() {
        for (String kind : new String[] {"komainu", "apache"}) {
            Awaitility.await(kind + " is listed with traffic")
                    .atMost(Duration.ofSeconds(60))
                    .pollInterval(Duration.ofMillis(500))
                    .untilAsserted(() -> {
                        JsonNode service = platform.service("kind", kind);
                        assertThat(service.path("summary")
                                        .path("arrivalPerSecond")
                                        .asDouble(0))
                                .as("arrival of %s", service)
                                .isPositive();
                        assertThat(service.path("summary")
                                        .path("responseP50Millis")
                                        .asDouble(0))
                                .isPositive();
                        assertThat(service.path("state").asString("unknown")).isNotEqualTo("unknown");
                        assertThat(service.path("evidence")).isNotEmpty();
                    });
        }
    }

    @Test
    void b_inABrowser_theJourneyWorksOnEveryPageAndWidth() throws Exception {
        Path shots = Path.of("target/shots").toAbsolutePath();
        Path said = Files.createTempFile("komainu-e2e", ".txt");
        Process browser = new ProcessBuilder(
                        "node",
                        "e2e/run.mjs",
                        "--base",
                        platform.url(),
                        "--user",
                        "admin",
                        "--password",
                        platform.firstPassword(),
                        "--shots",
                        shots.toString())
                .directory(Platform.ROOT.resolve("admin-ui").toFile())
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        boolean ended = browser.waitFor(12, TimeUnit.MINUTES);
        if (!ended) {
            browser.descendants().forEach(ProcessHandle::destroyForcibly);
            browser.destroyForcibly();
        }
        String words = Files.readString(said);
        System.out.println(words);
        assertThat(ended).as("browser tests ended within 12 minutes: %s", words).isTrue();
        assertThat(browser.exitValue()).as(words).isZero();
        assertThat(words).containsPattern("[1-9][0-9]* passed, 0 failed");
    }

    @Test
    void c_atThePeak_theSaturationIsNamedWithItsCauseAndThenPasses() {
        JsonNode saturated = Awaitility.await("the demo server's shortage of processes is named")
                .atMost(Duration.ofSeconds(180))
                .pollInterval(Duration.ofMillis(500))
                .until(
                        () -> platform.service("kind", "apache"),
                        service -> service.path("state").asString("").equals("saturated/processes"));
        assertThat(saturated.path("cause").path("en").asString("")).isNotBlank();
        assertThat(saturated.path("evidence")).isNotEmpty();
        Awaitility.await("the demo server is normal again")
                .atMost(Duration.ofSeconds(120))
                .pollInterval(Duration.ofMillis(500))
                .until(() -> platform.service("kind", "apache")
                        .path("state")
                        .asString("")
                        .equals("normal"));
    }
}
