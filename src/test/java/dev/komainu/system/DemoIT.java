package dev.komainu.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.kit.Capability;
import dev.komainu.telemetry.kit.Nightly;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/**
 * What a newcomer sees: {@code ./komainu up --demo}. One platform serves all methods because a
 * demo's period lasts two and a half minutes; each method waits for its own condition and none
 * depends on another having run.
 */
@TestMethodOrder(MethodOrderer.MethodName.class)
class DemoIT {

    private static final int LIMIT_MINUTES = 18;

    private static Platform platform;
    private static Peak peak;

    @BeforeAll
    static void start() throws IOException {
        Capability.need("captures", Capability.NET_RAW);
        platform = Platform.up("--demo", "--demo-peak", "50");
        peak = new Peak();
    }

    @AfterAll
    static void stop() {
        if (platform != null) {
            peak.watcher.interrupt();
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
                        assertThat(service.path("state").asString("unknown"))
                                .isNotEqualTo("unknown");
                        assertThat(service.path("evidence")).isNotEmpty();
                    });
        }
    }

    @Test
    @Timeout(value = LIMIT_MINUTES + 1, unit = TimeUnit.MINUTES)
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
                        "--looks",
                        Nightly.isOn() ? "all" : "few",
                        "--shots",
                        shots.toString())
                .directory(Platform.ROOT.resolve("admin-ui").toFile())
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        // Sooner than the limit of this test, so that the browser does not outlive it.
        boolean ended = browser.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES);
        if (!ended) {
            browser.descendants().forEach(ProcessHandle::destroyForcibly);
            browser.destroyForcibly();
        }
        String words = Files.readString(said);
        System.out.println(words);
        assertThat(ended)
                .as("browser tests ended within %d minutes: %s", LIMIT_MINUTES, words)
                .isTrue();
        // Only the failures: a report keeps the begin of a message.
        String failures = words.lines()
                .filter(line -> !line.startsWith("ok "))
                .collect(Collectors.joining("\n"));
        assertThat(browser.exitValue()).as(failures).isZero();
        assertThat(words).containsPattern("[1-9][0-9]* passed, 0 failed");
    }

    @Test
    void c_atThePeak_theSaturationIsNamedWithItsCauseAndThenPasses() throws Exception {
        Awaitility.await("the demo server's shortage of processes is named")
                .atMost(Duration.ofSeconds(180))
                .until(peak.saturated::isDone);
        JsonNode saturated = peak.saturated.join();
        assertThat(saturated.path("cause").path("en").asString("")).isNotBlank();
        assertThat(saturated.path("evidence")).isNotEmpty();
        Awaitility.await("the demo server is normal again")
                .atMost(Duration.ofSeconds(120))
                .until(peak.over::isDone);
        assertThat(peak.over.join()).isTrue();
        anIncidentOfApacheIsOneAlert();
    }

    /** The proxy and its origin side feel Apache's fault; they have no alert of their own. */
    private static void anIncidentOfApacheIsOneAlert() throws Exception {
        String root = platform.service("kind", "apache").path("id").asString();
        List<JsonNode> incidents = new ArrayList<>();
        List<JsonNode> alerts = new ArrayList<>();
        for (String status : List.of("open", "ended")) {
            platform.get("/api/v1/incidents?status=" + status)
                    .path("items")
                    .forEach(incidents::add);
        }
        for (String status : List.of("firing", "ended")) {
            platform.get("/api/v1/alerts?status=" + status).path("items").forEach(alerts::add);
        }
        List<String> joined = new ArrayList<>();
        for (JsonNode each : incidents) {
            if (each.path("root").asString("").equals(root)
                    && each.path("members").path(1).path("basis").asString("").equals("measured")) {
                joined.add(each.path("id").asString());
            }
        }
        assertThat(joined)
                .as("incidents of %s that others feel: %s", root, incidents)
                .isNotEmpty();
        List<String> alerted = new ArrayList<>();
        for (JsonNode each : alerts) {
            if (!each.path("incident").asString("").isEmpty()) {
                alerted.add(each.path("incident").asString());
            }
        }
        assertThat(alerted).doesNotHaveDuplicates().containsAnyElementsOf(joined);
    }

    /**
     * Looks twice a second from the start on: a peak that comes while the browser is at work is not
     * waited for again.
     */
    private static final class Peak {

        /** The demo server when its shortage of processes was named. */
        final CompletableFuture<JsonNode> saturated = new CompletableFuture<>();

        /** Done when it was normal again after that. */
        final CompletableFuture<Boolean> over = new CompletableFuture<>();

        final Thread watcher = Thread.ofVirtual().name("peak").start(this::watch);

        private void watch() {
            try {
                while (!over.isDone()) {
                    JsonNode service = platform.service("kind", "apache");
                    String state = service.path("state").asString("");
                    if (state.equals("saturated/processes")) {
                        saturated.complete(service);
                    } else if (saturated.isDone() && state.equals("normal")) {
                        over.complete(true);
                    }
                    TimeUnit.MILLISECONDS.sleep(500);
                }
            } catch (InterruptedException e) {
                over.completeExceptionally(e);
            } catch (RuntimeException e) {
                saturated.completeExceptionally(e);
                over.completeExceptionally(e);
            }
        }
    }
}
