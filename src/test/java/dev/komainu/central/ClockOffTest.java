package dev.komainu.central;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.central.access.IdentityConcerns;
import dev.komainu.central.access.IdentityConcerns.Concern;
import dev.komainu.central.alert.AlertBoard;
import dev.komainu.central.alert.AlertKind;
import dev.komainu.central.enrolment.PartKind;
import dev.komainu.central.identity.Authority;
import dev.komainu.telemetry.identity.CertificateNames;
import dev.komainu.telemetry.record.SourceStatus;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of what the central service tells when the clock of a part differs by a day. */
class ClockOffTest {

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Duration DAY = Duration.ofDays(1);

    @TempDir
    private static Path directory;

    private static TlsCentre centre;

    @BeforeAll
    static void start() {
        centre = new TlsCentre(directory.resolve("central"), Clock.systemUTC());
    }

    @AfterAll
    static void stop() {
        centre.close();
    }

    private static SourceStatus status(String node) {
        long now = System.currentTimeMillis() * 1_000;
        return new SourceStatus(
                node,
                SourceStatus.Kind.AGENT,
                "0.1.0",
                now,
                now,
                new SourceStatus.Use(1, 0),
                List.of("lo"),
                List.of(),
                List.of());
    }

    private static void report(PartClient part, String node, int sequence, Duration ahead)
            throws Exception {
        part.report(
                        Map.of(
                                "Komainu-Batch",
                                "agent@" + node + "/7/" + sequence,
                                "Date",
                                DateTimeFormatter.RFC_1123_DATE_TIME.format(
                                        Instant.now().plus(ahead).atOffset(ZoneOffset.UTC))),
                        status(node))
                .expect(200);
    }

    @ParameterizedTest
    @CsvSource({"P1D, early, 24 h 0 min ahead", "-P1D, late, 24 h 0 min behind"})
    void clockOfAPart_aDayOff_isToldByAnAlert_andItsRecordsAreStored(
            Duration ahead, String node, String told) throws Exception {
        PartClient part = centre.enrolled(PartKind.AGENT, "agent@" + node, node);

        report(part, node, 1, ahead);

        Awaitility.await("the alert")
                .atMost(LIMIT)
                .untilAsserted(() -> assertThat(centre.bean(AlertBoard.class).firing())
                        .filteredOn(alert -> alert.kind() == AlertKind.IDENTITY)
                        .filteredOn(alert -> alert.subject().equals("agent@" + node))
                        .singleElement()
                        .satisfies(alert -> {
                            assertThat(alert.state()).isEqualTo("clock-differs");
                            assertThat(alert.text().en())
                                    .contains("its host's clock is " + told, "NTP");
                        }));
    }

    @Test
    void clockThatDiffersBySeconds_isNotTold() throws Exception {
        PartClient part = centre.enrolled(PartKind.AGENT, "agent@right", "right");

        report(part, "right", 1, Duration.ofSeconds(40));

        assertThat(centre.bean(IdentityConcerns.class).all()).doesNotContainKey("agent@right");
    }

    @Test
    void twoWhoSpeakAsOne_areNotHiddenByAClock() {
        IdentityConcerns concerns = new IdentityConcerns();
        Instant now = Instant.parse("2026-11-28T10:00:00Z");
        concerns.tell("agent@a", Concern.TWO_SPEAK_AS_ONE, "two", now);
        concerns.tell("agent@a", Concern.CLOCK_DIFFERS, "clock", now.plusSeconds(60));
        assertThat(concerns.all().get("agent@a").detail()).isEqualTo("two");

        concerns.tell("agent@a", Concern.CLOCK_DIFFERS, "clock", now.plusSeconds(660));

        assertThat(concerns.all().get("agent@a").detail()).isEqualTo("clock");
    }

    private static double failures() {
        return centre
                .bean(MeterRegistry.class)
                .find("komainu.tls.handshakes.failed")
                .tag("reason", "certificate-time")
                .counters()
                .stream()
                .mapToDouble(Counter::count)
                .sum();
    }

    private static void awaitFailure(double before) {
        Awaitility.await("the failed handshake is counted")
                .atMost(LIMIT)
                .untilAsserted(() -> assertThat(failures()).isGreaterThan(before));
    }

    /** Returns a part whose certificate is valid from an hour before this instant for so long. */
    private static PartClient partOf(Instant issued, Duration life) throws Exception {
        Authority authority = Authority.open(
                centre.data().resolve("authority"), Clock.fixed(issued, ZoneOffset.UTC));
        PartClient part = centre.stranger();
        return part.withChain(Authority.pem(authority.issuePart(
                part.key(),
                new CertificateNames("id-" + issued, "agent", "agent@o", "o", List.of()),
                life)));
    }

    @Test
    void certificateOfAPart_endedByTheServicesClock_isCounted() throws Exception {
        double before = failures();
        PartClient part = partOf(Instant.now().minus(DAY.multipliedBy(2)), DAY);

        assertThatThrownBy(() -> part.sight("agent@o", 1, "o")).isInstanceOf(IOException.class);

        awaitFailure(before);
    }

    @Test
    void certificateOfAPart_notValidYetByTheServicesClock_isCounted() throws Exception {
        double before = failures();
        PartClient part = partOf(Instant.now().plus(DAY), DAY);

        assertThatThrownBy(() -> part.sight("agent@o", 1, "o")).isInstanceOf(IOException.class);

        awaitFailure(before);
    }

    @Test
    void certificateOfTheService_notValidByThePartsClock_isCounted() throws Exception {
        double before = failures();
        SSLContext context = SSLContext.getInstance("TLSv1.3");
        context.init(null, new TrustManager[] {new LateClock()}, null);

        assertThatThrownBy(() -> {
                    try (Socket socket = context.getSocketFactory()
                            .createSocket("127.0.0.1", centre.uri().getPort())) {
                        socket.getOutputStream().write(1);
                    }
                })
                .isInstanceOf(IOException.class);

        awaitFailure(before);
    }

    /** The trust of a part by whose clock the service's certificate is not valid. */
    private static final class LateClock extends X509ExtendedTrustManager {

        private static CertificateException outside() {
            return new CertificateException(new CertPathValidatorException(
                    "not valid yet",
                    null,
                    null,
                    -1,
                    CertPathValidatorException.BasicReason.EXPIRED));
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            throw outside();
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            throw outside();
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type)
                throws CertificateException {
            throw outside();
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
