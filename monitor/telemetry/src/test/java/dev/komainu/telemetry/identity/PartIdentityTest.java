package dev.komainu.telemetry.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.telemetry.file.PrivateFiles;
import dev.komainu.telemetry.kit.EnrollingCentre;
import dev.komainu.telemetry.kit.TestAuthority;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Enrolment at a real TLS server: what is accepted, what is refused, what is kept. */
class PartIdentityTest {

    private static final String ENROLMENTS = "/api/v1/enrolments";
    private static final PartNames NAMES =
            new PartNames(PartNames.Kind.AGENT, "agent@web-01", "web-01");

    @TempDir
    Path data;

    private final TestAuthority authority = new TestAuthority("Komainu authority");
    private final List<Duration> pauses = new CopyOnWriteArrayList<>();
    private EnrollingCentre centre;

    @BeforeEach
    void setUp() throws IOException {
        centre = new EnrollingCentre(authority, Clock.systemUTC());
    }

    @AfterEach
    void tearDown() {
        centre.close();
    }

    /** A pause of a test in which no pause is expected to end. */
    private static void forever(Duration time) throws InterruptedException {
        Thread.sleep(Duration.ofDays(1));
    }

    private PartIdentity open(String code) throws IOException {
        return open(code, NAMES, Clock.systemUTC(), PartIdentityTest::forever);
    }

    private PartIdentity open(String code, PartNames names, Clock clock, IdentityWork.Pauses wait)
            throws IOException {
        return PartIdentity.open(
                new IdentityFiles(data),
                CentralAddresses.of(centre.uri()),
                names,
                code == null ? null : EnrolmentCode.parse(code),
                () -> List.of("192.0.2.10", "2001:db8::1"),
                clock,
                wait);
    }

    @Test
    void open_withACode_enrolsWithAKeyThatTheProofShows_andKeepsTheIdentity() throws Exception {
        centre.addresses("192.0.2.10/32", "172.17.0.1");
        try (PartIdentity identity = open(centre.code())) {
            assertThat(identity.source()).isEqualTo("agent@web-01");
            assertThat(identity.enrolled().facts().networks()).containsExactly("192.0.2.10/32");
            assertThat(identity.enrolled().facts().leftOut()).containsExactly("172.17.0.1");
            assertThat(PartIdentity.described(identity.enrolled()))
                    .startsWith("agent@web-01, host web-01, networks 192.0.2.10/32, certificate"
                            + " until 20")
                    .endsWith("; left out, because other parts have them: 172.17.0.1");
            assertThat(identity.trouble()).isNull();
        }
        assertThat(centre.requests(ENROLMENTS)).singleElement().satisfies(request -> {
            assertThat(request.text("kind")).isEqualTo("agent");
            assertThat(request.text("node")).isEqualTo("web-01");
            assertThat(request.body()).contains("\"addresses\":[\"192.0.2.10\",\"2001:db8::1\"]");
            assertThat(request.certificate()).isNull();
        });
        assertThat(PartIdentity.central(data, null)).isEqualTo(centre.uri());
    }

    @Test
    void open_again_needsNoCode_andDoesNotUseOneThatIsGivenAgain() throws Exception {
        String code = centre.code();
        open(code).close();
        centre.refuses(403, "enrolment-code-used", "Used");
        try (PartIdentity identity = open(null)) {
            assertThat(identity.source()).isEqualTo("agent@web-01");
        }
        try (PartIdentity identity = open(code)) {
            assertThat(identity.source()).isEqualTo("agent@web-01");
        }
        assertThat(centre.requests(ENROLMENTS)).hasSize(1);
    }

    @Test
    void open_withoutCodeAndIdentity_isNone_andWritesNothing() throws Exception {
        assertThat(open(null)).isNull();
        assertThat(PartIdentity.central(data, null)).isNull();
        assertThat(data).isEmptyDirectory();
    }

    @Test
    void open_theCodeOfAnotherCentralService_enrolsThere() throws Exception {
        open(centre.code()).close();
        TestAuthority others = new TestAuthority("Komainu authority");
        try (EnrollingCentre other = new EnrollingCentre(others, Clock.systemUTC())) {
            EnrolmentCode code = EnrolmentCode.parse(other.code());
            assertThat(PartIdentity.central(data, code)).isEqualTo(other.uri());
            PartIdentity.open(data, other.uri(), NAMES, code).close();
            assertThat(other.requests(ENROLMENTS)).hasSize(1);
            assertThat(PartIdentity.central(data, null)).isEqualTo(other.uri());
        }
    }

    @Test
    void open_wrongFingerprint_sendsNothing_andNamesBoth() {
        TestAuthority other = new TestAuthority("Komainu authority");
        assertThatThrownBy(() -> open(centre.code(other.certificate())))
                .isInstanceOf(EnrolmentException.class)
                .hasMessageStartingWith("central.enrolment-code: " + centre.uri()
                        + " was not trusted, nothing was sent")
                .hasMessageContaining(EnrolmentCode.fingerprint(authority.certificate()))
                .hasMessageContaining(EnrolmentCode.fingerprint(other.certificate()));
        assertThat(centre.requests(ENROLMENTS)).isEmpty();
        assertThat(data.resolve("identity/part.pem")).doesNotExist();
    }

    @Test
    void open_aForeignServerAppendsTheRightCertificate_isRefused() throws Exception {
        // The certificate of the authority is public; only its key proves something.
        TestAuthority attacker = new TestAuthority("Komainu authority");
        centre.shows(List.of(attacker.server(centre.key(), "127.0.0.1"), authority.certificate()));
        centre.stop();
        centre.restart();
        assertThatThrownBy(() -> open(centre.code(authority.certificate())))
                .isInstanceOf(EnrolmentException.class)
                .hasMessageContaining("of no trusted authority");

        centre.shows(List.of(
                attacker.server(centre.key(), "127.0.0.1"),
                attacker.certificate(),
                authority.certificate()));
        centre.stop();
        centre.restart();
        assertThatThrownBy(() -> open(centre.code(authority.certificate())))
                .isInstanceOf(EnrolmentException.class);
        assertThat(centre.requests(ENROLMENTS)).isEmpty();
    }

    @Test
    void open_certificateOfAnotherHost_isRefusedAlthoughTheFingerprintIsRight() throws Exception {
        centre.shows(List.of(
                authority.server(centre.key(), "other.example", "192.0.2.1"),
                authority.certificate()));
        centre.stop();
        centre.restart();
        assertThatThrownBy(() -> open(centre.code()))
                .isInstanceOf(EnrolmentException.class)
                .hasMessageContaining("is for another host")
                .hasMessageContaining("127.0.0.1");
        assertThat(centre.requests(ENROLMENTS)).isEmpty();
    }

    @Test
    void open_certificateThatIsNotValidYet_tellsBothTimes_andTriesAgain() throws Exception {
        Instant begins = Instant.now().plus(Duration.ofDays(1));
        centre.shows(List.of(
                authority.server(
                        centre.key(), begins, begins.plus(Duration.ofDays(1)), "127.0.0.1"),
                authority.certificate()));
        centre.stop();
        centre.restart();
        try (PartIdentity identity = open(centre.code())) {
            assertThat(identity.trouble())
                    .startsWith("not enrolled yet: ")
                    .contains("is valid only from " + ClockHint.text(begins))
                    .contains("the clock of this host says 20");
            assertThatThrownBy(identity::enrolled).isInstanceOf(IOException.class);
        }
    }

    @Test
    void open_clockOfThisHostADayBehind_tellsByHowMuch() throws Exception {
        showsACertificateOfTomorrow();
        Clock behind = Clock.offset(Clock.systemUTC(), Duration.ofDays(-1));
        try (PartIdentity identity =
                open(centre.code(), NAMES, behind, PartIdentityTest::forever)) {
            assertThat(identity.trouble())
                    .contains("is valid only from ")
                    .contains("this host's is 24 h 0 min behind");
        }
        assertThat(centre.requests(ENROLMENTS)).isEmpty();
        assertThat(centre.requests("/actuator/health")).singleElement().satisfies(request -> {
            assertThat(request.certificate()).isNull();
            assertThat(request.authorization()).isNull();
        });
    }

    @Test
    void open_clockBehindAndAForeignServer_asksNothing() throws Exception {
        TestAuthority other = new TestAuthority("Komainu authority");
        showsACertificateOfTomorrow();
        Clock behind = Clock.offset(Clock.systemUTC(), Duration.ofDays(-1));
        assertThatThrownBy(() -> open(
                        centre.code(other.certificate()), NAMES, behind, PartIdentityTest::forever))
                .isInstanceOf(EnrolmentException.class);
        assertThat(centre.requests("/actuator/health")).isEmpty();
    }

    /** Shows a certificate that is not valid now, as to a host whose clock is behind. */
    private void showsACertificateOfTomorrow() throws IOException {
        Instant begins = Instant.now().plus(Duration.ofHours(1));
        centre.shows(List.of(
                authority.server(
                        centre.key(), begins, begins.plus(Duration.ofDays(1)), "127.0.0.1"),
                authority.certificate()));
        centre.stop();
        centre.restart();
    }

    @Test
    void clockDifference_afterAFailedHandshake_isAskedOnceAMinute_withoutTheCertificate()
            throws Exception {
        try (PartIdentity identity = open(centre.code())) {
            CentralTls tls = new CentralTls(
                    identity, null, Clock.offset(Clock.systemUTC(), Duration.ofDays(1)));
            tls.sockets();
            showsACertificateOfTomorrow();

            assertThat(tls.clockDifference(centre.uri(), new ConnectException("refused")))
                    .isNull();
            for (int i = 0; i < 2; i++) {
                assertThat(tls.clockDifference(centre.uri(), new SSLException("alert")))
                        .contains("this host's is 24 h 0 min ahead");
            }
        }
        assertThat(centre.requests("/actuator/health"))
                .singleElement()
                .satisfies(request -> assertThat(request.certificate()).isNull());
    }

    @Test
    void certificateOutsideItsTime_isRefusedWithTheCauseForTheAlertOfItsTime() {
        Instant begins = Instant.now().plus(Duration.ofDays(1));
        X509Certificate tomorrow =
                authority.server(centre.key(), begins, begins.plus(Duration.ofDays(1)), "a");

        UntrustedServerException refused = AuthorityTrust.explained(
                new X509Certificate[] {tomorrow},
                new CertificateException("validity"),
                Instant.now());

        assertThat(refused.isLasting()).isFalse();
        assertThat(refused.getCause())
                .isInstanceOfSatisfying(
                        CertPathValidatorException.class,
                        cause -> assertThat(cause.getReason())
                                .isEqualTo(CertPathValidatorException.BasicReason.EXPIRED));
    }

    @Test
    void open_refusedCode_withAWrongClock_tellsTheClockToo() {
        centre.refuses(403, "enrolment-code-expired", "The code ended at 10:00");
        Clock ahead = Clock.offset(Clock.systemUTC(), Duration.ofDays(1));
        assertThatThrownBy(() -> open(centre.code(), NAMES, ahead, PartIdentityTest::forever))
                .hasMessageContaining("The code ended at 10:00")
                .hasMessageContaining("this host's is 24 h 0 min ahead");
    }

    @Test
    void open_refusedCode_endsWithTheTextOfTheProblem() {
        centre.refuses(403, "enrolment-code-expired", "The code ended at 10:00");
        assertThatThrownBy(() -> open(centre.code()))
                .isInstanceOf(EnrolmentException.class)
                .hasMessageStartingWith(
                        "central.enrolment-code: refused by " + centre.uri()
                                + ": The code ended at 10:00 (enrolment-code-expired; expected: a new code");
        centre.refuses(409, "source-taken", "agent@web-01 is enrolled");
        assertThatThrownBy(() -> open(centre.code()))
                .hasMessageContaining("a code that names the host web-01");
        assertThat(data.resolve("identity/part.pem")).doesNotExist();
    }

    @Test
    void open_centralServiceThatCannotBeReached_isTriedAgainAfterGrowingWaits() throws Exception {
        centre.stop();
        try (PartIdentity identity = open(centre.code(), NAMES, Clock.systemUTC(), time -> {
            pauses.add(time);
            if (pauses.size() == 4) {
                restart();
            } else if (pauses.size() > 4) {
                forever(time);
            }
        })) {
            assertThatThrownBy(identity::enrolled).isInstanceOf(IOException.class);
            identity.awaitEnrolled();
            assertThat(identity.source()).isEqualTo("agent@web-01");
        }
        assertThat(pauses.subList(0, 4))
                .containsExactly(
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(4),
                        Duration.ofSeconds(8));
    }

    private void restart() {
        try {
            centre.restart();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void open_diedBeforeTheResponse_enrolsWithTheSameCodeAndKey_andAnotherKeyIsRefused()
            throws Exception {
        centre.codeIsForOnePart();
        for (EnrollingCentre.Loss loss :
                List.of(EnrollingCentre.Loss.ALL, EnrollingCentre.Loss.SECOND_HALF)) {
            centre.loses(loss);
            try (PartIdentity identity = open(centre.code())) {
                assertThat(identity.trouble()).startsWith("not enrolled yet: ");
            }
            assertThat(data.resolve("identity/part.pem")).doesNotExist();
            assertThat(data.resolve("identity/enrolment.pem")).exists();
        }
        centre.loses(EnrollingCentre.Loss.NONE);
        assertThatThrownBy(() -> PartIdentity.open(
                        data.resolve("other"),
                        centre.uri(),
                        NAMES,
                        EnrolmentCode.parse(centre.code())))
                .isInstanceOf(EnrolmentException.class)
                .hasMessageContaining("enrolment-code-used");

        try (PartIdentity identity = open(centre.code())) {
            assertThat(identity.source()).isEqualTo("agent@web-01");
        }
        assertThat(data.resolve("identity/enrolment.pem")).doesNotExist();
        assertThat(centre.requests(ENROLMENTS).stream()
                        .map(request -> request.text("publicKey"))
                        .distinct())
                .hasSize(2);
    }

    @Test
    void open_diedBeforeTheIdentityWasWritten_enrolsWithTheSameCodeAndKey() throws Exception {
        centre.codeIsForOnePart();
        IdentityFiles full = new IdentityFiles(data, (file, content) -> {
            if (file.endsWith("part.pem")) {
                throw new IOException("disk full");
            }
            PrivateFiles.replace(file, content);
        });
        assertThatThrownBy(() -> PartIdentity.open(
                        full,
                        CentralAddresses.of(centre.uri()),
                        NAMES,
                        EnrolmentCode.parse(centre.code()),
                        List::of,
                        Clock.systemUTC(),
                        PartIdentityTest::forever))
                .isInstanceOf(EnrolmentException.class)
                .hasMessageContaining("disk full")
                .hasMessageContaining("this part can use it again");

        try (PartIdentity identity = open(centre.code())) {
            assertThat(identity.source()).isEqualTo("agent@web-01");
        }
    }

    @Test
    void open_keyThatCannotBeWritten_sendsNothing() {
        IdentityFiles full = new IdentityFiles(data, (file, content) -> {
            throw new IOException("disk full");
        });
        assertThatThrownBy(() -> PartIdentity.open(
                        full,
                        CentralAddresses.of(centre.uri()),
                        NAMES,
                        EnrolmentCode.parse(centre.code()),
                        List::of,
                        Clock.systemUTC(),
                        PartIdentityTest::forever))
                .hasMessageContaining("enrolment.pem cannot be written, so the code was not used");
        assertThat(centre.requests(ENROLMENTS)).isEmpty();
    }

    @Test
    void open_begunWithAnotherCode_orDamaged_enrolsWithANewKey() throws Exception {
        IdentityFiles files = new IdentityFiles(data);
        Files.createDirectories(files.directory());
        String fingerprint = EnrolmentCode.fingerprint(authority.certificate());
        PartKey former = files.keyFor(
                EnrolmentCode.parse(centre.uri() + "#" + "x".repeat(32) + "." + fingerprint));
        EnrolmentCode code = EnrolmentCode.parse(centre.code());
        PartKey next = files.keyFor(code);
        assertThat(next.openText()).isNotEqualTo(former.openText());
        assertThat(files.keyFor(code).openText()).isEqualTo(next.openText());

        Path begun = data.resolve("identity/enrolment.pem");
        String whole = Files.readString(begun);
        Files.writeString(begun, whole.substring(0, whole.length() - 60));
        open(centre.code()).close();
        assertThat(centre.requests(ENROLMENTS))
                .singleElement()
                .satisfies(request ->
                        assertThat(request.text("publicKey")).isNotEqualTo(next.openText()));
    }

    @Test
    void open_reachableLaterAndRefused_endsTheWait() throws Exception {
        centre.stop();
        centre.refuses(403, "enrolment-code-expired", "Too late");
        try (PartIdentity identity =
                open(centre.code(), NAMES, Clock.systemUTC(), time -> restart())) {
            assertThatThrownBy(identity::awaitEnrolled)
                    .isInstanceOf(EnrolmentException.class)
                    .hasMessageContaining("Too late");
            assertThat(identity.trouble()).contains("Too late");
        }
    }

    @Test
    void open_busyCentralService_waitsAsLongAsItSays() throws Exception {
        centre.refusesFor(429, "17");
        try (PartIdentity identity = open(centre.code(), NAMES, Clock.systemUTC(), time -> {
            pauses.add(time);
            centre.refuses(0, null, null);
            if (pauses.size() > 1) {
                forever(time);
            }
        })) {
            identity.awaitEnrolled();
        }
        assertThat(pauses.getFirst()).isEqualTo(Duration.ofSeconds(17));
    }

    @Test
    void open_clocksThatDiffer_isToldWithBothTimes() throws Exception {
        Instant own = Instant.now().plus(Duration.ofMinutes(5));
        try (PartIdentity identity = open(
                centre.code(),
                NAMES,
                Clock.fixed(own, ZoneOffset.UTC),
                PartIdentityTest::forever)) {
            assertThat(identity.trouble())
                    .contains("The clock of this host says " + ClockHint.text(own))
                    .contains("that of the central service "
                            + ClockHint.text(
                                    identity.enrolled().ends().minus(Duration.ofDays(30))));
        }
    }

    @Test
    void open_damagedIdentity_isToldWithTheFileAndTheRemedy_andANewCodeReplacesIt()
            throws Exception {
        open(centre.code()).close();
        Path part = data.resolve("identity/part.pem");
        Files.writeString(part, Files.readString(part).substring(0, 300));
        assertThatThrownBy(() -> open(null))
                .hasMessageStartingWith(part + ": ")
                .hasMessageContaining("remove " + data.resolve("identity"));
        try (PartIdentity identity = open(centre.code())) {
            assertThat(identity.source()).isEqualTo("agent@web-01");
        }
        assertThat(centre.requests(ENROLMENTS)).hasSize(2);
    }

    @Test
    void open_expiredIdentity_isReplacedWithACode_andToldWithout() throws Exception {
        centre.life(Duration.ofMinutes(10));
        open(centre.code()).close();
        Clock later = Clock.fixed(Instant.now().plus(Duration.ofHours(1)), ZoneOffset.UTC);
        centre.refuses(401, "certificate-expired", "Expired");
        try (PartIdentity identity = open(null, NAMES, later, PartIdentityTest::forever)) {
            assertThat(identity.clockHint())
                    .startsWith("The certificate of this part ended at ")
                    .contains("the clock of this host says " + ClockHint.text(later.instant()));
        }
        centre.refuses(0, null, null);
        open(centre.code(), NAMES, later, PartIdentityTest::forever).close();
        assertThat(centre.requests(ENROLMENTS)).hasSize(2);
    }

    @Test
    void open_twoProcesses_theSecondIsRefused() throws Exception {
        try (PartIdentity identity = open(centre.code())) {
            assertThat(identity.source()).isNotNull();
            assertThatThrownBy(() -> open(null)).hasMessageContaining("in use by another process");
        }
        open(null).close();
    }

    @Test
    void open_clearText_isRefused() {
        assertThatThrownBy(() -> PartIdentity.open(
                        data,
                        URI.create("http://127.0.0.1:7600"),
                        NAMES,
                        EnrolmentCode.parse(centre.code())))
                .hasMessageContaining("expected: https://HOST:PORT");
    }

    @Test
    void serverContext_showsTheCertificate_andTrustsTheInstallationOnly() throws Exception {
        try (PartIdentity identity = open(centre.code())) {
            assertThat(identity.keyManager().getCertificateChain("identity"))
                    .containsExactly(identity.enrolled().certificate());
            assertThat(identity.keyManager().chooseServerAlias("RSA", null, null))
                    .isNull();
            KeyPair other = TestAuthority.keys();
            identity.trustManager()
                    .checkClientTrusted(
                            new X509Certificate[] {authority.server(other.getPublic(), "central")},
                            "EC");
            assertThatThrownBy(() -> identity.trustManager()
                            .checkClientTrusted(
                                    new X509Certificate[] {
                                        new TestAuthority("Komainu authority")
                                                .server(other.getPublic(), "central")
                                    },
                                    "EC"))
                    .isInstanceOf(CertificateException.class);
        }
    }
}
