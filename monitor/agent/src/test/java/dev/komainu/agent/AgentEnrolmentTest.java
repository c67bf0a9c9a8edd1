package dev.komainu.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.komainu.agent.order.OrderKey;
import dev.komainu.agent.settings.AgentSettings;
import dev.komainu.agent.settings.GivenSettings;
import dev.komainu.telemetry.identity.CentralRoute;
import dev.komainu.telemetry.identity.CentralTls;
import dev.komainu.telemetry.identity.PartIdentity;
import dev.komainu.telemetry.kit.EnrollingCentre;
import dev.komainu.telemetry.kit.TestAuthority;
import dev.komainu.telemetry.record.EpochMicros;
import dev.komainu.telemetry.record.SourceStatus;
import dev.komainu.telemetry.wire.SignedOrder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** An agent that enrols: its settings, its reports, its order key, its exit code. */
class AgentEnrolmentTest {

    @TempDir
    Path data;

    private EnrollingCentre centre;

    @BeforeEach
    void setUp() throws IOException {
        centre = new EnrollingCentre(new TestAuthority("Komainu authority"), Clock.systemUTC());
    }

    @AfterEach
    void tearDown() {
        centre.close();
    }

    private AgentSettings settings(Map<String, String> options) throws Exception {
        return GivenSettings.read(options, Map.of(), null, "web-01");
    }

    private static PartIdentity open(AgentSettings settings) throws IOException {
        return PartIdentity.open(
                settings.data(), settings.central(), settings.names(), settings.enrolmentCode());
    }

    @Test
    void afterTheEnrolment_aStartNeedsOnlyItsDirectory() throws Exception {
        AgentSettings first =
                settings(Map.of("data", data.toString(), "central.enrolment-code", centre.code()));
        open(first).close();
        assertThat(centre.requests("/api/v1/enrolments")).singleElement().satisfies(request -> {
            assertThat(request.text("kind")).isEqualTo("agent");
            assertThat(request.text("source")).isEqualTo("agent@web-01");
            assertThat(request.text("node")).isEqualTo("web-01");
        });

        AgentSettings later = settings(Map.of("data", data.toString()));
        assertThat(later.central()).hasToString(centre.uri().toString());
        try (PartIdentity identity = open(later);
                Destination destination = Destination.of(later, identity)) {
            destination.accept(status());
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> destination.status().sentRecords() == 1);
        }
        assertThat(centre.requests("/api/v1/ingest").getFirst().certificate()).isNotNull();
        assertThat(centre.requests("/api/v1/enrolments")).hasSize(1);
    }

    private static SourceStatus status() {
        return new SourceStatus(
                "web-01",
                SourceStatus.Kind.AGENT,
                "1",
                EpochMicros.now(),
                EpochMicros.now(),
                new SourceStatus.Use(1, 0),
                List.of(),
                List.of(),
                List.of());
    }

    @Test
    void damagedIdentity_isAMistakeOfTheSettings() throws Exception {
        open(settings(Map.of("data", data.toString(), "central.enrolment-code", centre.code())))
                .close();
        Files.writeString(data.resolve("identity/facts.json"), "{");
        ByteArrayOutputStream told = new ByteArrayOutputStream();
        assertThat(run(told, "--data", data.toString())).isEqualTo(2);
        assertThat(told.toString(StandardCharsets.UTF_8))
                .contains("data: " + data.resolve("identity/facts.json"))
                .contains("to enrol again, remove " + data.resolve("identity"));
    }

    @Test
    void orderKey_isFetchedWithTheCertificate() throws Exception {
        PublicKey key =
                KeyPairGenerator.getInstance("Ed25519").generateKeyPair().getPublic();
        centre.orderKey(SignedOrder.keyText(key));
        AgentSettings settings =
                settings(Map.of("data", data.toString(), "central.enrolment-code", centre.code()));
        try (PartIdentity identity = open(settings)) {
            OrderKey found = new OrderKey(
                    data.resolve("order-key"),
                    new CentralRoute(settings.central(), settings.names().source()),
                    null,
                    new CentralTls(identity, null));
            assertThat(found.find()).isEqualTo(key);
        }
        assertThat(centre.requests("/api/v1/order-key")).singleElement().satisfies(request -> {
            assertThat(request.certificate()).isNotNull();
            assertThat(request.authorization()).isNull();
        });
    }

    @Test
    void refusedCode_endsTheStartWithTheTextOfTheProblem() {
        centre.refuses(403, "enrolment-code-used", "This code was used at 10:00");
        ByteArrayOutputStream told = new ByteArrayOutputStream();
        assertThat(run(told, "--data", data.toString(), "--enrol", centre.code()))
                .isEqualTo(2);
        assertThat(told.toString(StandardCharsets.UTF_8))
                .contains("central.enrolment-code: refused by " + centre.uri()
                        + ": This code was used at 10:00 (enrolment-code-used")
                .doesNotContain(EnrollingCentre.SECRET);
    }

    private static int run(ByteArrayOutputStream told, String... arguments) {
        PrintStream before = System.err;
        System.setErr(new PrintStream(told, true, StandardCharsets.UTF_8));
        try {
            return new CommandLine(new MonitorAgent()).execute(arguments);
        } finally {
            System.setErr(before);
        }
    }
}
