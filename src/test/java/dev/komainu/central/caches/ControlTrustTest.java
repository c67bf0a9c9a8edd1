package dev.komainu.central.caches;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.komainu.central.identity.Authority;
import dev.komainu.telemetry.identity.CertificateNames;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Clock;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the trust in control endpoints, by real TLS with certificates of parts. */
class ControlTrustTest {

    @TempDir
    private Path directory;

    private Authority authority;
    private final Set<String> revoked = new HashSet<>();

    @BeforeEach
    void setUp() throws IOException {
        authority = Authority.open(directory.resolve("authority"), Clock.systemUTC());
    }

    private static CertificateNames names(String kind, String node, String... networks) {
        return new CertificateNames("id", kind, kind + "@" + node, node, List.of(networks));
    }

    /** Requests a page of an endpoint that shows this certificate. */
    private int request(
            Authority issuer, CertificateNames names, String host, @Nullable Authority trusted)
            throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        KeyPair pair = generator.generateKeyPair();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        keys.load(null, null);
        keys.setKeyEntry(
                "own",
                pair.getPrivate(),
                new char[0],
                issuer.issuePart(pair.getPublic(), names, Duration.ofDays(1))
                        .toArray(Certificate[]::new));
        KeyManagerFactory managers = KeyManagerFactory.getInstance("PKIX");
        managers.init(keys, new char[0]);
        SSLContext shown = SSLContext.getInstance("TLS");
        shown.init(managers.getKeyManagers(), null, null);
        HttpsServer server =
                HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(shown));
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        server.start();
        try (HttpClient client = HttpClient.newBuilder()
                .sslContext(ControlTrust.context(trusted, revoked::contains))
                .build()) {
            return client.send(
                            HttpRequest.newBuilder(URI.create("https://" + host + ":"
                                            + server.getAddress().getPort() + "/"))
                                    .timeout(Duration.ofSeconds(20))
                                    .build(),
                            HttpResponse.BodyHandlers.discarding())
                    .statusCode();
        } finally {
            server.stop(0);
        }
    }

    @Test
    void partOfThisHostOrAddress_isTrusted() throws Exception {
        assertThat(request(authority, names("proxy", "localhost"), "localhost", authority))
                .isEqualTo(204);
        assertThat(request(
                        authority,
                        names("organizer", "web-01", "127.0.0.1/32"),
                        "127.0.0.1",
                        authority))
                .isEqualTo(204);
    }

    @Test
    void partOfAnotherHost_isRefused() {
        assertThatThrownBy(() -> request(
                        authority,
                        names("proxy", "web-02", "192.0.2.0/24"),
                        "localhost",
                        authority))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("proxy@web-02");
    }

    @Test
    void revokedPart_isRefused_whileOthersAreTrusted() throws Exception {
        revoked.add("id");
        assertThatThrownBy(() ->
                        request(authority, names("proxy", "localhost"), "localhost", authority))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("proxy@localhost is revoked");

        revoked.clear();
        revoked.add("another");
        assertThat(request(authority, names("proxy", "localhost"), "localhost", authority))
                .isEqualTo(204);
    }

    @Test
    void agentOfThisHost_isNoControlEndpoint() {
        assertThatThrownBy(() ->
                        request(authority, names("agent", "localhost"), "localhost", authority))
                .isInstanceOf(IOException.class);
    }

    @Test
    void otherAuthority_orNone_isRefused() throws Exception {
        Authority other = Authority.open(directory.resolve("other"), Clock.systemUTC());

        assertThatThrownBy(
                        () -> request(other, names("proxy", "localhost"), "localhost", authority))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> request(authority, names("proxy", "localhost"), "localhost", null))
                .isInstanceOf(IOException.class);
    }

    @Test
    void replacedAuthority_isTrustedWithoutARestart() throws Exception {
        CertificateNames names = names("proxy", "localhost");
        assertThat(request(authority, names, "localhost", authority)).isEqualTo(204);

        authority.replace();

        assertThat(request(authority, names, "localhost", authority)).isEqualTo(204);
    }
}
