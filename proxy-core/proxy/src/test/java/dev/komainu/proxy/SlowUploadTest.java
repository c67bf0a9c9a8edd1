package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.RecordingOrigin;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that send slowly, that are too many, or that end their side early. */
class SlowUploadTest {

    private RecordingOrigin origin;

    @BeforeEach
    void setUp() throws IOException {
        origin = new RecordingOrigin();
    }

    @AfterEach
    void tearDown() throws IOException {
        origin.close();
    }

    @Test
    void upload_belowTheRate_isCutOff_andNeverComplete() throws IOException {
        try (ProxyFixture proxy = new ProxyFixture(
                        "origin",
                        origin.url(),
                        "connections.min-body-rate",
                        "1000",
                        "connections.body-window",
                        "200ms");
                RawClient client = proxy.client()) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nx");
            assertThat(client.read(false).status()).isEqualTo(408);
            assertThat(client.closedByPeer()).isTrue();
            await().until(() -> origin.brokenOff.get() == 1);
            assertThat(origin.complete).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "zz~",
                ";x~",
                "-1~",
                "0x5~",
                "5 ~hello~",
                "5;a=\"~",
                "5^hello",
                "5~hello~zz~",
                "0~:~~"
            })
    void upload_withAnInvalidFirstChunk_isNotSent(String body) throws IOException {
        String bytes = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                + body.replace("~", "\r\n").replace("^", "\n");
        try (ProxyFixture proxy = new ProxyFixture("origin", origin.url())) {
            try (RawClient client = proxy.client()) {
                assertThat(client.send(bytes).read(false).status()).isEqualTo(400);
                assertThat(client.closedByPeer()).isTrue();
            }
            try (RawClient client = proxy.client()) {
                assertThat(client.get("/").status()).isEqualTo(200);
            }
        }
        assertThat(origin.complete).hasSize(1);
        assertThat(origin.brokenOff).hasValue(0);
        assertThat(origin.violations).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Content-Length: 5", "Transfer-Encoding: chunked"})
    void upload_withoutABodyByte_getsA408AndIsNotSent(String framing) throws IOException {
        try (ProxyFixture proxy =
                        new ProxyFixture("origin", origin.url(), "connections.head-timeout", "1s");
                RawClient client = proxy.client()) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\n" + framing + "\r\n\r\n");
            assertThat(client.read(false).status()).isEqualTo(408);
            assertThat(client.closedByPeer()).isTrue();
        }
        assertThat(origin.complete).isEmpty();
        assertThat(origin.brokenOff).hasValue(0);
    }

    @Test
    void upload_completeBeforeTheClientEndsItsSide_isAnswered() throws IOException {
        try (ProxyFixture proxy = new ProxyFixture("origin", origin.url())) {
            for (int i = 0; i < 50; i++) {
                try (RawClient client = proxy.client()) {
                    client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello");
                    client.socket().shutdownOutput();
                    assertThat(client.read(false).status()).isEqualTo(200);
                }
            }
            assertThat(origin.complete).hasSize(50);
        }
    }

    @Test
    void connection_beyondTheLimit_getsA503() throws IOException {
        try (ProxyFixture proxy = new ProxyFixture(
                        "origin",
                        origin.url(),
                        "connections.max",
                        "1",
                        "connections.reclaim",
                        "off");
                RawClient first = proxy.client()) {
            assertThat(first.get("/").status()).isEqualTo(200);
            try (RawClient second = proxy.client()) {
                RawClient.Answer answer = second.read(false);
                assertThat(answer.status()).isEqualTo(503);
                assertThat(answer.body()).contains("connections.max");
                assertThat(second.closedByPeer()).isTrue();
            }
            assertThat(first.get("/").status()).isEqualTo(200);
        }
    }
}
