package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.settings.Configuration;
import dev.komainu.telemetry.identity.PartIdentity;
import dev.komainu.telemetry.kit.EnrollingCentre;
import dev.komainu.telemetry.kit.TestAuthority;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The control endpoint of an enrolled proxy over TLS, read by a real client. */
class ControlOverTlsTest {

    private static final String HEALTH = "GET /health HTTP/1.1\r\nHost: localhost\r\n";
    private static final int LIMIT_MILLIS = 60_000;

    @TempDir
    Path data;

    private EnrollingCentre centre;
    private PartIdentity identity;
    private Proxy proxy;

    @BeforeEach
    void setUp() throws Exception {
        centre = new EnrollingCentre(new TestAuthority("Komainu authority"), Clock.systemUTC());
        open();
    }

    private void open() throws Exception {
        ProxySettings settings = settings("always");
        identity = PartIdentity.open(
                data, settings.central(), settings.names(), settings.enrolmentCode());
        proxy = start(settings, identity);
    }

    @AfterEach
    void tearDown() {
        proxy.close();
        identity.close();
        centre.close();
    }

    private ProxySettings settings(String tls) throws Exception {
        return ProxySettings.read(GivenSettings.reader(
                Map.of(
                        "origin",
                        "http://127.0.0.1:1",
                        "listen",
                        "127.0.0.1:0",
                        "data",
                        data.toString()),
                Map.of(),
                Map.of(
                        "central.enrolment-code",
                        centre.code(),
                        "control.listen",
                        "127.0.0.1:0",
                        "control.tls",
                        tls)));
    }

    private static Proxy start(ProxySettings settings, PartIdentity identity) throws IOException {
        return Proxy.start(
                Configuration.fixed(settings, "a proxy"),
                ProxyClock.SYSTEM,
                record -> {},
                Map::of,
                null,
                identity);
    }

    private SSLSocket connect() throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {identity.trustManager()}, null);
        InetSocketAddress address = proxy.controlAddress();
        SSLSocket socket = (SSLSocket)
                context.getSocketFactory().createSocket(address.getAddress(), address.getPort());
        socket.setSoTimeout(LIMIT_MILLIS);
        return socket;
    }

    private X509Certificate shown() throws Exception {
        try (SSLSocket socket = connect()) {
            return (X509Certificate) socket.getSession().getPeerCertificates()[0];
        }
    }

    private static String answer(Socket socket, String request) throws IOException {
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    @Test
    void request_overTls_isAnswered_andTheServerShowsItsIdentity() throws Exception {
        try (SSLSocket socket = connect()) {
            String response = answer(socket, HEALTH + "Connection: close\r\n\r\n");
            assertThat(response).startsWith("HTTP/1.1 200 OK").endsWith("{\"status\":\"up\"}\n");
            assertThat(shown()).isEqualTo(ofIdentity());
            assertThat(socket.getSession().getProtocol()).isEqualTo("TLSv1.3");
        }
    }

    private X509Certificate ofIdentity() throws IOException {
        return identity.keyManager().getCertificateChain("identity")[0];
    }

    @Test
    void renewedCertificate_isShownWithoutARestart() throws Exception {
        proxy.close();
        identity.close();
        data = data.resolve("renewed");
        centre.life(Duration.ofSeconds(6));
        open();
        X509Certificate first = shown();
        centre.life(Duration.ofDays(30));

        await().atMost(Duration.ofMinutes(1)).until(() -> !shown().equals(first));

        assertThat(shown()).isEqualTo(ofIdentity());
    }

    @Test
    void requests_inOneConnection_areAllAnswered() throws Exception {
        try (SSLSocket socket = connect()) {
            String both = answer(socket, HEALTH + "\r\n" + HEALTH + "Connection: close\r\n\r\n");
            assertThat(both.split("HTTP/1.1 200 OK", -1)).hasSize(3);
        }
    }

    @Test
    void request_inClearText_isNotAnswered() throws Exception {
        InetSocketAddress address = proxy.controlAddress();
        try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            socket.setSoTimeout(LIMIT_MILLIS);
            assertThat(answer(socket, HEALTH + "Connection: close\r\n\r\n"))
                    .doesNotContain("HTTP/1.1");
        }
    }

    @Test
    void loopbackByDefault_isClearText_andAlwaysNeedsAnIdentity() throws Exception {
        try (Proxy plain = start(settings("auto"), identity)) {
            InetSocketAddress address = plain.controlAddress();
            try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
                socket.setSoTimeout(LIMIT_MILLIS);
                assertThat(answer(socket, HEALTH + "Connection: close\r\n\r\n"))
                        .startsWith("HTTP/1.1 200 OK");
            }
        }
        ProxySettings always = settings("always");
        assertThatThrownBy(() -> start(always, null)).hasMessageStartingWith("control.tls: always");
    }
}
