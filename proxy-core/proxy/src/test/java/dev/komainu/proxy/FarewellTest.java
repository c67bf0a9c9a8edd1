package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The ends of connections: a request that arrived in time gets a response, and no response is lost
 * to a reset.
 */
class FarewellTest {

    private static final String REQUEST = "GET %s HTTP/1.1\r\nHost: a\r\n\r\n";

    private ScriptedOrigin origin;

    @BeforeEach
    void setUp() throws IOException {
        origin = new ScriptedOrigin();
        origin.ok("/stored", "Cache-Control: max-age=60\r\n", "stored");
    }

    @AfterEach
    void tearDown() throws IOException {
        origin.close();
    }

    @Test
    void requestsBehindOneUnderWay_areAnsweredThoughTheClientEndedItsSide() throws IOException {
        CountDownLatch ended = new CountDownLatch(1);
        origin.on("/held", (request, socket, out) -> {
            ended.await();
            out.write("HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nContent-Length: 4\r\n\r\nheld"
                    .getBytes());
            return true;
        });
        try (ProxyFixture proxy = new ProxyFixture("origin", origin.url());
                RawClient client = proxy.client()) {
            client.send(REQUEST.formatted("/held")
                    + REQUEST.formatted("/stored")
                    + REQUEST.formatted("/missing")
                    + "GET /half HTT");
            client.socket().shutdownOutput();
            ended.countDown();
            assertThat(client.read(false).body()).isEqualTo("held");
            assertThat(client.read(false).body()).isEqualTo("stored");
            assertThat(client.read(false).status()).isEqualTo(404);
            assertThat(client.rest()).isEmpty();
        }
    }

    @Test
    void lastResponse_reachesAClientThatKeepsSendingWhole() throws IOException {
        String much = "x".repeat(300_000);
        origin.ok("/much", "Cache-Control: no-store\r\n", much);
        try (ProxyFixture proxy = new ProxyFixture("origin", origin.url())) {
            for (int i = 0; i < 20; i++) {
                try (RawClient client = proxy.client()) {
                    client.send("GET /much HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                            + REQUEST.formatted("/never").repeat(500));
                    RawClient.Answer answer = client.read(false);
                    assertThat(answer.field("Connection")).isEqualTo("close");
                    assertThat(answer.body()).isEqualTo(much);
                    assertThat(client.rest()).isEmpty();
                }
            }
            assertThat(origin.count("/never")).isZero();
        }
    }
}
