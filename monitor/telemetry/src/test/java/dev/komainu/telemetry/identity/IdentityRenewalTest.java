package dev.komainu.telemetry.identity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.kit.EnrollingCentre;
import dev.komainu.telemetry.kit.TestAuthority;
import java.io.IOException;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Renewals with a clock that the test moves: when, with which key, and what they bring. */
class IdentityRenewalTest {

    private static final String RENEWALS = "/api/v1/parts/renewal";
    private static final Duration LIFE = Duration.ofDays(30);

    @TempDir
    Path data;

    private final TestAuthority authority = new TestAuthority("first authority");
    private final SteppedClock clock = new SteppedClock();
    private EnrollingCentre centre;
    private PartIdentity identity;
    private IdentityFiles files;
    private CentralTls tls;
    private IdentityRenewal renewal;

    @BeforeEach
    void setUp() throws IOException {
        centre = new EnrollingCentre(authority, clock);
    }

    /** Enrols, and lets the test do the work of the identity's thread, which waits for ever. */
    private void enrol() throws Exception {
        CountDownLatch idle = new CountDownLatch(1);
        files = new IdentityFiles(data);
        identity = PartIdentity.open(
                files,
                CentralAddresses.of(centre.uri()),
                new PartNames(PartNames.Kind.PROXY, "proxy@web-01:7680", "web-01"),
                EnrolmentCode.parse(centre.code()),
                List::of,
                clock,
                time -> {
                    idle.countDown();
                    Thread.sleep(Duration.ofDays(1));
                });
        idle.await();
        tls = new CentralTls(identity, null, clock);
        renewal = new IdentityRenewal(identity, files, route(), tls, clock);
    }

    private CentralRoute route() {
        return new CentralRoute(CentralAddresses.of(centre.uri()), "agent@web-01");
    }

    @AfterEach
    void tearDown() {
        identity.close();
        centre.close();
    }

    private Duration run() throws IOException {
        return renewal.run(identity.enrolled());
    }

    @Test
    void run_beforeTwoThirdsOfTheLife_waits_thenRenewsWithANewKey() throws Exception {
        enrol();
        X509Certificate first = identity.enrolled().certificate();
        assertThat(run()).isEqualTo(Duration.ofDays(20));
        clock.forward(Duration.ofDays(20).minusSeconds(1));
        assertThat(run()).isEqualTo(Duration.ofSeconds(1));
        assertThat(centre.requests(RENEWALS)).isEmpty();

        clock.forward(Duration.ofSeconds(1));
        assertThat(run()).isEqualTo(Duration.ZERO);
        assertThat(centre.requests(RENEWALS))
                .singleElement()
                .satisfies(request -> assertThat(request.certificate()).isEqualTo(first));
        X509Certificate second = identity.enrolled().certificate();
        assertThat(second.getPublicKey()).isNotEqualTo(first.getPublicKey());
        assertThat(second.getNotAfter().toInstant()).isEqualTo(clock.instant().plus(LIFE));
        assertThat(files.read().certificate()).isEqualTo(second);
        assertThat(run()).isEqualTo(Duration.ofDays(20));
    }

    @Test
    void run_shortLife_isNotDueAtOnceAlthoughTheCertificateBeganAnHourBefore() throws Exception {
        centre.life(Duration.ofMinutes(3));
        enrol();
        assertThat(run()).isEqualTo(Duration.ofMinutes(2));
    }

    @Test
    void run_clockSetBack_isDueAfterTwoThirdsFromNow() throws Exception {
        enrol();
        clock.forward(Duration.ofDays(-100));
        assertThat(run()).isEqualTo(Duration.ofDays(20));
    }

    @Test
    void run_afterAFailure_triesAgainEveryThirtiethOfTheLife_andTheOldOneStaysInUse()
            throws Exception {
        enrol();
        X509Certificate first = identity.enrolled().certificate();
        clock.forward(Duration.ofDays(20));
        centre.refuses(503, "busy", "Later");
        assertThat(run()).isEqualTo(Duration.ofDays(1));
        assertThat(identity.trouble()).contains("cannot be renewed").contains("Later");
        clock.forward(Duration.ofHours(23));
        assertThat(run()).isEqualTo(Duration.ofHours(1));
        assertThat(centre.requests(RENEWALS)).hasSize(1);
        assertThat(identity.enrolled().certificate()).isEqualTo(first);

        centre.refuses(0, null, null);
        clock.forward(Duration.ofHours(1));
        assertThat(run()).isEqualTo(Duration.ZERO);
        assertThat(identity.trouble()).isNull();
        assertThat(centre.requests(RENEWALS).get(0).text("publicKey"))
                .isNotEqualTo(centre.requests(RENEWALS).get(1).text("publicKey"));
    }

    @Test
    void run_shortLifeAndAFailure_waitsTenSecondsAtLeast() throws Exception {
        centre.life(Duration.ofMinutes(1));
        enrol();
        clock.forward(Duration.ofMinutes(1));
        centre.stop();
        assertThat(run()).isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void run_revoked_tellsWhatToDo() throws Exception {
        enrol();
        clock.forward(Duration.ofDays(20));
        centre.refuses(401, "certificate-revoked", "Revoked by admin.");
        run();
        assertThat(identity.trouble())
                .contains("The central service has revoked the certificate of this part: Revoked"
                        + " by admin. To enrol again")
                .contains("remove " + data.resolve("identity"));
    }

    @Test
    void run_expired_tellsBothTimes() throws Exception {
        enrol();
        clock.forward(Duration.ofDays(31));
        centre.stop();
        run();
        assertThat(identity.trouble())
                .contains("The certificate of this part ended at "
                        + ClockHint.text(identity.enrolled().ends())
                        + ", and the clock of this host says " + ClockHint.text(clock.instant()));
    }

    @Test
    void run_replacedAuthority_isReachedByTheLink_andTakenOver() throws Exception {
        enrol();
        TestAuthority newer = new TestAuthority("second authority");
        centre.issuesBy(newer, List.of(newer.certificate(), authority.certificate()));
        showsWithLink(newer);
        clock.forward(Duration.ofDays(20));
        assertThat(run()).isEqualTo(Duration.ZERO);
        assertThat(identity.enrolled().authorities())
                .containsExactly(newer.certificate(), authority.certificate());

        // Without the link, only a part that took the new authority over accepts the service.
        centre.shows(List.of(newer.server(centre.key(), "127.0.0.1"), newer.certificate()));
        centre.stop();
        centre.restart();
        clock.forward(Duration.ofDays(20));
        assertThat(run()).isEqualTo(Duration.ZERO);
        assertThat(centre.requests(RENEWALS)).hasSize(2);
    }

    private void showsWithLink(TestAuthority newer) throws IOException {
        centre.shows(List.of(
                newer.server(centre.key(), "127.0.0.1"),
                authority.linkTo(newer),
                newer.certificate()));
        centre.stop();
        centre.restart();
    }

    @Test
    void run_strangeAuthority_isNotTrusted_andToldOnce() throws Exception {
        enrol();
        TestAuthority stranger = new TestAuthority("first authority");
        centre.shows(List.of(stranger.server(centre.key(), "127.0.0.1"), stranger.certificate()));
        centre.stop();
        centre.restart();
        clock.forward(Duration.ofDays(20));
        run();
        assertThat(centre.requests(RENEWALS)).isEmpty();
        assertThat(identity.trouble())
                .contains("of no trusted authority")
                .contains(EnrolmentCode.fingerprint(stranger.certificate()));
    }

    @Test
    void sockets_stayTheSameUntilTheRenewal() throws Exception {
        enrol();
        var before = tls.sockets();
        assertThat(tls.sockets()).isSameAs(before);
        clock.forward(Duration.ofDays(20));
        run();
        assertThat(tls.sockets()).isNotSameAs(before).isSameAs(tls.sockets());
    }

    @Test
    void renewal_thatCannotBeWritten_isNotUsed() throws Exception {
        enrol();
        X509Certificate first = identity.enrolled().certificate();
        IdentityRenewal failing = new IdentityRenewal(
                identity,
                new IdentityFiles(data, (file, content) -> {
                    throw new IOException("disk full");
                }),
                route(),
                tls,
                clock);
        clock.forward(Duration.ofDays(20));
        assertThat(failing.run(identity.enrolled())).isEqualTo(Duration.ofDays(1));
        // The first use of the new certificate would end the old one, and only that is on the disk.
        assertThat(identity.enrolled().certificate()).isEqualTo(first);
        assertThat(identity.trouble()).contains("cannot be renewed").contains("disk full");
    }
}
