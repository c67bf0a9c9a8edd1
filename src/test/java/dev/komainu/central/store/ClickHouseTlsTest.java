package dev.komainu.central.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.central.store.RecordStore.Outcome;
import dev.komainu.telemetry.kit.TestAuthority;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** TLS to a ClickHouse server whose certificate comes from an authority of the operator's own. */
class ClickHouseTlsTest {

    @TempDir
    static Path directory;

    private static ClickHouseServer server;

    @BeforeAll
    static void start() throws Exception {
        ClickHouseServer.need();
        TestAuthority company = new TestAuthority("company");
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2_048);
        KeyPair keys = generator.generateKeyPair();
        X509Certificate certificate = company.server(keys.getPublic(), "localhost");
        Path pem = directory.resolve("server.pem");
        Files.writeString(pem, TestAuthority.pem(List.of(certificate)));
        Path key = directory.resolve("server.key");
        Files.writeString(
                key,
                "-----BEGIN PRIVATE KEY-----\n"
                        + Base64.getMimeEncoder(64, new byte[] {'\n'})
                                .encodeToString(keys.getPrivate().getEncoded())
                        + "\n-----END PRIVATE KEY-----\n");
        Files.writeString(
                directory.resolve("company.pem"),
                TestAuthority.pem(List.of(company.certificate())));
        Files.writeString(
                directory.resolve("other.pem"),
                TestAuthority.pem(List.of(new TestAuthority("company").certificate())));
        server = ClickHouseServer.withTls(pem, key);
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    private static ClickHouseStore open(String host, String database, Map<String, String> further) {
        return new ClickHouseStore(
                StoreSettings.of(Path.of("unused")),
                ClickHouseServer.settings(
                        server.tlsUrl(host, database), server.passwordFile(), further),
                Clock.systemUTC());
    }

    private static Map<String, String> trusting(String authorities) {
        return Map.of("komainu.records.ca-file", directory.resolve(authorities).toString());
    }

    @Test
    void authorityOfItsOwn_isTrustedByItsFile() throws Exception {
        try (ClickHouseStore store = open("localhost", "trusted", trusting("company.pem"))) {
            SomeRecords some = new SomeRecords(1);
            assertThat(store.append(SomeRecords.batch("a", 1, some.connection(SomeRecords.START))))
                    .isEqualTo(Outcome.STORED);
            assertThat(store.connections(ConnectionQuery.of(List.of(), TimeRange.all(), 10))
                            .items())
                    .hasSize(1);
        }
    }

    @Test
    void anotherAuthorityOrName_isRefused_andNothingIsSent() {
        assertThatThrownBy(() -> open("localhost", "refused", trusting("other.pem")))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("komainu.records.url: https://localhost:");
        assertThatThrownBy(() -> open("localhost", "refused", Map.of()))
                .as("the authorities of Java")
                .isInstanceOf(StoreException.class);
        assertThatThrownBy(() -> open("127.0.0.1", "refused", trusting("company.pem")))
                .as("the certificate names localhost only")
                .isInstanceOf(StoreException.class);
        assertThat(server.ask("SHOW DATABASES")).doesNotContain("refused");
    }
}
