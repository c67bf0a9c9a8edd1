package dev.komainu.central.alert.notify;

import static org.assertj.core.api.Assertions.assertThat;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import dev.komainu.central.alert.Notice;
import dev.komainu.central.alert.NoticeReason;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of mail over TLS to a real server, and of refusals. */
class MailSenderTest {

    private static final Instant NOW = Instant.parse("2026-11-22T10:00:00Z");
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir
    Path folder;

    @Test
    void send_overTlsOrStarttlsWithPassword_arrivesAndAWrongPasswordOrStrangerDoesNot()
            throws Exception {
        Path keys = folder.resolve("mail.p12");
        keytool(keys);
        System.setProperty("greenmail.tls.keystore.file", keys.toString());
        System.setProperty("greenmail.tls.keystore.password", "changeit");
        GreenMail server = NoticeDispatchers.mailServer(ServerSetup.PROTOCOL_SMTPS);
        try {
            server.setUser("komainu", "right");
            server.start();
            int port = server.getSmtps().getPort();
            MailSender trusting = new MailSender(
                    "http://komainu.test", PATIENCE, NoticeDispatchers.HERE, trust(keys));

            DeliveryOutcome sent = trusting.send(
                    receiver(port, Receiver.Security.TLS, "right"), notice(), "d1", NOW);
            assertThat(sent.delivered()).as(sent.text()).isTrue();
            assertThat(server.getReceivedMessages()).hasSize(1);

            DeliveryOutcome stranger = new MailSender(
                            "http://komainu.test", PATIENCE, NoticeDispatchers.HERE, null)
                    .send(receiver(port, Receiver.Security.TLS, "right"), notice(), "d2", NOW);
            assertThat(stranger.delivered()).isFalse();
            assertThat(stranger.text()).containsIgnoringCase("certification path");

            DeliveryOutcome wrong = trusting.send(
                    receiver(port, Receiver.Security.TLS, "wrong-secret"), notice(), "d3", NOW);
            assertThat(wrong.delivered()).isFalse();
            assertThat(wrong.text())
                    .startsWith("User or password refused")
                    .doesNotContain("wrong-secret");
            assertThat(server.getReceivedMessages()).hasSize(1);
            starttls(keys);
        } finally {
            server.stop();
            System.clearProperty("greenmail.tls.keystore.file");
            System.clearProperty("greenmail.tls.keystore.password");
        }
    }

    /**
     * Sends as most mail servers require: clear text until STARTTLS, the password only after it.
     */
    private static void starttls(Path keys) throws Exception {
        GreenMail server = NoticeDispatchers.mailServer(ServerSetup.PROTOCOL_SMTP);
        server.setUser("komainu", "right");
        server.start();
        try (StarttlsFront front =
                new StarttlsFront(context(keys), server.getSmtp().getPort())) {
            Receiver receiver = receiver(front.port(), Receiver.Security.STARTTLS, "right");

            DeliveryOutcome sent = new MailSender(
                            "http://komainu.test", PATIENCE, NoticeDispatchers.HERE, trust(keys))
                    .send(receiver, notice(), "d4", NOW);
            assertThat(sent.delivered()).as(sent.text()).isTrue();
            assertThat(server.getReceivedMessages()).hasSize(1);

            DeliveryOutcome stranger = new MailSender(
                            "http://komainu.test", PATIENCE, NoticeDispatchers.HERE, null)
                    .send(receiver, notice(), "d5", NOW);
            assertThat(stranger.delivered()).isFalse();
            assertThat(server.getReceivedMessages()).hasSize(1);
        } finally {
            server.stop();
        }
    }

    @Test
    void send_serverWithoutStarttls_sendsNothingInClearText() {
        GreenMail server = NoticeDispatchers.mailServer(ServerSetup.PROTOCOL_SMTP);
        try {
            server.start();
            Receiver receiver =
                    receiver(server.getSmtp().getPort(), Receiver.Security.STARTTLS, "right");

            DeliveryOutcome outcome = new MailSender(
                            "http://komainu.test", PATIENCE, NoticeDispatchers.HERE, null)
                    .send(receiver, notice(), "d", NOW);

            assertThat(outcome.delivered()).isFalse();
            assertThat(outcome.worthRetry()).isTrue();
            assertThat(outcome.text()).contains("STARTTLS");
            assertThat(server.getReceivedMessages()).isEmpty();
        } finally {
            server.stop();
        }
    }

    @Test
    void receiver_asText_namesNoSecret() {
        assertThat(receiver(25, Receiver.Security.TLS, "my-password").toString())
                .doesNotContain("my-password");
        assertThat(NoticeDispatchers.hook(
                                Receiver.Type.SLACK,
                                "https://hooks.slack.example/services/T0/B0/secret")
                        .toString())
                .contains("hooks.slack.example")
                .doesNotContain("secret");
    }

    private static Receiver receiver(int port, Receiver.Security security, String password) {
        return new Receiver(
                "tls",
                Receiver.Type.MAIL,
                "en",
                true,
                new Receiver.Mail(
                        "127.0.0.1",
                        port,
                        security,
                        "komainu",
                        password,
                        "k@example.com",
                        List.of("me@example.com")),
                null);
    }

    private static Notice notice() {
        return new Notice(NoticeReason.TEST, NoticeText.sample(NOW), NOW);
    }

    private static KeyStore load(Path keys) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(keys)) {
            store.load(in, "changeit".toCharArray());
        }
        return store;
    }

    /** Returns the server's TLS context. */
    private static SSLContext context(Path keys) throws Exception {
        KeyManagerFactory managers =
                KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(load(keys), "changeit".toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return context;
    }

    private static SSLSocketFactory trust(Path keys) throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("mail", load(keys).getCertificate("mail"));
        TrustManagerFactory managers =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return context.getSocketFactory();
    }

    private static void keytool(Path keys) throws Exception {
        String keytool =
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        Process made = new ProcessBuilder(
                        keytool,
                        "-genkeypair",
                        "-keystore",
                        keys.toString(),
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        "changeit",
                        "-alias",
                        "mail",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=mail",
                        "-ext",
                        "san=ip:127.0.0.1",
                        "-validity",
                        "36500")
                .redirectErrorStream(true)
                .start();
        String output = new String(
                made.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(made.waitFor()).as(output).isZero();
    }
}
