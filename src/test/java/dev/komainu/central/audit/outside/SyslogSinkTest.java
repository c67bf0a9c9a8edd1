package dev.komainu.central.audit.outside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.central.audit.AuditEntry;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import javax.net.ServerSocketFactory;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the syslog sink against a server that accepts messages of RFC 5424 only. */
class SyslogSinkTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String HASH = "5f".repeat(32);

    @TempDir
    private Path directory;

    private static AuditEntry entry(long sequence, String subject, String outcome, String after) {
        return new AuditEntry(
                sequence,
                Instant.parse("2026-11-26T07:00:00.123456Z"),
                "admin",
                "user.role",
                subject,
                outcome,
                3,
                "192.0.2.7",
                "browser",
                null,
                after,
                HASH);
    }

    @Test
    void datagram_hasNumberHashAndSignature() throws Exception {
        try (SyslogServer server = SyslogServer.datagrams();
                SyslogSink sink = new SyslogSink(server.address(), null, PATIENCE)) {
            sink.send(entry(12, "mio", "done", "operator"), "the-signature");

            SyslogServer.Message message = server.next();
            assertThat(message.priority()).isEqualTo(13 * 8 + 6);
            assertThat(message.at().toInstant())
                    .isEqualTo(Instant.parse("2026-11-26T07:00:00.123456Z"));
            assertThat(message.application()).isEqualTo("komainu-central");
            assertThat(message.id()).isEqualTo("audit");
            assertThat(message.element()).isEqualTo("komainu@32473");
            assertThat(message.parameters())
                    .containsEntry("seq", "12")
                    .containsEntry("hash", HASH)
                    .containsEntry("sig", "the-signature")
                    .containsEntry("attempts", "3")
                    .containsEntry("after", "operator")
                    .doesNotContainKey("before");
            assertThat(message.text()).isEqualTo("admin user.role mio: done");
        }
    }

    @Test
    void attack_lineFeedsAndBracketsInATypedName_cannotForgeAMessage() throws Exception {
        String typed = "x\n<110>1 - - - - - - forged\"] [other@1 a=\"b\\";
        try (SyslogServer server = SyslogServer.datagrams();
                SyslogSink sink = new SyslogSink(server.address(), null, PATIENCE)) {
            sink.send(entry(1, typed, "refused", "日本語"), "s");

            SyslogServer.Message message = server.next();
            assertThat(message.priority()).isEqualTo(13 * 8 + 4);
            assertThat(message.parameters())
                    .containsEntry("subject", typed.replace('\n', ' '))
                    .containsEntry("after", "日本語");
            assertThat(message.text()).doesNotContain("\n");
            assertThat(server.malformed).isEmpty();
        }
    }

    @Test
    void datagram_aboveWhatReceiversAccept_leavesOutTheLongValues() throws Exception {
        try (SyslogServer server = SyslogServer.datagrams();
                SyslogSink sink = new SyslogSink(server.address(), null, PATIENCE)) {
            sink.send(entry(1, "mio", "done", "x".repeat(2_000)), "s");

            assertThat(server.next().parameters())
                    .containsEntry("cut", "before, after")
                    .containsEntry("hash", HASH)
                    .doesNotContainKey("after");
        }
    }

    @Test
    void connection_endedByTheServerBetweenTwoEntries_losesNone() throws Exception {
        SyslogServer first = SyslogServer.connections("tcp", ServerSocketFactory.getDefault(), 0);
        try (SyslogSink sink = new SyslogSink(first.address(), null, PATIENCE)) {
            sink.send(entry(1, "a", "done", "x".repeat(2_000)), "s");
            sink.send(entry(2, "b", "done", "x"), "s");
            assertThat(List.of(first.next(), first.next()))
                    .extracting(each -> each.parameters().get("seq"))
                    .containsExactly("1", "2");
            first.close();

            try (SyslogServer second = SyslogServer.connections(
                    "tcp", ServerSocketFactory.getDefault(), first.port())) {
                sink.send(entry(3, "c", "done", "x"), "s");
                assertThat(second.next().parameters()).containsEntry("seq", "3");
            }
            assertThatThrownBy(() -> {
                        sink.send(entry(4, "d", "done", "x"), "s");
                        sink.send(entry(5, "d", "done", "x"), "s");
                    })
                    .as("nobody listens")
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void tls_toAServerOfAKnownAuthority_arrives_andToAnyOtherDoesNot() throws Exception {
        Path good = keys("good", "ip:127.0.0.1");
        Path otherName = keys("other", "dns:elsewhere.example");
        try (SyslogServer server = SyslogServer.connections("tls", tls(good), 0);
                SyslogSink sink = new SyslogSink(server.address(), certificate(good), PATIENCE)) {
            sink.send(entry(1, "a", "done", "x"), "s");
            assertThat(server.next().parameters()).containsEntry("seq", "1");
        }
        try (SyslogServer server = SyslogServer.connections("tls", tls(good), 0);
                SyslogSink sink =
                        new SyslogSink(server.address(), certificate(otherName), PATIENCE)) {
            assertThatThrownBy(() -> sink.send(entry(1, "a", "done", "x"), "s"))
                    .as("another authority")
                    .isInstanceOf(SSLException.class);
        }
        try (SyslogServer server = SyslogServer.connections("tls", tls(otherName), 0);
                SyslogSink sink =
                        new SyslogSink(server.address(), certificate(otherName), PATIENCE)) {
            assertThatThrownBy(() -> sink.send(entry(1, "a", "done", "x"), "s"))
                    .as("another name")
                    .isInstanceOf(SSLException.class);
        }
    }

    /** Makes a key store with a certificate that signs itself. */
    private Path keys(String name, String alternative) throws Exception {
        Path store = directory.resolve(name + ".p12");
        keytool(
                "-genkeypair",
                "-keyalg",
                "EC",
                "-alias",
                "a",
                "-dname",
                "CN=" + name,
                "-ext",
                "san=" + alternative,
                "-keystore",
                store.toString(),
                "-storepass",
                "changeit");
        keytool(
                "-exportcert",
                "-rfc",
                "-alias",
                "a",
                "-file",
                certificate(store).toString(),
                "-keystore",
                store.toString(),
                "-storepass",
                "changeit");
        return store;
    }

    private static Path certificate(Path store) {
        return store.resolveSibling(store.getFileName() + ".pem");
    }

    private static void keytool(String... arguments) throws Exception {
        List<String> command = new java.util.ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor()).as(output).isZero();
    }

    private static ServerSocketFactory tls(Path store) throws Exception {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, "changeit".toCharArray());
        }
        KeyManagerFactory managers =
                KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, "changeit".toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return context.getServerSocketFactory();
    }
}
