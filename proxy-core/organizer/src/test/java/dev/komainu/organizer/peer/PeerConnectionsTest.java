package dev.komainu.organizer.peer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.organizer.peer.PeerConnections.Closed;
import dev.komainu.organizer.peer.PeerConnections.Lifetime;
import dev.komainu.telemetry.identity.EnrolmentCode;
import dev.komainu.telemetry.identity.PartIdentity;
import dev.komainu.telemetry.identity.PartNames;
import dev.komainu.telemetry.kit.EnrollingCentre;
import dev.komainu.telemetry.kit.TestAuthority;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The admission of connections, and their close when the right of the peer ends. */
class PeerConnectionsTest {

    private static final Duration LIFE = Duration.ofDays(30);

    @TempDir
    Path data;

    private final TestAuthority authority = new TestAuthority("Komainu authority");
    private final List<String> closes = new ArrayList<>();
    private EnrollingCentre centre;
    private PartIdentity identity;

    @BeforeEach
    void setUp() throws IOException {
        centre = new EnrollingCentre(authority, Clock.systemUTC());
        identity = PartIdentity.open(
                data,
                centre.uri(),
                new PartNames(PartNames.Kind.ORGANIZER, "organizer@shop/web1", "host-1"),
                EnrolmentCode.parse(centre.code()));
    }

    @AfterEach
    void tearDown() {
        identity.close();
        centre.close();
    }

    private X509Certificate certificate(String id, String kind, String source) {
        Instant now = Instant.now();
        return authority.part(
                TestAuthority.keys().getPublic(),
                id,
                kind,
                source,
                "host-2",
                now.minus(Duration.ofHours(1)),
                now.plus(LIFE));
    }

    /** Returns a session whose peer has shown this certificate; null: none. */
    private static SSLSession session(X509Certificate shown) {
        return (SSLSession) Proxy.newProxyInstance(
                SSLSession.class.getClassLoader(),
                new Class<?>[] {SSLSession.class},
                (proxy, method, arguments) -> {
                    if (!method.getName().equals("getPeerCertificates")) {
                        throw new UnsupportedOperationException(method.getName());
                    }
                    if (shown == null) {
                        throw new SSLPeerUnverifiedException("no certificate");
                    }
                    return new Certificate[] {shown};
                });
    }

    private PeerConnections at(Duration later) {
        return new PeerConnections(new PeerRights(
                identity, "shop", Clock.fixed(Instant.now().plus(later), ZoneOffset.UTC)));
    }

    private boolean admit(
            PeerConnections peers, X509Certificate shown, Lifetime lifetime, String name) {
        return peers.admit(session(shown), lifetime, () -> true, () -> closes.add(name));
    }

    @Test
    void admit_onlyOrganizersOfThisCluster() {
        PeerConnections peers = at(Duration.ZERO);
        assertThat(admit(
                        peers,
                        certificate("a", "organizer", "organizer@shop/web2"),
                        Lifetime.OF_CERTIFICATE,
                        ""))
                .isTrue();
        assertThat(List.of(
                        certificate("b", "organizer", "organizer@shops/web2"),
                        certificate("c", "organizer", "organizer@shop/"),
                        certificate("d", "proxy", "organizer@shop/web2"),
                        certificate("e", "agent", "agent@host-2"),
                        authority.server(TestAuthority.keys().getPublic(), "localhost")))
                .noneMatch(shown -> admit(peers, shown, Lifetime.OF_CERTIFICATE, ""));
        assertThat(admit(peers, null, Lifetime.OF_CERTIFICATE, "")).isFalse();
        assertThat(peers.shown(Lifetime.OF_CERTIFICATE)).hasSize(1);
        assertThat(peers.closeRefused()).isEmpty();
        assertThat(closes).isEmpty();
    }

    @Test
    void revokedPeer_isClosedOnce_andNotAdmittedAgain_othersStay() {
        PeerConnections peers = at(Duration.ZERO);
        X509Certificate revoked = certificate("a", "organizer", "organizer@shop/web2");
        X509Certificate other = certificate("b", "organizer", "organizer@shop/web3");
        assertThat(admit(peers, revoked, Lifetime.OF_CERTIFICATE, "line")).isTrue();
        assertThat(admit(peers, revoked, Lifetime.OF_CONNECTION, "group")).isTrue();
        assertThat(admit(peers, other, Lifetime.OF_CERTIFICATE, "other")).isTrue();

        identity.noteRevoked(List.of("a"));

        Closed closed = new Closed("web2", "the central service has revoked organizer@shop/web2");
        assertThat(peers.closeRefused()).containsExactly(closed, closed);
        assertThat(closes).containsExactlyInAnyOrder("line", "group");
        assertThat(peers.closeRefused()).isEmpty();
        assertThat(closes).hasSize(2);
        assertThat(admit(peers, revoked, Lifetime.OF_CERTIFICATE, "again")).isFalse();
        assertThat(peers.shown(Lifetime.OF_CERTIFICATE)).containsExactly(other);
    }

    @Test
    void endedCertificate_isNotAdmittedToALine_andKeepsAConnectionOfTheGroup() {
        X509Certificate shown = certificate("a", "organizer", "organizer@shop/web2");
        PeerConnections after = at(LIFE.plusHours(1));
        assertThat(admit(after, shown, Lifetime.OF_CERTIFICATE, "line")).isFalse();
        assertThat(admit(after, shown, Lifetime.OF_CONNECTION, "group")).isTrue();
        assertThat(after.closeRefused()).isEmpty();

        PeerConnections before = at(LIFE.minusHours(1));
        assertThat(admit(before, shown, Lifetime.OF_CERTIFICATE, "line")).isTrue();
        assertThat(before.closeRefused()).isEmpty();
    }

    @Test
    void closedConnection_isForgotten_withoutAClose() {
        PeerConnections peers = at(Duration.ZERO);
        AtomicBoolean isOpen = new AtomicBoolean(true);
        X509Certificate shown = certificate("a", "organizer", "organizer@shop/web2");
        assertThat(peers.admit(
                        session(shown),
                        Lifetime.OF_CERTIFICATE,
                        isOpen::get,
                        () -> closes.add("line")))
                .isTrue();
        isOpen.set(false);
        identity.noteRevoked(List.of("a"));

        assertThat(peers.closeRefused()).isEmpty();
        assertThat(peers.shown(Lifetime.OF_CERTIFICATE)).isEmpty();
        assertThat(closes).isEmpty();
    }
}
