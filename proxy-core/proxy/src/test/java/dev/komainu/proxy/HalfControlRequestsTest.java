package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients of a proxy's control endpoint that send half of a request and wait. */
class HalfControlRequestsTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /health HTTP/1.1\r\nHost: lo",
                "POST /control/v1/purge HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{"
            })
    void sixHalfRequests_healthIsAnswered(String half) throws IOException {
        List<RawClient> clients = new ArrayList<>();
        try (ScriptedOrigin origin = new ScriptedOrigin();
                ProxyFixture proxy =
                        new ProxyFixture("origin", origin.url(), "control.listen", "127.0.0.1:0")) {
            for (int i = 0; i < 6; i++) {
                clients.add(new RawClient(proxy.proxy.controlAddress()).send(half));
            }
            RawClient health = new RawClient(proxy.proxy.controlAddress());
            clients.add(health);
            assertThat(health.send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
                            .read(false)
                            .body())
                    .isEqualTo("{\"status\":\"up\"}\n");
        } finally {
            for (RawClient client : clients) {
                client.close();
            }
        }
    }
}
