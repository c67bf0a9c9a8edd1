package dev.komainu.central.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.central.identity.ServerTlsSettings.Mode;
import dev.komainu.central.store.SettableClock;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerTlsTest {

    private static final Duration MONTH = Duration.ofDays(30);
    private static final ServerTlsSettings OWN =
            new ServerTlsSettings(Mode.AUTO, null, null, Duration.ZERO);

    @TempDir
    private Path directory;

    private final SettableClock clock = new SettableClock("2026-11-28T00:00:00Z");
    private Authority authority;

    @BeforeEach
    void setUp() throws IOException {
        authority = Authority.open(directory.resolve("authority"), clock);
    }

    private Path certificate() {
        return directory.resolve("user.pem");
    }

    private Path key() {
        return directory.resolve("user.key");
    }

    private ServerTlsSettings users() {
        return new ServerTlsSettings(Mode.AUTO, certificate(), key(), Duration.ZERO);
    }

    /** Writes a certificate of another authority, as a user's own would be. */
    private X509Certificate writeUsers() throws IOException {
        Authority other = Authority.open(directory.resolve("other"), clock);
        KeyPair pair = Authority.newKeys();
        List<X509Certificate> chain =
                other.issueServer(pair.getPublic(), List.of("komainu.example"), List.of(), MONTH);
        Files.write(certificate(), Pem.of(chain));
        Files.write(key(), Pem.of(pair.getPrivate()));
        return chain.getFirst();
    }

    private static X509Certificate shown(ServerTls tls) throws Exception {
        KeyStore keys = tls.bundle().getStores().getKeyStore();
        return (X509Certificate) keys.getCertificate("server");
    }

    @Test
    void ownCertificate_isOfTheAuthority_forTheNamesAndAddressesOfThisHost() throws Exception {
        ServerTls tls = new ServerTls(authority, OWN, List.of("komainu.example"), clock);

        X509Certificate shown = shown(tls);
        shown.verify(authority.certificate().getPublicKey());
        List<Object> names = shown.getSubjectAlternativeNames().stream()
                .<Object>map(name -> name.get(1))
                .toList();
        assertThat(names)
                .contains("komainu.example", "localhost", "127.0.0.1")
                .doesNotHaveDuplicates();
    }

    @Test
    void ownCertificate_isReplacedAMonthBeforeItsEnd_andWhenTheAuthorityIs() throws Exception {
        ServerTls tls = new ServerTls(authority, OWN, List.of(), clock);
        X509Certificate first = shown(tls);

        clock.pass(Duration.ofDays(59));
        assertThat(tls.refresh()).isFalse();
        clock.pass(Duration.ofDays(2));
        assertThat(tls.refresh()).isTrue();
        X509Certificate second = shown(tls);
        assertThat(second).isNotEqualTo(first);
        assertThat(tls.ends()).isEqualTo(clock.instant().plus(Duration.ofDays(90)));

        authority.replace();
        assertThat(tls.refresh()).isTrue();
        shown(tls).verify(authority.certificate().getPublicKey());
        assertThat(tls.bundle().getStores().getTrustStore().size()).isEqualTo(2);
    }

    @Test
    void usersCertificate_isReadAgainWhenItsFileChanges() throws Exception {
        X509Certificate first = writeUsers();
        ServerTls tls = new ServerTls(authority, users(), List.of(), clock);
        assertThat(shown(tls)).isEqualTo(first);
        assertThat(tls.refresh()).isFalse();

        X509Certificate second = writeUsers();

        assertThat(tls.refresh()).isTrue();
        assertThat(shown(tls)).isEqualTo(second);
    }

    @Test
    void damagedFile_isReported_theCertificateBeforeStays() throws Exception {
        X509Certificate first = writeUsers();
        ServerTls tls = new ServerTls(authority, users(), List.of(), clock);
        Files.writeString(certificate(), "not a certificate");

        assertThatThrownBy(tls::refresh)
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("komainu.tls.certificate: " + certificate());
        assertThat(shown(tls)).isEqualTo(first);

        writeUsers();
        assertThat(tls.refresh()).isTrue();
    }

    @Test
    void keyOfAnotherCertificate_refused() throws Exception {
        writeUsers();
        Files.write(key(), Pem.of(Authority.newKeys().getPrivate()));

        assertThatThrownBy(() -> new ServerTls(authority, users(), List.of(), clock))
                .isInstanceOf(IOException.class)
                .hasMessage("komainu.tls.key: " + key()
                        + " (expected: the key of the first certificate in " + certificate() + ")");
    }

    @Test
    void missingKey_refusedWithSettingAndFile() throws Exception {
        writeUsers();
        Files.delete(key());

        assertThatThrownBy(() -> new ServerTls(authority, users(), List.of(), clock))
                .hasMessage("komainu.tls.key: " + key() + " (expected: a readable file)");
    }

    @Test
    void mode_choosesByTheAddress() {
        InetAddress loopback = InetAddress.ofLiteral("127.0.0.1");
        InetAddress any = InetAddress.ofLiteral("0.0.0.0");
        InetAddress other = InetAddress.ofLiteral("192.0.2.1");

        assertThat(OWN.covers(loopback)).isFalse();
        assertThat(OWN.covers(InetAddress.ofLiteral("::1"))).isFalse();
        assertThat(OWN.covers(any)).isTrue();
        assertThat(OWN.covers(other)).isTrue();
        assertThat(new ServerTlsSettings(Mode.ALWAYS, null, null, Duration.ZERO).covers(loopback))
                .isTrue();
        assertThat(new ServerTlsSettings(Mode.OFF, null, null, Duration.ZERO).covers(any))
                .isFalse();
    }
}
