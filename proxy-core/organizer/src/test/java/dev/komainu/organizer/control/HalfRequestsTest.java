package dev.komainu.organizer.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.control.ControlSettings;
import dev.komainu.intermediary.kit.RawClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Clients of an organizer's control endpoint that send half of a request and wait. */
class HalfRequestsTest {

    @Test
    void sixHalfRequests_healthIsAnswered() throws IOException {
        List<RawClient> clients = new ArrayList<>();
        // Health needs none of the pages.
        try (ControlEndpoint endpoint = new ControlEndpoint(
                new ControlSettings(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), null, false),
                null,
                null,
                null,
                null)) {
            for (int i = 0; i < 6; i++) {
                clients.add(
                        new RawClient(endpoint.address()).send("GET /health HTTP/1.1\r\nHost: lo"));
            }
            RawClient health = new RawClient(endpoint.address());
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
