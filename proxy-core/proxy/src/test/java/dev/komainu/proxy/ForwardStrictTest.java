package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.kit.Corpus;
import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.RecordingOrigin;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * CONNECT in all its forms, and internal addresses in all spellings: none of them passes a forward
 * proxy's guard.
 */
class ForwardStrictTest {

    private static RecordingOrigin origin;
    private static ProxyFixture proxy;

    @BeforeAll
    static void setUp() throws IOException {
        origin = new RecordingOrigin();
        proxy = new ProxyFixture(
                "forward.enabled", "true", "forward.allow", "127.0.0.0/8", "workers", "1");
    }

    @AfterAll
    static void tearDown() throws IOException {
        proxy.close();
        origin.close();
    }

    static List<Corpus.Message> messages() {
        return Corpus.read("forward.txt");
    }

    @ParameterizedTest
    @MethodSource("messages")
    void message_toAForwardProxy_hasItsOutcome(Corpus.Message message) throws IOException {
        String port = Integer.toString(URI.create(origin.url()).getPort());
        try (RawClient client = proxy.client()) {
            client.send(message.bytes().replace("ORIGIN", port));
            assertThat(client.read(false).status()).isEqualTo(message.statuses().getFirst());
            client.socket().shutdownOutput();
            assertThat(client.rest()).isEmpty();
        }
        assertThat(origin.complete).isEmpty();
        assertThat(origin.brokenOff.get()).isZero();
    }

    /**
     * The system's resolver reads some as numbers, some as names that do not exist; in both cases
     * no connection is made.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "2130706433",
                "0x7f000001",
                "0x7f.1",
                "0177.0.0.1",
                "127.1",
                "127.0.1",
                "127.0.0.1.",
                "0"
            })
    void address_inOtherDigits_isNotDialled(String host) throws IOException {
        int port = URI.create(origin.url()).getPort();
        try (RawClient client = proxy.client()) {
            client.send("GET http://" + host + ":" + port + "/ HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.read(false).status()).isIn(403, 502);
        }
        assertThat(origin.complete).isEmpty();
    }

    @Test
    void ownListener_isNotDialled_evenWhenItsAddressIsAllowed() throws IOException {
        try (ProxyFixture open = new ProxyFixture(
                        "forward.enabled",
                        "true",
                        "forward.allow",
                        "127.0.0.0/8",
                        "forward.dial-allow",
                        "127.0.0.0/8");
                RawClient client = open.client()) {
            client.send("GET http://127.0.0.1:" + open.proxy.address().getPort()
                    + "/ HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.read(false).status()).isEqualTo(403);
            client.send("GET " + origin.url() + "/ HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.read(false).status()).isEqualTo(200);
        } finally {
            origin.complete.clear();
        }
    }
}
