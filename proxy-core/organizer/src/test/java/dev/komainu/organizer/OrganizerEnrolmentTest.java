package dev.komainu.organizer;

import static dev.komainu.telemetry.kit.FreePort.freePort;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.komainu.settings.kit.WrittenSettings;
import dev.komainu.telemetry.kit.EnrollingCentre;
import dev.komainu.telemetry.kit.TestAuthority;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** An organizer that enrols, reports with its certificate, and needs no code at its next start. */
class OrganizerEnrolmentTest {

    @TempDir
    Path directory;

    private final TestAuthority authority = new TestAuthority("Komainu authority");
    private EnrollingCentre centre;

    @BeforeEach
    void setUp() throws IOException {
        centre = new EnrollingCentre(authority, Clock.systemUTC());
    }

    @AfterEach
    void tearDown() {
        centre.close();
    }

    private String yaml(String further) throws IOException {
        Path secret =
                Files.writeString(directory.resolve("secret"), "kf83Lq0ZxW7vTn2RbYc5Dm9JhGs1UePa");
        int port = freePort();
        return String.format(
                Locale.ROOT,
                """
                        member: web1
                        cluster: shop
                        listen: 127.0.0.1:%d
                        line: 127.0.0.1:%d
                        secret-file: %s
                        meet: {seeds: ["127.0.0.1:%d"]}
                        control: {listen: none}
                        node: host1
                        data: %s
                        %s
                        """,
                port,
                freePort(),
                secret,
                port,
                directory.resolve("data"),
                further);
    }

    private OrganizerSettings settings(String further) throws Exception {
        return OrganizerSettings.read(WrittenSettings.reader(yaml(further)));
    }

    private void awaitReports(int least) {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> centre.requests("/api/v1/ingest").size() >= least);
    }

    @Test
    void start_withACode_enrolsAsTheMember_andLaterStartsNeedNone() throws Exception {
        try (Organizer organizer =
                Organizer.start(settings("central: {enrolment-code: \"" + centre.code() + "\"}"))) {
            assertThat(organizer.settings().report()).isNotNull();
            awaitReports(1);
        }
        assertThat(centre.requests("/api/v1/enrolments")).singleElement().satisfies(request -> {
            assertThat(request.text("kind")).isEqualTo("organizer");
            assertThat(request.text("source")).isEqualTo("organizer@shop/web1");
            assertThat(request.text("node")).isEqualTo("host1");
        });
        int before = centre.requests("/api/v1/ingest").size();
        try (Organizer organizer = Organizer.start(settings(""))) {
            assertThat(organizer.settings().report().central())
                    .hasToString(centre.uri().toString());
            awaitReports(before + 1);
        }
        assertThat(centre.requests("/api/v1/enrolments")).hasSize(1);
        assertThat(centre.requests("/api/v1/ingest"))
                .allSatisfy(request -> assertThat(request.certificate()).isNotNull());
    }

    @Test
    void oneOfTwoAddressesIsDown_memberEnrolsAndReportsAtTheOther_andMetricsTellIt()
            throws Exception {
        try (EnrollingCentre other = new EnrollingCentre(authority, Clock.systemUTC())) {
            other.stop();
            String yaml = yaml("central: {enrolment-code: \"" + centre.code() + "\", url: ["
                            + other.uri() + ", " + centre.uri() + "]}")
                    .replace("listen: none", "listen: \"127.0.0.1:" + freePort() + "\"");
            try (Organizer organizer =
                            Organizer.start(OrganizerSettings.read(WrittenSettings.reader(yaml)));
                    HttpClient client = HttpClient.newHttpClient()) {
                HttpRequest page = HttpRequest.newBuilder(URI.create("http://127.0.0.1:"
                                + organizer.controlAddress().getPort() + "/metrics"))
                        .build();
                await().atMost(Duration.ofSeconds(60))
                        .untilAsserted(() -> assertThat(
                                        client.send(page, HttpResponse.BodyHandlers.ofString())
                                                .body())
                                .containsOnlyOnce("komainu_organizer_central_address{address=\""
                                        + centre.uri() + "\"} 1.0\n")
                                .contains("komainu_organizer_central_address_changes_total"));
                awaitReports(1);
            }
        }
    }

    @Test
    void settings_withoutCodeAndIdentity_haveNoReports() throws Exception {
        assertThat(settings("").report()).isNull();
    }

    @Test
    void refusedCode_endsTheStartWithTheTextOfTheProblem() throws Exception {
        centre.refuses(403, "enrolment-outside-code", "The code is for agents");
        Path file = Files.writeString(directory.resolve("organizer.yaml"), yaml(""));
        ByteArrayOutputStream told = new ByteArrayOutputStream();
        PrintStream before = System.err;
        System.setErr(new PrintStream(told, true, StandardCharsets.UTF_8));
        try {
            assertThat(new CommandLine(new OrganizerServer())
                            .execute("--config", file.toString(), "--enrol", centre.code()))
                    .isEqualTo(2);
        } finally {
            System.setErr(before);
        }
        assertThat(told.toString(StandardCharsets.UTF_8))
                .contains("The code is for agents (enrolment-outside-code; expected: a code for"
                        + " organizer, host host1");
    }
}
