package dev.komainu.central.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.central.store.SettableClock;
import dev.komainu.telemetry.identity.CertificateNames;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyPair;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the authority, by handshakes of the JDK's TLS with its certificates. */
class AuthorityTest {

    private static final Duration MONTH = Duration.ofDays(30);

    private static final CertificateNames NAMES = new CertificateNames(
            "p1", "agent", "agent@web-01", "web-01", List.of("192.0.2.0/24", "2001:db8::/32"));

    @TempDir
    private Path directory;

    // TLS checks certificates by the system's clock.
    private final SettableClock clock = new SettableClock(Instant.now().toString());

    private Authority authority() throws IOException {
        return Authority.open(directory.resolve("authority"), clock);
    }

    private record Identity(PrivateKey key, List<X509Certificate> chain) {}

    private static Identity server(Authority authority) {
        KeyPair pair = Authority.newKeys();
        return new Identity(
                pair.getPrivate(),
                authority.issueServer(
                        pair.getPublic(),
                        List.of("localhost"),
                        List.of(InetAddress.getLoopbackAddress()),
                        MONTH));
    }

    private static Identity part(Authority authority) {
        KeyPair pair = Authority.newKeys();
        return new Identity(pair.getPrivate(), authority.issuePart(pair.getPublic(), NAMES, MONTH));
    }

    private static SSLContext context(@Nullable Identity own, Collection<X509Certificate> trusted)
            throws Exception {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        keys.load(null, null);
        if (own != null) {
            keys.setKeyEntry(
                    "own", own.key(), new char[0], own.chain().toArray(Certificate[]::new));
        }
        KeyManagerFactory keyManagers = KeyManagerFactory.getInstance("PKIX");
        keyManagers.init(keys, new char[0]);
        KeyStore anchors = KeyStore.getInstance("PKCS12");
        anchors.load(null, null);
        int number = 0;
        for (X509Certificate each : trusted) {
            anchors.setCertificateEntry("anchor-" + number++, each);
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
        trust.init(anchors);
        SSLContext context = SSLContext.getInstance("TLSv1.3");
        context.init(keyManagers.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }

    /** Performs a handshake of both sides and returns the part that the server saw. */
    private static @Nullable String handshake(
            Identity server,
            Collection<X509Certificate> serverTrusts,
            @Nullable Identity part,
            Collection<X509Certificate> partTrusts)
            throws Exception {
        try (SSLServerSocket listening = (SSLServerSocket) context(server, serverTrusts)
                .getServerSocketFactory()
                .createServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            listening.setNeedClientAuth(true);
            CompletableFuture<@Nullable String> seen = CompletableFuture.supplyAsync(() -> {
                try (SSLSocket accepted = (SSLSocket) listening.accept()) {
                    accepted.setSoTimeout(20_000);
                    accepted.startHandshake();
                    X509Certificate peer =
                            (X509Certificate) accepted.getSession().getPeerCertificates()[0];
                    try (OutputStream out = accepted.getOutputStream()) {
                        out.write(1);
                    }
                    return CertificateNames.of(peer).map(CertificateNames::part).orElse(null);
                } catch (IOException e) {
                    return null;
                }
            });
            try (SSLSocket client = (SSLSocket) context(part, partTrusts)
                    .getSocketFactory()
                    .createSocket(InetAddress.getLoopbackAddress(), listening.getLocalPort())) {
                client.setSoTimeout(20_000);
                SSLParameters parameters = client.getSSLParameters();
                parameters.setEndpointIdentificationAlgorithm("HTTPS");
                client.setSSLParameters(parameters);
                client.startHandshake();
                try (InputStream in = client.getInputStream()) {
                    if (in.read() < 0) {
                        throw new SSLException("closed by the server");
                    }
                }
            }
            return seen.join();
        }
    }

    @Test
    void part_isKnownToTheServerByItsCertificate() throws Exception {
        Authority authority = authority();

        assertThat(handshake(
                        server(authority),
                        authority.trusted(),
                        part(authority),
                        authority.trusted()))
                .isEqualTo("p1");
    }

    @Test
    void certificatesOfAnotherAuthority_refusedByBothSides() throws Exception {
        Authority authority = authority();
        Authority other = Authority.open(directory.resolve("other"), clock);

        assertThatThrownBy(() -> handshake(
                        server(authority), authority.trusted(), part(other), authority.trusted()))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> handshake(
                        server(other), authority.trusted(), part(authority), authority.trusted()))
                .isInstanceOf(SSLException.class);
        assertThatThrownBy(() -> handshake(
                        server(authority), authority.trusted(), null, authority.trusted()))
                .isInstanceOf(IOException.class);
    }

    @Test
    void certificateOfAPart_issuesNoFurtherCertificates() throws Exception {
        Authority authority = authority();
        Identity stolen = part(authority);
        KeyPair pair = Authority.newKeys();
        X509Certificate forged = IssuedCertificates.ofPart(
                new CertifiedKey(stolen.key(), stolen.chain().getFirst()),
                pair.getPublic(),
                new CertificateNames("victim", "agent", "agent@victim", "victim", List.of()),
                clock.instant(),
                MONTH);

        assertThatThrownBy(() -> handshake(
                        server(authority),
                        authority.trusted(),
                        new Identity(
                                pair.getPrivate(),
                                List.of(forged, stolen.chain().getFirst())),
                        authority.trusted()))
                .isInstanceOf(IOException.class);
    }

    @Test
    void replaced_partsOfTheOldOneAndOfTheNewOne_areBothServed() throws Exception {
        Authority authority = authority();
        Identity old = part(authority);
        List<X509Certificate> oldTrust = authority.trusted();

        authority.replace();

        Identity server = server(authority);
        assertThat(handshake(server, authority.trusted(), old, oldTrust)).isEqualTo("p1");
        assertThat(handshake(server, authority.trusted(), part(authority), authority.trusted()))
                .isEqualTo("p1");
        // OpenSSL, unlike Java, also checks the limit of an anchor.
        assertThat(oldTrust.getFirst().getBasicConstraints()).isEqualTo(1);
        assertThat(server.chain().get(1).getBasicConstraints()).isZero();
        assertThat(server.chain().getLast()).isEqualTo(oldTrust.getFirst());
        Authority reopened = authority();
        assertThat(reopened.trusted()).isEqualTo(authority.trusted()).hasSize(2);
        assertThat(handshake(server(reopened), reopened.trusted(), old, oldTrust))
                .isEqualTo("p1");
    }

    @Test
    void replacedTwice_theFirstIsTrustedNoMore() throws Exception {
        Authority authority = authority();
        Identity first = part(authority);
        authority.replace();
        authority.replace();

        assertThatThrownBy(() -> handshake(
                        server(authority), authority.trusted(), first, authority.trusted()))
                .isInstanceOf(IOException.class);
    }

    @Test
    void expired_refused() throws Exception {
        clock.pass(Duration.ofDays(-40));
        Authority authority = authority();
        Identity expired = part(authority);
        clock.pass(Duration.ofDays(40));

        assertThatThrownBy(() -> handshake(
                        server(authority), authority.trusted(), expired, authority.trusted()))
                .isInstanceOf(IOException.class);
    }

    @Test
    void namesOfAPart_areReadFromItsCertificate_whateverTheirCharacters() throws Exception {
        CertificateNames strange = new CertificateNames(
                "p2",
                "proxy",
                "proxy@\u6771 web/01:7680 %+" + "x".repeat(150),
                "\u6771 web/01 %+",
                List.of("192.0.2.0/24"));
        Authority authority = authority();

        assertThat(CertificateNames.of(authority
                        .issuePart(Authority.newKeys().getPublic(), strange, MONTH)
                        .getFirst()))
                .contains(strange);
        assertThat(CertificateNames.of(server(authority).chain().getFirst())).isEmpty();
    }

    @Test
    void files_areTheOwnersAlone_andOpenTheSameAuthority() throws Exception {
        X509Certificate certificate = authority().certificate();

        assertThat(authority().certificate()).isEqualTo(certificate);
        for (String name : List.of("authority.key", "authority.pem")) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(
                            directory.resolve("authority").resolve(name))))
                    .isEqualTo("rw-------");
        }
    }

    @Test
    void interruptedBeforeTheCopyWasWritten_nextStartWritesIt() throws Exception {
        X509Certificate certificate = authority().certificate();
        Path copy = directory.resolve("authority").resolve("authority.pem");
        Files.delete(copy);

        assertThat(authority().certificate()).isEqualTo(certificate);
        assertThat(Pem.certificates(copy)).containsExactly(certificate);
    }

    @Test
    void filesOfEarlierBuilds_keyWithoutCertificates_areRead() throws Exception {
        X509Certificate certificate = authority().certificate();
        Path key = directory.resolve("authority").resolve("authority.key");
        Files.write(key, Pem.of(Pem.privateKey(key)));

        assertThat(authority().certificate()).isEqualTo(certificate);
    }

    @Test
    void replacedByAnotherProcess_isReadAgain() throws Exception {
        Authority running = authority();
        X509Certificate before = running.certificate();
        authority().replace();

        running.refresh();

        assertThat(running.trusted()).hasSize(2).last().isEqualTo(before);
    }

    @Test
    void keyOfAnotherCertificate_refusedWithTheFile() throws Exception {
        authority();
        Authority other = Authority.open(directory.resolve("other"), clock);
        Path key = directory.resolve("authority").resolve("authority.key");
        Files.write(key, Pem.of(Pem.privateKey(key), List.of(other.certificate())));

        assertThatThrownBy(this::authority)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("authority.key: not the key of");
    }

    @Test
    void damagedKey_isNotRepeatedInTheMessage() throws Exception {
        authority();
        Path key = directory.resolve("authority").resolve("authority.key");
        Files.writeString(
                key, Files.readString(key).replaceFirst("\n(.{20})", "\nAAAAAAAAAAAAAAAAAAAA"));

        assertThatThrownBy(this::authority)
                .isInstanceOf(IOException.class)
                .hasMessage(key + " (expected: an EC or RSA private key in PEM, PKCS#8)");
    }
}
