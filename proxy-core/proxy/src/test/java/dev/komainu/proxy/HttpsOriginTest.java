package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedDns;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Origins behind TLS: the trusted certificates, the name sent, and the meaning of a cut connection.
 */
class HttpsOriginTest {

    private static final char[] PASSWORD = "changeit".toCharArray();

    @TempDir
    static Path directory;

    private static SSLContext context;

    private ScriptedOrigin origin;
    private ScriptedDns dns;

    @BeforeAll
    static void certify() throws Exception {
        Path keys = directory.resolve("keys.p12");
        keytool(
                "-genkeypair",
                "-alias",
                "o",
                "-keyalg",
                "EC",
                "-dname",
                "CN=secure.example",
                "-ext",
                "san=dns:secure.example",
                "-validity",
                "2",
                "-keystore",
                keys.toString(),
                "-storepass",
                "changeit");
        keytool(
                "-exportcert",
                "-rfc",
                "-alias",
                "o",
                "-keystore",
                keys.toString(),
                "-storepass",
                "changeit",
                "-file",
                directory.resolve("ca.pem").toString());
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(keys)) {
            store.load(in, PASSWORD);
        }
        KeyManagerFactory factory = KeyManagerFactory.getInstance("PKIX");
        factory.init(store, PASSWORD);
        context = SSLContext.getInstance("TLS");
        context.init(factory.getKeyManagers(), null, null);
    }

    private static void keytool(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor()).as(said).isZero();
    }

    @BeforeEach
    void setUp() throws IOException {
        ServerSocket listener = context.getServerSocketFactory()
                .createServerSocket(0, 100, InetAddress.getLoopbackAddress());
        origin = new ScriptedOrigin(listener);
        origin.ok("/n", "Cache-Control: no-store\r\n", "secret");
        dns = new ScriptedDns();
        dns.resolve("secure.example", 60, "127.0.0.1");
        dns.resolve("other.example", 60, "127.0.0.1");
    }

    @AfterEach
    void tearDown() throws IOException {
        origin.close();
        dns.close();
    }

    private ProxyFixture proxy(String host, String... more) throws IOException {
        List<String> settings = new ArrayList<>(List.of(
                "origin",
                "https://" + host + ":" + origin.port(),
                "workers",
                "1",
                "upstream.dns.servers",
                "127.0.0.1:" + dns.port()));
        settings.addAll(List.of(more));
        return new ProxyFixture(settings.toArray(String[]::new));
    }

    private static String[] trusting() {
        return new String[] {"upstream.tls.ca-file", directory.resolve("ca.pem").toString()};
    }

    @Test
    void origin_withATrustedCertificate_isRequestedByNameOverOneConnection() throws Exception {
        AtomicReference<String> asked = new AtomicReference<>();
        origin.on("/name", (request, socket, out) -> {
            asked.set(((ExtendedSSLSession) ((SSLSocket) socket).getSession())
                    .getRequestedServerNames()
                    .toString());
            out.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nCache-Control: no-store\r\n\r\nname"
                    .getBytes());
            out.flush();
            return true;
        });
        try (ProxyFixture proxy = proxy("secure.example", trusting());
                RawClient client = proxy.client()) {
            assertThat(client.get("/name").body()).isEqualTo("name");
            assertThat(client.get("/n").body()).isEqualTo("secret");
            assertThat(asked.get()).contains("secure.example");
            Awaitility.await().until(() -> proxy.proxy.figures().counters().origin.connections > 0);
            assertThat(proxy.proxy.figures().counters().origin.connections).isEqualTo(1);
        }
    }

    @Test
    void origin_withAnUntrustedCertificate_is502AndSeesNoRequest() throws Exception {
        try (ProxyFixture proxy = proxy("secure.example");
                RawClient client = proxy.client()) {
            RawClient.Answer answer = client.get("/n");
            assertThat(answer.status()).isEqualTo(502);
            assertThat(answer.body()).contains("certificate of secure.example");
            assertThat(origin.requests).isEmpty();
        }
    }

    @Test
    void origin_withACertificateForAnotherName_is502AndSeesNoRequest() throws Exception {
        try (ProxyFixture proxy = proxy("other.example", trusting());
                RawClient client = proxy.client()) {
            assertThat(client.get("/n").status()).isEqualTo(502);
            assertThat(origin.requests).isEmpty();
        }
    }

    @Test
    void origin_withoutVerification_isRequested() throws Exception {
        try (ProxyFixture proxy = proxy("127.0.0.1", "upstream.tls.verify", "false");
                RawClient client = proxy.client()) {
            assertThat(client.get("/n").body()).isEqualTo("secret");
        }
    }

    @Test
    void body_untilTheClosingAlert_isAWholeResponse() throws Exception {
        origin.on("/whole", (request, socket, out) -> {
            out.write("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\n\r\nwhole".getBytes());
            return false;
        });
        try (ProxyFixture proxy = proxy("secure.example", trusting());
                RawClient client = proxy.client()) {
            assertThat(client.request("GET", "/whole", "Connection: close").body())
                    .isEqualTo("whole");
        }
    }

    @Test
    void body_cutWithoutTheClosingAlert_isABreakAndNotStored() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        try (ServerSocket plain = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> {
                while (!plain.isClosed()) {
                    try (Socket below = plain.accept()) {
                        SSLSocket secure = (SSLSocket) context.getSocketFactory()
                                .createSocket(below, null, below.getPort(), false);
                        secure.setUseClientMode(false);
                        int last4 = 0;
                        while (last4 != 0x0d0a0d0a) {
                            last4 = last4 << 8 | secure.getInputStream().read();
                        }
                        asked.incrementAndGet();
                        secure.getOutputStream()
                                .write("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\n\r\nhalf"
                                        .getBytes());
                        // The end of the TCP stream, as an attacker on the path can cause it.
                        below.shutdownOutput();
                        below.getInputStream().readAllBytes();
                    } catch (IOException gone) {
                        // The proxy left, or the test is over.
                    }
                }
            });
            try (ProxyFixture proxy = new ProxyFixture(
                    "origin",
                    "https://127.0.0.1:" + plain.getLocalPort(),
                    "workers",
                    "1",
                    "upstream.tls.verify",
                    "false")) {
                for (int i = 1; i <= 2; i++) {
                    try (RawClient client = proxy.client()) {
                        assertThatThrownBy(() -> client.get("/half"))
                                .isInstanceOf(IOException.class);
                    }
                    assertThat(asked).hasValue(i);
                }
                assertThat(proxy.proxy.figures().cache().cacheObjects()).isZero();
            }
        }
    }
}
