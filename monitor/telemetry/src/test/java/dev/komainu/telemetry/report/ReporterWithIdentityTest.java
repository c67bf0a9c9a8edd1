package dev.komainu.telemetry.report;

import static dev.komainu.telemetry.report.NumberedExchange.record;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.komainu.telemetry.identity.EnrolmentCode;
import dev.komainu.telemetry.identity.PartIdentity;
import dev.komainu.telemetry.identity.PartNames;
import dev.komainu.telemetry.kit.EnrollingCentre;
import dev.komainu.telemetry.kit.EnrollingCentre.Request;
import dev.komainu.telemetry.kit.TestAuthority;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A reporter with the certificate of an identity in place of a token, at a real TLS server. */
class ReporterWithIdentityTest {

    private static final String INGEST = "/api/v1/ingest";
    private static final PartNames NAMES =
            new PartNames(PartNames.Kind.PROXY, "proxy@web-01:7680", "web-01");
    private static final Duration LIMIT = Duration.ofSeconds(120);

    @TempDir
    Path data;

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

    private PartIdentity enrolled() throws IOException {
        return PartIdentity.open(data, centre.uri(), NAMES, EnrolmentCode.parse(centre.code()));
    }

    /** Each record is a batch of its own. */
    private ReporterSettings settings() throws IOException {
        Path token = Files.writeString(data.resolve("token"), "kmn_token\n");
        return ReporterSettings.of(centre.uri(), token, NAMES.source(), data)
                .withBatches(1, 64 << 10, Duration.ofMillis(20))
                .withTimeouts(
                        Duration.ofSeconds(30),
                        Duration.ofMillis(20),
                        Duration.ofMillis(100),
                        Duration.ofSeconds(5));
    }

    @Test
    void batches_showTheCertificate_sendNoToken_andShareAConnection() throws Exception {
        try (PartIdentity identity = enrolled();
                Reporter reporter = new Reporter(settings(), identity)) {
            for (int i = 0; i < 20; i++) {
                reporter.accept(record(i));
            }
            await().atMost(LIMIT).until(() -> reporter.status().sentRecords() == 20);
            List<Request> batches = centre.requests(INGEST);
            assertThat(batches).hasSize(20).allSatisfy(batch -> {
                assertThat(batch.authorization()).isNull();
                assertThat(batch.certificate().getSubjectX500Principal().getName())
                        .contains("proxy@web-01");
            });
            assertThat(batches.stream().map(Request::from).distinct()).hasSize(1);
        }
    }

    @Test
    void revokedParts_areKnown_alsoAfterARestartWithoutACentralService() throws Exception {
        centre.revokes("part-a", "part-b");
        try (PartIdentity identity = enrolled();
                Reporter reporter = new Reporter(settings(), identity)) {
            assertThat(identity.isRevoked("part-a")).isFalse();
            reporter.accept(record(1));
            await().atMost(LIMIT).until(() -> identity.isRevoked("part-a"));
            assertThat(identity.isRevoked("part-b")).isTrue();
            assertThat(identity.isRevoked("part-c")).isFalse();
        }
        centre.stop();
        try (PartIdentity identity = enrolled()) {
            assertThat(identity.isRevoked("part-a")).isTrue();
            assertThat(identity.isRevoked("part-c")).isFalse();
        }
    }

    @Test
    void revokedCertificate_recordsAreKept_theReasonIsToldOnce_andTheyArriveLater()
            throws Exception {
        ByteArrayOutputStream told = new ByteArrayOutputStream();
        PrintStream before = System.err;
        try (PartIdentity identity = enrolled();
                Reporter reporter = new Reporter(settings(), identity)) {
            System.setErr(new PrintStream(told, true, StandardCharsets.UTF_8));
            centre.refusesBatches(401, "certificate-revoked", "Revoked by admin at 10:00");
            reporter.accept(record(1));
            await().atMost(LIMIT).until(() -> reporter.status().refusals() >= 3);
            assertThat(reporter.status().lastTrouble())
                    .contains("has revoked the certificate of this part: Revoked by admin at 10:00")
                    .contains("remove " + data.resolve("identity"));
            assertThat(reporter.drops()).isEmpty();
            assertThat(told.toString(StandardCharsets.UTF_8))
                    .containsOnlyOnce("has revoked the certificate")
                    .contains("Records are kept")
                    .doesNotContain("refuses the token");

            centre.refusesBatches(0, null, null);
            await().atMost(LIMIT).until(() -> reporter.status().sentRecords() == 1);
            assertThat(reporter.status().lastTrouble()).isNull();
        } finally {
            System.setErr(before);
        }
    }

    @Test
    void eachRefusalOfACertificate_isToldInItsOwnWords() throws Exception {
        try (PartIdentity identity = enrolled();
                Reporter reporter = new Reporter(settings(), identity)) {
            reporter.accept(record(1));
            await().atMost(LIMIT).until(() -> reporter.status().sentRecords() == 1);
            int number = 2;
            for (String[] each : List.of(
                    new String[] {"certificate-expired", "has expired: Times"},
                    new String[] {"certificate-superseded", "Another process uses"},
                    new String[] {"certificate-unknown", "does not know the certificate"})) {
                centre.refusesBatches(401, each[0], "Times");
                reporter.accept(record(number++));
                await().atMost(LIMIT).until(() -> {
                    String trouble = reporter.status().lastTrouble();
                    return trouble != null && trouble.contains(each[1]);
                });
            }
            centre.refusesBatches(0, null, null);
            await().atMost(LIMIT).until(() -> reporter.status().sentRecords() == 4);
        }
    }

    @Test
    void partThatCannotEnrolYet_keepsItsRecords() throws Exception {
        centre.stop();
        try (PartIdentity identity = enrolled();
                Reporter reporter = new Reporter(settings(), identity)) {
            reporter.accept(record(1));
            await().atMost(LIMIT).until(() -> reporter.status().failures() >= 2);
            assertThat(reporter.status().lastTrouble()).contains("not enrolled yet");
            assertThat(reporter.drops()).isEmpty();

            centre.restart();
            await().atMost(LIMIT).until(() -> reporter.status().sentRecords() == 1);
            assertThat(centre.requests(INGEST).getLast().certificate()).isNotNull();
        }
    }

    @Test
    void authorityFile_addsToTheAuthoritiesOfTheIdentity() throws Exception {
        TestAuthority further = new TestAuthority("further");
        Path file = Files.writeString(
                data.resolve("further.pem"), TestAuthority.pem(List.of(further.certificate())));
        try (PartIdentity identity = enrolled();
                Reporter reporter = new Reporter(settings().withAuthorities(file), identity)) {
            reporter.accept(record(1));
            await().atMost(LIMIT).until(() -> reporter.status().sentRecords() == 1);

            centre.shows(List.of(further.server(centre.key(), "127.0.0.1"), further.certificate()));
            centre.stop();
            centre.restart();
            reporter.accept(record(2));
            await().atMost(LIMIT).until(() -> reporter.status().sentRecords() == 2);
        }
    }

    @Test
    void tokenAndAuthorityFile_workAsBefore() throws Exception {
        Path file = Files.writeString(
                data.resolve("authority.pem"), TestAuthority.pem(List.of(authority.certificate())));
        try (Reporter reporter = new Reporter(settings().withAuthorities(file))) {
            reporter.accept(record(1));
            await().atMost(LIMIT).until(() -> reporter.status().sentRecords() == 1);
            assertThat(centre.requests(INGEST)).singleElement().satisfies(batch -> {
                assertThat(batch.authorization()).isEqualTo("Bearer kmn_token");
                assertThat(batch.certificate()).isNull();
            });
        }
        // Without the file nothing is trusted, so nothing is sent.
        try (Reporter reporter = new Reporter(settings())) {
            reporter.accept(record(2));
            await().atMost(LIMIT).until(() -> reporter.status().failures() >= 1);
            assertThat(reporter.status().lastTrouble()).contains("of no trusted authority");
        }
        assertThat(centre.requests(INGEST)).hasSize(1);
    }
}
