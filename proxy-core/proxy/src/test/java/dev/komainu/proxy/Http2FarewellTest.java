package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.komainu.intermediary.kit.FrameClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/**
 * The ends of HTTP/2 connections: a client that reads its last response slowly, and still
 * acknowledges bytes, gets all of it.
 */
class Http2FarewellTest {

    private static final int LENGTH = 60_000;
    private static final Path TCP = Path.of("/proc/self/net/tcp");
    private static final Path TCP6 = Path.of("/proc/self/net/tcp6");
    private static final String FIN_WAIT_1 = "04";

    @Test
    void lateFrame_behindTheGoodbye_costsTheClientNothing() throws Exception {
        assumeTrue(Files.exists(TCP), TCP + ": not there (expected: Linux)");
        try (ScriptedOrigin origin = new ScriptedOrigin();
                ProxyFixture proxy = new ProxyFixture("origin", origin.url());
                Socket socket = new Socket()) {
            origin.ok("/much", "Cache-Control: max-age=60\r\n", "x".repeat(LENGTH));
            // The proxy's kernel has most of the response while it is not read.
            socket.setReceiveBufferSize(8_192);
            socket.connect(proxy.proxy.address());
            FrameClient client = new FrameClient(socket);
            client.preface();
            // Acknowledged now, so that only the test's own bytes follow the GOAWAY.
            client.until(FrameClient.SETTINGS);
            int asked = client.ask("GET", "/much");
            Awaitility.await()
                    .until(() -> proxy.proxy.figures().counters().misses == 1
                            && proxy.proxy.figures().counters().inFlight == 0);
            Thread drain = Thread.ofVirtual().start(() -> {
                try {
                    proxy.proxy.drain();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            Awaitility.await()
                    .pollInterval(Duration.ofMillis(10))
                    .until(() ->
                            hasSaidItsLast(proxy.proxy.address().getPort(), socket.getLocalPort()));
            client.stopWindowUpdates();
            client.frame(FrameClient.WINDOW_UPDATE, 0, 0, FrameClient.number(99));
            assertThat(client.answer(asked).body()).hasSize(LENGTH);
            assertThat(client.until(FrameClient.GOAWAY).code()).isZero();
            assertThat(client.untilClosed()).isZero();
            assertThat(client.lastServed())
                    .as("beside the first word, which names all")
                    .isEqualTo(asked);
            socket.close();
            drain.join();
        }
    }

    /** Reports whether the proxy's kernel has its FIN to send, or has sent it. */
    private static boolean hasSaidItsLast(int proxy, int client) throws IOException {
        String line =
                "^ *\\d+: [0-9A-F]+:%04X [0-9A-F]+:%04X %s .*".formatted(proxy, client, FIN_WAIT_1);
        try (Stream<String> four = Files.lines(TCP);
                Stream<String> six = Files.exists(TCP6) ? Files.lines(TCP6) : Stream.empty()) {
            return Stream.concat(four, six)
                    .anyMatch(each -> each.toUpperCase(Locale.ROOT).matches(line));
        }
    }
}
