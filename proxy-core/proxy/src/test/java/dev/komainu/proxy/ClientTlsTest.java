package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.komainu.intermediary.kit.Certified;
import dev.komainu.intermediary.kit.FrameClient;
import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import dev.komainu.proxy.tally.LoopTally;
import dev.komainu.proxy.tls.TlsEngine;
import dev.komainu.settings.SettingMistakesException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * TLS with clients, with both engines: the choice of the certificate, and the ends of connections.
 */
@ParameterizedClass
@ValueSource(strings = {"native", "jdk"})
class ClientTlsTest {

    @Parameter
    String engine;

    @TempDir
    static Path made;

    private static Certified one;
    private static Certified other;
    private static Certified wild;
    private static Certified expired;

    @TempDir
    Path directory;

    private ScriptedOrigin origin;

    @BeforeAll
    static void certify() throws Exception {
        one = Certified.make(made, "EC", "-1d", "one.example");
        other = Certified.make(made, "RSA", "-1d", "other.example", "www.other.example");
        wild = Certified.make(made, "EC", "-1d", "*.wild.example");
        expired = Certified.make(made, "EC", "-10d", "one.example");
    }

    @BeforeEach
    void setUp() throws IOException {
        assumeTrue(
                TlsEngine.parse(engine).isAvailable(),
                engine + " TLS engine: not available here (expected: a processor it is built for)");
        origin = new ScriptedOrigin();
        origin.ok("/x", "Cache-Control: max-age=60\r\n", "stored");
    }

    @AfterEach
    void tearDown() throws IOException {
        origin.close();
    }

    private ProxyFixture proxy(String certificates, String... more) throws IOException {
        List<String> settings = new ArrayList<>(List.of(
                "origin",
                origin.url(),
                "workers",
                "1",
                "tls.listen",
                "127.0.0.1:0",
                "tls.engine",
                engine,
                "tls.certificates",
                certificates));
        settings.addAll(List.of(more));
        return new ProxyFixture(settings.toArray(String[]::new));
    }

    private static InetSocketAddress secure(ProxyFixture proxy) {
        return proxy.proxy.addresses().getLast();
    }

    private static RawClient client(ProxyFixture proxy, String version) throws Exception {
        return new RawClient(
                Certified.connect(Certified.trusting(), secure(proxy), "one.example", version));
    }

    private static X509Certificate shown(ProxyFixture proxy, String host) throws Exception {
        try (SSLSocket socket =
                Certified.connect(Certified.trusting(), secure(proxy), host, "TLSv1.3")) {
            return shown(socket);
        }
    }

    private static X509Certificate shown(Socket socket) throws Exception {
        return (X509Certificate) ((SSLSocket) socket).getSession().getPeerCertificates()[0];
    }

    private static LoopTally counters(ProxyFixture proxy) {
        return proxy.proxy.figures().counters();
    }

    @Test
    void requests_overEitherVersion_areAnsweredOnOneConnection() throws Exception {
        try (ProxyFixture proxy = proxy(one.write(directory, "one"))) {
            for (String version : List.of("TLSv1.2", "TLSv1.3")) {
                try (RawClient client = client(proxy, version)) {
                    assertThat(client.get("/x").body()).isEqualTo("stored");
                    assertThat(client.get("/x").body()).isEqualTo("stored");
                    assertThat(((SSLSocket) client.socket()).getSession().getProtocol())
                            .isEqualTo(version);
                }
            }
            assertThat(origin.count("/x")).isEqualTo(1);
        }
    }

    @Test
    void origin_getsTheScheme_fromTheProxyOnly() throws Exception {
        try (ProxyFixture proxy = proxy(one.write(directory, "one"));
                RawClient client = client(proxy, "TLSv1.3");
                RawClient clear = proxy.client()) {
            client.get("/x", "X-Forwarded-Proto: gopher");
            assertThat(origin.requests.getLast().field("X-Forwarded-Proto")).isEqualTo("https");
            clear.get("/x", "X-Forwarded-Proto: https");
            assertThat(origin.requests.getLast().field("X-Forwarded-Proto")).isEmpty();
        }
    }

    @Test
    void httpAndHttps_areTwoObjects() throws Exception {
        try (ProxyFixture proxy = proxy(one.write(directory, "one"));
                RawClient client = client(proxy, "TLSv1.3");
                RawClient clear = proxy.client()) {
            assertThat(clear.get("/x").field("Cache-Status")).contains("fwd=miss");
            assertThat(client.get("/x").field("Cache-Status")).contains("fwd=miss");
            assertThat(client.get("/x").field("Cache-Status")).contains("hit");
            assertThat(client.get("https://test.example:443/x").field("Cache-Status"))
                    .contains("hit");
            assertThat(client.get("http://test.example/x").field("Cache-Status"))
                    .contains("hit");
            assertThat(client.request("PURGE", "/x").status()).isEqualTo(200);
            assertThat(clear.get("/x").field("Cache-Status")).contains("hit");
            assertThat(clear.get("https://test.example/x").status()).isEqualTo(400);
        }
    }

    @Test
    void clearListener_canBeLeftOut() throws Exception {
        try (ProxyFixture proxy = proxy(one.write(directory, "one"), "listen", "none");
                RawClient client = client(proxy, "TLSv1.3")) {
            assertThat(proxy.proxy.addresses()).hasSize(1);
            assertThat(client.get("/x").body()).isEqualTo("stored");
        }
    }

    @Test
    void version_thatIsNotSet_isRefusedAndCounted() throws Exception {
        try (ProxyFixture proxy = proxy(one.write(directory, "one"), "tls.versions", "1.3")) {
            assertThatThrownBy(() -> client(proxy, "TLSv1.2")).isInstanceOf(SSLException.class);
            Awaitility.await().until(() -> counters(proxy).handshakeFailures == 1);
            shown(proxy, "one.example");
            Awaitility.await().until(() -> counters(proxy).handshakes == 1);
        }
    }

    @Test
    void clearText_onTheTlsListener_isClosedAndCounted() throws Exception {
        try (ProxyFixture proxy = proxy(one.write(directory, "one"));
                RawClient client = new RawClient(secure(proxy))) {
            client.send("GET /x HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.rest()).doesNotContain("HTTP/1.1 200");
            Awaitility.await().until(() -> counters(proxy).handshakeFailures == 1);
            assertThat(origin.requests).isEmpty();
        }
    }

    @Test
    void host_thatIsNamed_choosesTheCertificate() throws Exception {
        String files = String.join(
                ",",
                one.write(directory, "1"),
                other.write(directory, "2"),
                wild.write(directory, "3"));
        try (ProxyFixture proxy = proxy(files)) {
            assertThat(shown(proxy, "one.example")).isEqualTo(one.certificate());
            assertThat(shown(proxy, "WWW.other.example")).isEqualTo(other.certificate());
            assertThat(shown(proxy, "a.wild.example")).isEqualTo(wild.certificate());
            assertThat(shown(proxy, "a.b.wild.example")).isEqualTo(one.certificate());
            assertThat(shown(proxy, "wild.example")).isEqualTo(one.certificate());
            assertThat(shown(proxy, "unknown.example")).isEqualTo(one.certificate());
            assertThat(shown(proxy, null)).isEqualTo(one.certificate());
        }
    }

    @Test
    void protocol_isAgreedOn() throws Exception {
        try (ProxyFixture proxy = proxy(one.write(directory, "one"));
                SSLSocket socket = Certified.connect(
                        Certified.trusting(),
                        secure(proxy),
                        "one.example",
                        "TLSv1.3",
                        "spdy/3",
                        "http/1.1")) {
            assertThat(socket.getApplicationProtocol()).isEqualTo("http/1.1");
            assertThat(new RawClient(socket).get("/x").body()).isEqualTo("stored");
        }
    }

    /** RFC 8446 section 6.1: close_notify alone, no FIN behind it. */
    @Test
    void http2_clientsLastWord_endsTheConnection() throws Exception {
        try (ProxyFixture proxy = proxy(one.write(directory, "one"));
                SSLSocket socket = Certified.connect(
                        Certified.trusting(), secure(proxy), "one.example", "TLSv1.3", "h2");
                FrameClient client = new FrameClient(socket)) {
            client.preface();
            assertThat(client.get("/x").body()).isEqualTo("stored");
            socket.shutdownOutput();
            assertThat(client.untilClosed()).isLessThanOrEqualTo(0);
        }
    }

    @Test
    void http2_isAgreedOnWhereItIsEnabled() throws Exception {
        try (ProxyFixture proxy = proxy(one.write(directory, "one"));
                SSLSocket socket = Certified.connect(
                        Certified.trusting(),
                        secure(proxy),
                        "one.example",
                        "TLSv1.3",
                        "http/1.1",
                        "h2")) {
            assertThat(socket.getApplicationProtocol()).isEqualTo("h2");
            socket.getOutputStream()
                    .write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0".getBytes());
            byte[] frame = socket.getInputStream().readNBytes(9);
            assertThat(frame[3]).as("SETTINGS come first").isEqualTo((byte) 4);
        }
        try (ProxyFixture proxy = proxy(one.write(directory, "one"), "http2.enabled", "false");
                SSLSocket socket = Certified.connect(
                        Certified.trusting(),
                        secure(proxy),
                        "one.example",
                        "TLSv1.3",
                        "h2",
                        "http/1.1")) {
            assertThat(socket.getApplicationProtocol()).isEqualTo("http/1.1");
        }
    }

    @Test
    void session_isResumed() throws Exception {
        try (ProxyFixture proxy = proxy(one.write(directory, "one"))) {
            for (String version : List.of("TLSv1.2", "TLSv1.3")) {
                SSLContext context = Certified.trusting();
                long first = visit(proxy, context, version);
                assertThat(visit(proxy, context, version)).as(version).isEqualTo(first);
                visit(proxy, Certified.trusting(), version);
            }
            Awaitility.await().until(() -> counters(proxy).handshakes == 6);
            assertThat(counters(proxy).handshakes13).isEqualTo(3);
            assertThat(counters(proxy).resumed12).isEqualTo(1);
            assertThat(counters(proxy).resumed13).isEqualTo(1);
        }
    }

    @Test
    void session_endsWithTheCertificateItBeganUnder() throws Exception {
        try (ProxyFixture proxy = proxy(one.write(directory, "one"))) {
            for (String version : List.of("TLSv1.2", "TLSv1.3")) {
                SSLContext context = Certified.trusting();
                long first = visit(proxy, context, version);
                long taken = proxy.proxy.certificates().reloads();
                (version.equals("TLSv1.2") ? other : one).write(directory, "one");
                Awaitility.await()
                        .atMost(Duration.ofSeconds(60))
                        .until(() -> proxy.proxy.certificates().reloads() > taken);
                assertThat(visit(proxy, context, version)).as(version).isGreaterThan(first);
            }
            Awaitility.await().until(() -> counters(proxy).handshakes == 4);
            assertThat(counters(proxy).resumed12 + counters(proxy).resumed13).isZero();
        }
    }

    /** Java's engine renews its own keys: there, a renewal of ours invalidates no ticket. */
    @Test
    void ticketKeys_renewed_openFormerTicketsOnce() throws Exception {
        boolean ours = engine.equals("native");
        try (ProxyFixture proxy = proxy(one.write(directory, "one"))) {
            for (String version : List.of("TLSv1.2", "TLSv1.3")) {
                SSLContext context = Certified.trusting();
                SSLContext away = Certified.trusting();
                long first = visit(proxy, context, version);
                long firstAway = visit(proxy, away, version);
                proxy.proxy.certificates().renewTickets();
                assertThat(visit(proxy, context, version)).as(version).isEqualTo(first);
                proxy.proxy.certificates().renewTickets();
                assertThat(visit(proxy, away, version) > firstAway).as(version).isEqualTo(ours);
            }
            Awaitility.await().until(() -> counters(proxy).handshakes == 8);
            assertThat(counters(proxy).resumed12).isEqualTo(ours ? 1 : 2);
            assertThat(counters(proxy).resumed13).isEqualTo(ours ? 1 : 2);
        }
    }

    private static long visit(ProxyFixture proxy, SSLContext context, String version)
            throws IOException {
        try (SSLSocket socket = Certified.connect(context, secure(proxy), "one.example", version);
                RawClient client = new RawClient(socket)) {
            client.get("/x");
            long created = socket.getSession().getCreationTime();
            // Creation times have a resolution of 1 ms: the next visit must not fall into the same
            // one.
            while (System.currentTimeMillis() == created) {
                Thread.onSpinWait();
            }
            return created;
        }
    }

    @Test
    void failures_areCountedByReason() throws Exception {
        SSLContext distrusting = SSLContext.getDefault();
        try (ProxyFixture proxy = proxy(one.write(directory, "one"), "tls.versions", "1.3")) {
            assertThatThrownBy(() -> client(proxy, "TLSv1.2")).isInstanceOf(SSLException.class);
            Awaitility.await().until(() -> counters(proxy).handshakesVersion == 1);
            assertThatThrownBy(() ->
                            Certified.connect(distrusting, secure(proxy), "one.example", "TLSv1.3"))
                    .isInstanceOf(SSLException.class);
            Awaitility.await().until(() -> counters(proxy).handshakesAlert == 1);
            try (RawClient clear = new RawClient(secure(proxy))) {
                clear.send("GET /x HTTP/1.1\r\nHost: a\r\n\r\n");
                clear.rest();
            }
            Awaitility.await().until(() -> counters(proxy).handshakesNotTls == 1);
            new Socket(secure(proxy).getAddress(), secure(proxy).getPort()).close();
            Awaitility.await().until(() -> counters(proxy).handshakesLeft == 1);
            assertThat(counters(proxy).handshakeFailures).isEqualTo(4);
            assertThat(counters(proxy).handshakes).isZero();
        }
    }

    @Test
    void suites_withoutACommonOne_areCounted() throws Exception {
        try (ProxyFixture proxy = proxy(one.write(directory, "one"));
                Socket bare =
                        new Socket(secure(proxy).getAddress(), secure(proxy).getPort());
                SSLSocket socket = (SSLSocket) Certified.trusting()
                        .getSocketFactory()
                        .createSocket(bare, "localhost", 1, false)) {
            socket.setEnabledProtocols(new String[] {"TLSv1.2"});
            socket.setEnabledCipherSuites(new String[] {"TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384"});
            assertThatThrownBy(socket::startHandshake).isInstanceOf(SSLException.class);
            Awaitility.await().until(() -> counters(proxy).handshakesSuite == 1);
        }
    }

    @Test
    void groups_ofTheIntermediateProfile_areAccepted_othersByJavasEngineOnly() throws Exception {
        try (ProxyFixture proxy = proxy(one.write(directory, "one"))) {
            for (String group : List.of("x25519", "secp256r1", "secp384r1")) {
                handshake(proxy, group);
            }
            if (TlsEngine.parse(engine) == TlsEngine.NATIVE) {
                assertThatThrownBy(() -> handshake(proxy, "secp521r1"))
                        .isInstanceOf(SSLException.class);
            } else {
                handshake(proxy, "secp521r1");
            }
        }
    }

    private static void handshake(ProxyFixture proxy, String group) throws Exception {
        try (Socket bare = new Socket(secure(proxy).getAddress(), secure(proxy).getPort());
                SSLSocket socket = (SSLSocket) Certified.trusting()
                        .getSocketFactory()
                        .createSocket(bare, "one.example", 1, false)) {
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setNamedGroups(new String[] {group});
            socket.setSSLParameters(parameters);
            socket.startHandshake();
        }
    }

    @Test
    void keys_ofTheOldForms_areRead() throws Exception {
        String files =
                one.writeLegacyKey(directory, "1") + "," + other.writeLegacyKey(directory, "2");
        assertThat(Files.readString(directory.resolve("1.key"))).contains("BEGIN EC PRIVATE KEY");
        assertThat(Files.readString(directory.resolve("2.key"))).contains("BEGIN RSA PRIVATE KEY");
        try (ProxyFixture proxy = proxy(files)) {
            assertThat(shown(proxy, "one.example")).isEqualTo(one.certificate());
            assertThat(shown(proxy, "other.example")).isEqualTo(other.certificate());
        }
    }

    @Test
    void files_thatChange_areTakenForNewConnections() throws Exception {
        String files = one.write(directory, "one");
        try (ProxyFixture proxy = proxy(files);
                RawClient old = client(proxy, "TLSv1.3")) {
            old.get("/x");
            other.write(directory, "one");
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> shown(proxy, "one.example").equals(other.certificate()));
            assertThat(old.get("/x").body()).isEqualTo("stored");
            assertThat(shown(old.socket())).isEqualTo(one.certificate());
        }
    }

    @Test
    void files_thatChangeForTheWorse_areNotTaken() throws Exception {
        String files = one.write(directory, "one");
        try (ProxyFixture proxy = proxy(files)) {
            expired.write(directory, "one");
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> proxy.proxy.certificates().refused() > 0);
            assertThat(shown(proxy, "one.example")).isEqualTo(one.certificate());
            wild.write(directory, "one");
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> shown(proxy, "one.example").equals(wild.certificate()));
            // A check between the writing of a certificate and that of its key also refuses.
            assertThat(proxy.proxy.certificates().refused()).isBetween(1L, 3L);
            assertThat(proxy.proxy.certificates().reloads()).isEqualTo(1);
        }
    }

    @Test
    void handshake_thatDrips_isCutOffAndCounted() throws Exception {
        try (ProxyFixture proxy =
                        proxy(one.write(directory, "one"), "tls.handshake-timeout", "300ms");
                RawClient client = new RawClient(secure(proxy))) {
            OutputStream out = client.socket().getOutputStream();
            // The beginning of a client's first message that announces 512 bytes.
            out.write(new byte[] {0x16, 3, 1, 2, 0, 1, 0, 1, (byte) 0xfc, 3, 3});
            Awaitility.await().until(() -> {
                try {
                    out.write(7); // it drips
                } catch (SocketException closed) {
                    // expected
                }
                return counters(proxy).handshakeTimeouts == 1;
            });
            assertThat(client.closedByPeer()).isTrue();
            assertThat(counters(proxy).clientConnections).isZero();
        }
    }

    @Test
    void invalidValues_areReportedTogether() throws Exception {
        Path crt = directory.resolve("one.crt");
        one.write(directory, "one");
        expired.write(directory, "late");
        other.write(directory, "other");
        String files = String.join(
                ",",
                directory + "/none.crt=" + directory + "/none.key",
                crt + "=" + directory + "/other.key",
                crt + "=" + directory + "/late.key",
                directory + "/late.crt=" + directory + "/late.key",
                "justone");
        assertThatThrownBy(() -> ProxySettings.read(GivenSettings.reader(
                        Map.of(),
                        Map.of(),
                        Map.of(
                                "origin",
                                "http://127.0.0.1:1",
                                "tls.listen",
                                "127.0.0.1:0",
                                "tls.versions",
                                "1.1",
                                "tls.certificates",
                                files))))
                .isInstanceOf(SettingMistakesException.class)
                .satisfies(e -> assertThat(((SettingMistakesException) e).mistakes())
                        .anyMatch(p -> p.contains("none.crt (expected: a readable file)"))
                        .anyMatch(p -> p.contains("none.key (expected: a readable file)"))
                        .anyMatch(p -> p.contains("other.key (expected: an undamaged EC key"))
                        .anyMatch(p -> p.contains("late.key (expected: the private key of " + crt))
                        .anyMatch(p -> p.contains("late.crt expired"))
                        .anyMatch(p ->
                                p.contains("justone (expected: certificate: FILE and key: FILE)"))
                        .anyMatch(p -> p.contains("tls.versions: 1.1"))
                        .hasSize(7));
    }

    @Test
    void certificates_fromTheFile_areReadAsPairs() throws Exception {
        one.write(directory, "one");
        ProxySettings settings = ProxySettings.read(GivenSettings.reader(
                Map.of(
                        "origin",
                        "http://127.0.0.1:1",
                        "listen",
                        "none",
                        "tls",
                        Map.of(
                                "listen",
                                "127.0.0.1:8443",
                                "certificates",
                                List.of(Map.of(
                                        "certificate",
                                        directory + "/one.crt",
                                        "key",
                                        directory + "/one.key")))),
                Map.of(),
                Map.of()));
        assertThat(settings.tls().certificates().getFirst().key())
                .isEqualTo(directory.resolve("one.key"));
        assertThat(settings.firstListen().getPort()).isEqualTo(8443);
    }

    @Test
    void bodies_bothWays_areWhole() throws Exception {
        String large = "0123456789abcdef".repeat(40_000);
        origin.ok("/large", "Cache-Control: max-age=60\r\n", large);
        origin.on("/up", (request, socket, out) -> {
            out.write(("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n"
                            + String.format(Locale.ROOT, "%06d", request.body().length()))
                    .getBytes());
            return true;
        });
        try (ProxyFixture proxy = proxy(one.write(directory, "one"));
                RawClient client = client(proxy, "TLSv1.3")) {
            assertThat(client.get("/large").body()).isEqualTo(large);
            assertThat(client.get("/large").body()).isEqualTo(large);
            client.send("POST /up HTTP/1.1\r\nHost: a\r\nContent-Length: 500000\r\n\r\n"
                    + "u".repeat(500_000));
            assertThat(client.read(false).body()).isEqualTo("500000");
        }
    }

    @Test
    void connection_thatTheProxyEnds_endsByCloseNotify() throws Exception {
        try (ProxyFixture proxy = proxy(one.write(directory, "one"))) {
            for (String version : List.of("TLSv1.2", "TLSv1.3")) {
                try (RawClient client = client(proxy, version)) {
                    assertThat(client.request("GET", "/x", "Connection: close").body())
                            .isEqualTo("stored");
                    // Without close_notify this is an exception, not an end.
                    assertThat(client.rest()).isEmpty();
                }
                try (RawClient client = client(proxy, version)) {
                    client.send("GET /x HTTP/1.1\r\n\r\n");
                    assertThat(client.rest()).startsWith("HTTP/1.1 400");
                }
            }
        }
    }

    @Test
    void idleConnection_atTheDrain_endsByCloseNotify() throws Exception {
        try (ProxyFixture proxy = proxy(one.write(directory, "one"));
                RawClient client = client(proxy, "TLSv1.3")) {
            client.get("/x");
            assertThat(proxy.proxy.drain()).isZero();
            assertThat(client.rest()).isEmpty();
        }
    }

    @Test
    void answer_thatBreaksOff_neverEndsByCloseNotify() throws Exception {
        origin.on("/half", (request, socket, out) -> {
            out.write(
                    "HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"
                            .getBytes());
            return false;
        });
        try (ProxyFixture proxy = proxy(one.write(directory, "one"));
                RawClient client = client(proxy, "TLSv1.3")) {
            // For HTTP/1.0 only the end marks the length.
            client.send("GET /half HTTP/1.0\r\nHost: a\r\n\r\n");
            assertThatThrownBy(client::rest).isInstanceOf(IOException.class);
        }
    }

    @Test
    void upload_cutWithoutCloseNotify_neverReachesTheOriginAsComplete() throws Exception {
        origin.ok("/up", "", "");
        try (ProxyFixture proxy = proxy(one.write(directory, "one"));
                Socket bare =
                        new Socket(secure(proxy).getAddress(), secure(proxy).getPort());
                SSLSocket socket = (SSLSocket) Certified.trusting()
                        .getSocketFactory()
                        .createSocket(bare, "localhost", 1, false)) {
            RawClient client = new RawClient(socket);
            client.send("POST /up HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf");
            Awaitility.await().until(() -> origin.count("/up") == 1);
            bare.shutdownOutput();
            Awaitility.await().until(() -> !origin.requests.isEmpty());
            assertThat(origin.requests.getLast().bodyComplete()).isFalse();
            try (RawClient next = client(proxy, "TLSv1.3")) {
                assertThat(next.get("/x").body()).isEqualTo("stored");
            }
        }
    }

    @Test
    void client_thatSaysItsLastWordBehindARequest_isAnsweredFirst() throws Exception {
        CountDownLatch said = new CountDownLatch(1);
        origin.on("/slow", (request, socket, out) -> {
            said.await();
            out.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlate".getBytes());
            return true;
        });
        try (ProxyFixture proxy = proxy(one.write(directory, "one"));
                RawClient client = client(proxy, "TLSv1.3")) {
            client.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
            ((SSLSocket) client.socket()).shutdownOutput();
            said.countDown();
            assertThat(client.read(false).body()).isEqualTo("late");
        }
    }
}
