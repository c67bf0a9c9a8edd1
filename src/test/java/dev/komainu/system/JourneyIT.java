package dev.komainu.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralClient;
import dev.komainu.telemetry.kit.Capability;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/**
 * An Apache has too few workers. Somebody is told, opens the console, and six clicks later the cure
 * is in Apache's own file, in force, and shown by measurement to have helped; then somebody is told
 * that it is over.
 */
class JourneyIT {

    private static final int WORKERS = 4;
    /** A worker is taken so long by each visitor: four of them serve eleven visitors a second. */
    private static final String PATH = "/app?sleep=360";

    private static final double CARRIED = 3;
    /**
     * A tenth more than they serve, so that what waits when the cure comes is gone before it is
     * measured.
     */
    private static final double TOO_MANY = 12.3;

    /** What the issue allows between the change of state and the mail. */
    private static final Duration PROMPT = Duration.ofSeconds(15);

    private static final String PASSWORD = "six clicks are enough";

    /** Verification as short as it may be; orders allowed; nothing watched but this Apache. */
    private static Map<String, String> settings(RealApache apache) {
        return Map.of(
                "KOMAINU_VERIFY_BASELINE", "30s",
                "KOMAINU_VERIFY_SETTLE", "15s",
                "KOMAINU_VERIFY_AFTER", "20s",
                "KOMAINU_AGENT_CHANGES_ALLOW", "yes",
                "KOMAINU_AGENT_PORTS", "" + apache.port());
    }

    @Test
    void tooFewWorkers_fromOverviewToImprovedInSixClicks_andWhoIsOnDutyIsTold() throws Exception {
        Capability.need("captures", Capability.NET_RAW);
        Capability.need("workers of Apache", Capability.SETUID);
        try (OnDuty onDuty = new OnDuty();
                RealApache apache = RealApache.start(WORKERS);
                SteadyVisitors visitors = new SteadyVisitors(apache.port(), PATH, CARRIED);
                Platform platform = Platform.up(settings(apache))) {
            onDuty.enter(administrator(platform));
            String service = waiting("it is seen to be well")
                    .until(
                            () -> platform.serviceOnPort(apache.port()),
                            seen -> seen.path("state").asString("").equals("normal"))
                    .path("id")
                    .asString();

            Instant crowded = Instant.now();
            visitors.perSecond(TOO_MANY);
            Turns turns = new Turns();
            waiting("mail that it fires").until(() -> onDuty.hasMail("Firing", service));
            Instant told = Instant.now();
            Duration starved = turns.lost();
            Instant changed = firstTrouble(platform, service, crowded);
            System.out.printf(
                    "Named %d ms after the crowd came; mail %d ms after that (this machine took %d ms of our turns)%n",
                    Duration.between(crowded, changed).toMillis(),
                    Duration.between(changed, told).toMillis(),
                    starved.toMillis());
            // What a machine that runs something else instead adds is not the product's.
            assertThat(Duration.between(changed, told)).isLessThanOrEqualTo(PROMPT.plus(starved));
            waiting("call that it fires").until(() -> onDuty.wasCalled("firing", service));

            // A baseline of thirty seconds: most of it has to lie in the trouble.
            waiting("trouble has lasted")
                    .until(() -> Instant.now().isAfter(crowded.plusSeconds(25)));
            JsonNode clicked = sixClicks(platform, apache, service);

            assertThat(clicked.path("clicks").asInt()).isEqualTo(6);
            assertThat(clicked.path("before").asString()).isEqualTo("" + WORKERS);
            String proposed = clicked.path("after").asString();
            assertThat(Integer.parseInt(proposed)).isGreaterThan(WORKERS);
            assertThat(Files.readString(apache.workers()))
                    .contains("MaxRequestWorkers " + proposed + "\n");
            // More at once than the old value allowed: the new one is in force, not only written.
            waiting("more workers than before").until(() -> apache.children() > WORKERS);
            waiting("mail that it is over").until(() -> onDuty.hasMail("Resolved", service));
            waiting("call that it is over").until(() -> onDuty.wasCalled("resolved", service));
            onDuty.assertEverySignatureWasRight();
        }
    }

    /** Conditions only; the limit is for a machine that starves. */
    private static ConditionFactory waiting(String what) {
        return Awaitility.await(what)
                .atMost(Duration.ofSeconds(240))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(200));
    }

    private static CentralClient administrator(Platform platform) throws IOException {
        CentralClient stranger = CentralClient.at(URI.create(platform.url()).getPort());
        String once = platform.firstPassword();
        stranger.login("admin", once)
                .put(
                        "/api/v1/session/password",
                        Map.of("currentPassword", once, "newPassword", PASSWORD))
                .expect(204);
        return stranger.login("admin", PASSWORD);
    }

    /** When the service left its normal state, by its own record. */
    private static Instant firstTrouble(Platform platform, String service, Instant since)
            throws IOException, InterruptedException {
        JsonNode listed =
                platform.get("/api/v1/services/" + service + "/transitions?from=" + since);
        Instant first = null;
        for (JsonNode transition : listed.path("items")) {
            if (transition.path("to").asString("").startsWith("saturated/")) {
                first = Instant.parse(transition.path("at").asString()); // newest first
            }
        }
        assertThat(first).as("transitions %s", listed).isNotNull();
        return first;
    }

    /** What the browser did: its last line. */
    private static JsonNode sixClicks(Platform platform, RealApache apache, String service)
            throws IOException, InterruptedException {
        Path said = Files.createTempFile("komainu-six-clicks", ".txt");
        List<String> command = List.of(
                "node",
                "e2e/six-clicks.mjs",
                "--base",
                platform.url(),
                "--user",
                "admin",
                "--password",
                PASSWORD,
                "--service",
                service,
                "--state",
                "saturated/processes",
                "--decision",
                "workers-short",
                "--leaf",
                "set-processes",
                "--setting",
                "MaxRequestWorkers",
                "--file",
                apache.workers().toString(),
                "--shots",
                Path.of("target/shots").toAbsolutePath().toString());
        Process browser = new ProcessBuilder(command)
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
        assertThat(ended).as("the browser ended within 12 minutes: %s", words).isTrue();
        assertThat(browser.exitValue()).as(words).isZero();
        return new ObjectMapper().readTree(words.lines().reduce("", (before, line) -> line));
    }

    /**
     * How late this process got its turns, in all: what a starved machine takes from the others,
     * too.
     */
    private static final class Turns {

        private static final long TURN_MILLIS = 50;

        private final long begun = System.nanoTime();
        private final Thread thread = Thread.ofPlatform().daemon().start(this::take);
        private volatile long taken;

        private void take() {
            try {
                while (true) {
                    TimeUnit.MILLISECONDS.sleep(TURN_MILLIS);
                    taken++;
                }
            } catch (InterruptedException e) {
                // asked for the sum
            }
        }

        Duration lost() {
            thread.interrupt();
            long millis = (System.nanoTime() - begun) / 1_000_000;
            return Duration.ofMillis(Math.max(0, millis - taken * TURN_MILLIS));
        }
    }
}
