package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.RecordingOrigin;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Closes of the proxy that the client does not expect: its late bytes must not reset them. */
class ClientConnectionCloseTest {

    /** On a closed socket the first of them causes a reset, and a later one fails. */
    private static final int LATE_BYTES = 100;

    @Test
    void bytesAfterARefusedConnect_doNotResetTheConnection() throws IOException {
        try (RecordingOrigin origin = new RecordingOrigin();
                ProxyFixture proxy = new ProxyFixture("origin", origin.url(), "workers", "1");
                RawClient client = proxy.client()) {
            client.send("CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n");
            String answer = new String(
                    client.socket().getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);

            assertThat(answer).startsWith("HTTP/1.1 501 ").contains("Connection: close");
            assertThatCode(() -> {
                        for (int i = 0; i < LATE_BYTES; i++) {
                            client.send("x");
                        }
                    })
                    .doesNotThrowAnyException();
        }
    }
}
