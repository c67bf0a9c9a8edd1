package dev.komainu.telemetry.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.komainu.telemetry.kit.EnrollingCentre;
import dev.komainu.telemetry.kit.TestAuthority;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Enrolment and renewal with the addresses of two central services of one authority. */
class SeveralAddressesEnrolmentTest {

    private static final String ENROLMENTS = "/api/v1/enrolments";
    private static final String RENEWAL = "/api/v1/parts/renewal";
    private static final PartNames NAMES =
            new PartNames(PartNames.Kind.AGENT, "agent@web-01", "web-01");

    @TempDir
    Path data;

    private final TestAuthority authority = new TestAuthority("Komainu authority");
    private final List<Duration> pauses = new CopyOnWriteArrayList<>();
    private final SteppedClock clock = new SteppedClock();
    private CentralAddresses addresses;
    private EnrollingCentre first;
    private EnrollingCentre second;

    @BeforeEach
    void setUp() throws IOException {
        EnrollingCentre one = new EnrollingCentre(authority, Clock.systemUTC());
        EnrollingCentre other = new EnrollingCentre(authority, Clock.systemUTC());
        addresses = CentralAddresses.parse(one.uri() + "," + other.uri());
        boolean isOneFirst = addresses.preferredBy(NAMES.source()).getFirst().equals(one.uri());
        first = isOneFirst ? one : other;
        second = isOneFirst ? other : one;
    }

    @AfterEach
    void tearDown() {
        first.close();
        second.close();
    }

    private PartIdentity open(EnrollingCentre ofCode) throws IOException {
        return PartIdentity.open(
                new IdentityFiles(data),
                addresses,
                NAMES,
                EnrolmentCode.parse(ofCode.code()),
                () -> List.of("192.0.2.10"),
                Clock.systemUTC(),
                time -> {
                    pauses.add(time);
                    Thread.sleep(Duration.ofDays(1));
                });
    }

    @Test
    void firstIsDown_partEnrolsAtTheSecondAtOnce() throws Exception {
        first.stop();
        try (PartIdentity identity = open(first)) {
            assertThat(identity.enrolled().facts().central()).isEqualTo(second.uri());
            assertThat(second.requests(ENROLMENTS)).hasSize(1);
        }
    }

    @Test
    void firstLosesItsResponse_sameKeyEnrolsAtTheSecond() throws Exception {
        first.loses(EnrollingCentre.Loss.SECOND_HALF);
        try (PartIdentity identity = open(first)) {
            assertThat(identity.source()).isEqualTo(NAMES.source());
        }
        assertThat(first.requests(ENROLMENTS).getFirst().text("publicKey"))
                .isEqualTo(second.requests(ENROLMENTS).getFirst().text("publicKey"));
    }

    @Test
    void foreignCertificateAtTheFirst_getsNoSecret_andTheSecondEnrols() throws Exception {
        TestAuthority other = new TestAuthority("other");
        first.shows(List.of(other.server(first.key(), "127.0.0.1"), other.certificate()));
        first.stop();
        first.restart();
        try (PartIdentity identity = open(second)) {
            assertThat(identity.source()).isEqualTo(NAMES.source());
        }
        assertThat(first.requests(ENROLMENTS)).isEmpty();

        second.shows(List.of(other.server(second.key(), "127.0.0.1"), other.certificate()));
        second.stop();
        second.restart();
        data = data.resolve("another");
        assertThatThrownBy(() -> open(second))
                .isInstanceOf(EnrolmentException.class)
                .hasMessageContaining("no address was trusted, nothing was sent: " + first.uri())
                .hasMessageContaining(second.uri() + ": The certificates that the central service");
    }

    @Test
    void noneAnswers_shortestWaitIsKept_andBothReasonsAreTold() throws Exception {
        first.refusesFor(503, "40");
        second.refusesFor(503, "20");
        try (PartIdentity identity = open(first)) {
            assertThat(identity.trouble())
                    .isEqualTo("not enrolled yet: " + first.uri() + ": Later; " + second.uri()
                            + ": Later");
            assertThatThrownBy(identity::enrolled).hasMessageContaining("not enrolled yet");
            await().atMost(Duration.ofSeconds(120)).until(() -> !pauses.isEmpty());
            assertThat(pauses.getFirst()).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(20));
        }
    }

    @Test
    void refusalOfTheFirst_isFinal() {
        first.refuses(403, "enrolment-code-used", "Used once");
        assertThatThrownBy(() -> open(first))
                .isInstanceOf(EnrolmentException.class)
                .hasMessageContaining("refused by " + first.uri());
        assertThat(second.requests(ENROLMENTS)).isEmpty();
    }

    @Test
    void firstIsDown_certificateIsRenewedAtTheSecond() throws Exception {
        try (PartIdentity identity = open(first)) {
            second.knows(first);
            first.stop();
            Identity before = identity.enrolled();
            clock.forward(Duration.ofDays(21));
            IdentityRenewal renewal = new IdentityRenewal(
                    identity,
                    new IdentityFiles(data),
                    new CentralRoute(addresses, NAMES.source()),
                    new CentralTls(identity, null, clock),
                    clock);
            assertThat(renewal.run(before)).isZero();
            assertThat(second.requests(RENEWAL)).hasSize(1);
            assertThat(identity.enrolled().certificate()).isNotEqualTo(before.certificate());
        }
    }
}
