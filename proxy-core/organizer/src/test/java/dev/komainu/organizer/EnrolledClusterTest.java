package dev.komainu.organizer;

import static dev.komainu.telemetry.kit.FreePort.freePort;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import dev.komainu.organizer.line.LineCarrier;
import dev.komainu.organizer.line.endpoint.LineFigures;
import dev.komainu.organizer.line.quic.QuicTransport;
import dev.komainu.organizer.peer.PeerConnections.Lifetime;
import dev.komainu.settings.kit.WrittenSettings;
import dev.komainu.telemetry.identity.EnrolmentCode;
import dev.komainu.telemetry.identity.PartIdentity;
import dev.komainu.telemetry.identity.PartNames;
import dev.komainu.telemetry.kit.EnrollingCentre;
import dev.komainu.telemetry.kit.TestAuthority;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A cluster whose members have identities of the installation in place of a secret: organizers as
 * programs, over real TLS, at a central service that enrols and revokes them.
 */
class EnrolledClusterTest {

    private static final String PREFIX = "www.example.com/";

    @TempDir
    Path directory;

    private final HttpClient client = HttpClient.newHttpClient();
    private final TestAuthority authority = new TestAuthority("Komainu authority");
    private final int seed = freePort();
    private EnrollingCentre centre;

    @BeforeEach
    void setUp() throws IOException {
        centre = new EnrollingCentre(authority, Clock.systemUTC());
    }

    @AfterEach
    void tearDown() {
        centre.close();
    }

    private Organizer start(String member, String more) throws Exception {
        return start(centre, member, more);
    }

    private Organizer start(EnrollingCentre at, String member, String more) throws Exception {
        String yaml = String.format(
                Locale.ROOT,
                """
                member: %s
                cluster: shop
                node: host-%s
                listen: 127.0.0.1:%d
                line: 127.0.0.1:%d
                front: {listen: "127.0.0.1:%d"}
                detect: 10s
                data: %s
                meet: {seeds: ["127.0.0.1:%d"]}
                control: {listen: "127.0.0.1:%d"}
                central: {enrolment-code: "%s"}
                %s
                """,
                member,
                member,
                member.equals("web1") ? seed : freePort(),
                freePort(),
                freePort(),
                data(member),
                seed,
                freePort(),
                at.code(),
                more);
        return Organizer.start(OrganizerSettings.read(WrittenSettings.reader(yaml)));
    }

    private Path data(String member) {
        return directory.resolve(member);
    }

    private static String source(String member) {
        return "organizer@shop/" + member;
    }

    private static String serves(ScriptedOrigin web) {
        return String.format(
                Locale.ROOT, "serve: [{prefix: %s, server: \"127.0.0.1:%d\"}]", PREFIX, web.port());
    }

    private String get(Organizer organizer, String path) {
        try {
            return client.send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:"
                                            + organizer.controlAddress().getPort() + path))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void until(BooleanSupplier condition) {
        await().atMost(Duration.ofSeconds(90)).until(condition::getAsBoolean);
    }

    private void awaitServer(Organizer front, String member) {
        until(() -> get(front, "/control/v1/choice?url=" + PREFIX + "x")
                .contains("\"member\":\"" + member + "\""));
    }

    private static void request(RawClient client, String path) throws IOException {
        client.send("GET " + path + " HTTP/1.1\r\nHost: www.example.com\r\n\r\n");
    }

    private static Set<Object> table(Organizer organizer) {
        Set<Object> members = new HashSet<>();
        organizer
                .membership()
                .table()
                .announcements()
                .forEach(one -> members.add(one.member().text()));
        return members;
    }

    /** Begins a response at once, and ends it when that is wanted. */
    private static void slow(ScriptedOrigin web, CountDownLatch goes) {
        web.on("/slow", (request, socket, out) -> {
            out.write("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf"
                    .getBytes(StandardCharsets.US_ASCII));
            out.flush();
            goes.await();
            out.write("done".getBytes(StandardCharsets.US_ASCII));
            return true;
        });
    }

    @Test
    void enrolledMembers_meetAndForwardRequests_withoutASecret() throws Exception {
        forwards("", LineCarrier.TCP);
    }

    @Test
    void enrolledMembers_forwardRequestsOverQuic() throws Exception {
        assumeTrue(QuicTransport.missing() == null, "no QUIC on this machine");
        forwards("line-carrier: quic", LineCarrier.QUIC);
    }

    private void forwards(String more, LineCarrier carrier) throws Exception {
        try (ScriptedOrigin web = new ScriptedOrigin();
                Organizer one = start("web1", more);
                Organizer two = start("web2", more + "\n" + serves(web))) {
            web.ok("/shop", "", "open");
            awaitServer(one, "web2");
            try (RawClient visitor = new RawClient(one.front().address())) {
                request(visitor, "/shop");
                assertThat(visitor.read(false).body()).isEqualTo("open");
            }
            assertThat(one.front().lineFigures())
                    .filteredOn(line -> line.opened() > 0)
                    .extracting(LineFigures::carrier)
                    .containsOnly(carrier);
            assertThat(one.peers().shown(Lifetime.OF_CERTIFICATE))
                    .isNotEmpty()
                    .allSatisfy(
                            shown -> assertThat(shown.getSubjectX500Principal().getName())
                                    .contains("organizer@shop"));
            assertThat(two.peers().shown(Lifetime.OF_CONNECTION)).isNotEmpty();
        }
    }

    @Test
    void memberOfAnotherAuthority_staysAlone() throws Exception {
        try (EnrollingCentre other =
                        new EnrollingCentre(new TestAuthority("Another"), Clock.systemUTC());
                Organizer one = start("web1", "");
                Organizer two = start("web2", "")) {
            until(() -> table(one).equals(Set.of("web1", "web2")));
            try (Organizer stranger = start(other, "web3", "");
                    // A member that joins after the stranger is seen: so there was time.
                    Organizer last = start("web4", "")) {
                until(() -> table(one).equals(Set.of("web1", "web2", "web4")));
                until(() -> table(last).equals(table(two)));
                assertThat(table(stranger)).isEqualTo(Set.of("web3"));
            }
        }
    }

    @Test
    void partThatIsNoMember_isRefusedByTls() throws Exception {
        try (Organizer one = start("web1", "")) {
            assertThat(one.membership().size()).isEqualTo(1);
            assertRefused("agent", "agent@host-web9");
            assertRefused("organizer", "organizer@other/web9");
            assertRefused("proxy", "organizer@shop/web9");
            assertThatThrownBy(() -> connect("organizer", "organizer@shop/web9"))
                    .as("admitted by TLS, and closed because it says nothing")
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    /** Checks that the seed ends the handshake; a write that comes too late hides its alert. */
    private void assertRefused(String kind, String source) {
        assertThatThrownBy(() -> connect(kind, source))
                .isInstanceOfAny(SSLException.class, SocketException.class);
    }

    /** Connects to the seed with a certificate of the authority, and reads. */
    private void connect(String kind, String source) throws Exception {
        KeyPair keys = TestAuthority.keys();
        Instant now = Instant.now();
        KeyStore own = KeyStore.getInstance("PKCS12");
        own.load(null, null);
        own.setKeyEntry("own", keys.getPrivate(), new char[0], new Certificate[] {
            authority.part(
                    keys.getPublic(),
                    "id-" + kind,
                    kind,
                    source,
                    "host-web9",
                    now.minus(Duration.ofHours(1)),
                    now.plus(Duration.ofDays(1)))
        });
        KeyManagerFactory managers = KeyManagerFactory.getInstance("PKIX");
        managers.init(own, new char[0]);
        SSLContext context = SSLContext.getInstance("TLSv1.3");
        context.init(managers.getKeyManagers(), new TrustManager[] {new TrustsEveryMember()}, null);
        try (SSLSocket socket = (SSLSocket)
                context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), seed)) {
            socket.setSoTimeout(60_000);
            socket.startHandshake();
            int read = socket.getInputStream().read();
            throw new IllegalStateException("closed without an alert: " + read);
        }
    }

    private static final class TrustsEveryMember implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    @Test
    void revokedMember_losesItsLinesAndIsRefused_alsoWhileTheCentralServiceIsAway()
            throws Exception {
        CountDownLatch goes = new CountDownLatch(1);
        try (ScriptedOrigin web = new ScriptedOrigin();
                Organizer two = start("web2", serves(web));
                Organizer three = start("web3", "")) {
            slow(web, goes);
            try (Organizer one = start("web1", "")) {
                awaitServer(one, "web2");
                until(() -> table(one).equals(Set.of("web1", "web2", "web3")));
                until(() -> table(three).equals(table(one)));
                try (RawClient visitor = new RawClient(one.front().address())) {
                    request(visitor, "/slow");
                    until(() -> web.count("/slow") > 0);
                    assertThat(peers(one)).contains("CN=organizer@shop_web2");

                    centre.revokes(centre.part(source("web2")));

                    assertThatThrownBy(() -> visitor.read(false))
                            .as("the open stream is cut")
                            .isInstanceOfAny(EOFException.class, SocketException.class);
                }
                until(() -> table(one).equals(Set.of("web1", "web3")));
                until(() -> table(three).equals(Set.of("web1", "web3")));
                assertThat(get(one, "/control/v1/events"))
                        .contains("web2 lost its connection: the central service has revoked");
                assertThat(peers(one)).containsOnly("CN=organizer@shop_web3");
            }
            centre.stop();
            try (Organizer again = start("web1", "")) {
                until(() -> table(again).equals(Set.of("web1", "web3")));
                until(() -> table(three).equals(Set.of("web1", "web3")));
                until(() -> table(two).equals(Set.of("web2")));
                assertThat(peers(again)).containsOnly("CN=organizer@shop_web3");
            }
        } finally {
            goes.countDown();
        }
    }

    private static Set<String> peers(Organizer organizer) {
        Set<String> names = new HashSet<>();
        for (Lifetime lifetime : Lifetime.values()) {
            organizer
                    .peers()
                    .shown(lifetime)
                    .forEach(shown -> names.add(shown.getSubjectX500Principal().getName()));
        }
        return names;
    }

    @Test
    void renewedCertificates_areInUse_withoutABrokenStream() throws Exception {
        renews("", LineCarrier.TCP);
    }

    @Test
    void renewedCertificates_areInUseOverQuic_withoutABrokenStream() throws Exception {
        assumeTrue(QuicTransport.missing() == null, "no QUIC on this machine");
        renews("line-carrier: quic", LineCarrier.QUIC);
    }

    private void renews(String more, LineCarrier carrier) throws Exception {
        enrolledLongAgo("web1");
        enrolledLongAgo("web2");
        // The renewals are due, and wait.
        centre.refuses(503, "busy", "Later");
        CountDownLatch goes = new CountDownLatch(1);
        try (ScriptedOrigin web = new ScriptedOrigin();
                Organizer one = start("web1", more);
                Organizer two = start("web2", more + "\n" + serves(web))) {
            slow(web, goes);
            web.ok("/quick", "", "quick");
            awaitServer(one, "web2");
            until(() -> !one.peers().shown(Lifetime.OF_CERTIFICATE).isEmpty());
            X509Certificate before = one.peers().shown(Lifetime.OF_CERTIFICATE).getFirst();
            try (RawClient visitor = new RawClient(one.front().address());
                    RawClient other = new RawClient(one.front().address())) {
                request(visitor, "/slow");
                until(() -> web.count("/slow") == 1);

                centre.refuses(0, null, null);
                until(() -> one.peers().shown(Lifetime.OF_CERTIFICATE).stream()
                        .anyMatch(shown -> !shown.equals(before)));

                request(other, "/quick");
                assertThat(other.read(false).body()).isEqualTo("quick");
                goes.countDown();
                assertThat(visitor.read(false).body()).isEqualTo("halfdone");
            }
            until(() -> !one.peers().shown(Lifetime.OF_CERTIFICATE).isEmpty()
                    && !one.peers().shown(Lifetime.OF_CERTIFICATE).contains(before));
            assertThat(web.count("/slow")).as("not repeated").isEqualTo(1);
            assertThat(one.front().lineFigures())
                    .filteredOn(line -> line.opened() > 0)
                    .extracting(LineFigures::carrier)
                    .containsOnly(carrier);
            assertThat(table(two)).isEqualTo(Set.of("web1", "web2"));
            assertThat(get(one, "/control/v1/events")).doesNotContain("\"lost\"");
            assertThat(get(two, "/control/v1/events")).doesNotContain("\"lost\"");
        } finally {
            goes.countDown();
        }
    }

    /** Enrols a member, whose certificate then is due for a renewal, again every ten seconds. */
    private void enrolledLongAgo(String member) throws Exception {
        PartIdentity.open(
                        data(member),
                        centre.uri(),
                        new PartNames(PartNames.Kind.ORGANIZER, source(member), "host-" + member),
                        EnrolmentCode.parse(centre.code()))
                .close();
        Path facts = data(member).resolve("identity/facts.json");
        Files.writeString(
                facts,
                Files.readString(facts)
                        .replaceFirst(
                                "\"received\":\"[^\"]*\"", "\"received\":\"2026-01-01T00:00:00Z\"")
                        .replaceFirst("\"life\":\"[^\"]*\"", "\"life\":\"PT1M\""));
    }
}
