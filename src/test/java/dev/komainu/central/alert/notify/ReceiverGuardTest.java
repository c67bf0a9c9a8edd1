package dev.komainu.central.alert.notify;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Attacks by receivers on what only this host reaches (review, finding 21). */
class ReceiverGuardTest {

    private static final ReceiverGuard GUARD = new ReceiverGuard(List.of(), () -> 7600);

    private static boolean permits(ReceiverGuard guard, String address, int port) {
        return guard.permits(address, new InetSocketAddress(InetAddress.ofLiteral(address), port));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "127.9.9.9",
                "0.0.0.0",
                "0.1.2.3",
                "169.254.169.254",
                "100.100.100.200",
                "192.0.0.192",
                "168.63.129.16",
                "224.0.0.1",
                "::",
                "::1",
                "::ffff:127.0.0.1",
                "::127.0.0.1",
                "fe80::1",
                "fd00:ec2::254",
                "64:ff9b::7f00:1",
                "64:ff9b::a9fe:a9fe",
                "2002:7f00:1::",
                "2001:db8::5efe:127.0.0.1",
                "ff02::1"
            })
    void webhook_probesInsideAddress_isRefused(String address) {
        assertThat(permits(GUARD, address, 80)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.7", "192.168.1.1", "93.184.216.34", "2001:db8::1", "fd12::1"})
    void receiver_elsewhere_isPermitted(String address) {
        assertThat(permits(GUARD, address, 80)).isTrue();
    }

    @Test
    void allowList_opensWhatItNames_butNeverTheServicesOwnPort() {
        ReceiverGuard guard =
                new ReceiverGuard(List.of("127.0.0.1", "fe80::/10", "Mail.example"), () -> 7600);
        assertThat(permits(guard, "127.0.0.1", 25)).isTrue();
        assertThat(permits(guard, "127.0.0.2", 25)).isFalse();
        assertThat(permits(guard, "fe80::1", 25)).isTrue();
        InetSocketAddress here = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.9"), 25);
        assertThat(guard.permits("mail.EXAMPLE", here)).isTrue();
        assertThat(guard.permits("other.example", here)).isFalse();
        assertThat(permits(guard, "127.0.0.1", 7600)).isFalse();
    }

    @Test
    void webhookTest_ofAnOpenAndAClosedPortHere_saysTheSame() throws IOException {
        WebhookPost post = new WebhookPost(GUARD, Duration.ofSeconds(5));
        WebhookPost allowed = new WebhookPost(NoticeDispatchers.HERE, Duration.ofSeconds(5));
        int closed;
        try (ServerSocket open = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String url = "http://127.0.0.1:" + open.getLocalPort() + "/";
            DeliveryOutcome refused = post.send(url, Map.of(), new byte[0]);
            assertThat(refused.text()).isEqualTo(ReceiverGuard.NOT_REACHED);
            assertThat(mail(open.getLocalPort(), GUARD).text())
                    .isEqualTo(ReceiverGuard.NOT_REACHED);
            closed = open.getLocalPort();
        }
        String url = "http://127.0.0.1:" + closed + "/";
        assertThat(allowed.send(url, Map.of(), new byte[0]).text())
                .isEqualTo(ReceiverGuard.NOT_REACHED);
        assertThat(allowed.send("http://name.invalid/", Map.of(), new byte[0]).text())
                .isEqualTo(ReceiverGuard.NOT_REACHED);
        assertThat(mail(closed, NoticeDispatchers.HERE).text())
                .isEqualTo(ReceiverGuard.NOT_REACHED);
    }

    private static DeliveryOutcome mail(int port, ReceiverGuard guard) {
        return new MailSender("http://komainu.test", Duration.ofSeconds(5), guard, null)
                .send(
                        NoticeDispatchers.mail(port, "en"),
                        new dev.komainu.central.alert.Notice(
                                dev.komainu.central.alert.NoticeReason.TEST,
                                NoticeText.sample(Instant.EPOCH),
                                Instant.EPOCH),
                        "d",
                        Instant.EPOCH);
    }

    @Test
    void mailServer_thatIsAnotherService_isNotQuoted() throws Exception {
        try (ServerSocket ssh = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread banner = Thread.ofVirtual().start(() -> {
                try (var socket = ssh.accept()) {
                    socket.getOutputStream()
                            .write("SSH-2.0-inside\r\n"
                                    .getBytes(java.nio.charset.StandardCharsets.US_ASCII));
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            assertThat(mail(ssh.getLocalPort(), NoticeDispatchers.HERE).text())
                    .isEqualTo(ReceiverGuard.NOT_REACHED);
            banner.join();
        }
    }
}
