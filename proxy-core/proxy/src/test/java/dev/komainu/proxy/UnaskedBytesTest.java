package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Origins that see more requests than were sent to them, or send more than was requested. */
class UnaskedBytesTest {

    /**
     * Ignores every body, as some servers do for GET, and keeps its connections: the content of a
     * body becomes a request.
     */
    private static final class Overlooking implements AutoCloseable {
        final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        final List<String> lines = new CopyOnWriteArrayList<>();

        Overlooking() throws IOException {
            Thread.ofVirtual().start(() -> {
                while (!server.isClosed()) {
                    try {
                        Socket socket = server.accept();
                        Thread.ofVirtual().start(() -> serve(socket));
                    } catch (IOException closed) {
                        return;
                    }
                }
            });
        }

        private void serve(Socket socket) {
            try (socket;
                    BufferedReader in = new BufferedReader(new InputStreamReader(
                            socket.getInputStream(), StandardCharsets.ISO_8859_1))) {
                String first = null;
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    if (first == null) {
                        first = line;
                        lines.add(line);
                    } else if (line.isEmpty()) {
                        String body = first.split(" ")[1];
                        String answer =
                                "HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nContent-Length: "
                                        + body.length() + "\r\n\r\n"
                                        + (first.startsWith("HEAD") ? "" : body);
                        socket.getOutputStream()
                                .write(answer.getBytes(StandardCharsets.ISO_8859_1));
                        first = null;
                    }
                }
            } catch (IOException gone) {
                // The received bytes were recorded.
            }
        }

        @Override
        public void close() throws IOException {
            server.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "HEAD", "DELETE", "OPTIONS"})
    void bodyReadAsARequestByTheOrigin_reachesNoClient(String method) throws IOException {
        try (Overlooking origin = new Overlooking();
                ProxyFixture proxy = new ProxyFixture(
                        "origin",
                        "http://127.0.0.1:" + origin.server.getLocalPort(),
                        "workers",
                        "1");
                RawClient victim = proxy.client()) {
            assertThat(victim.get("/before").body()).isEqualTo("/before");
            for (int i = 0; i < 10; i++) {
                try (RawClient attacker = proxy.client()) {
                    String body = "GET /smuggled HTTP/1.1\r\nHost: a\r\nX: ";
                    attacker.send(method + " /fat HTTP/1.1\r\nHost: a\r\nContent-Length: "
                            + body.length() + "\r\n\r\n" + body);
                    assertThat(attacker.read(method.equals("HEAD")).status()).isIn(200, 502);
                }
                assertThat(victim.get("/mine" + i).body()).isEqualTo("/mine" + i);
            }
            assertThat(origin.lines).contains(method + " /fat HTTP/1.1");
        }
    }

    @Test
    void interimAnswers_withoutEnd_areCutOff() throws IOException {
        String hints = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
        try (ScriptedOrigin origin = new ScriptedOrigin();
                ProxyFixture proxy = new ProxyFixture("origin", origin.url());
                RawClient client = proxy.client()) {
            origin.respond("/few", hints.repeat(16) + "HTTP/1.1 204 No Content\r\n\r\n");
            origin.respond("/many", hints.repeat(1000) + "HTTP/1.1 204 No Content\r\n\r\n");
            assertThat(lastOf(client, "/few", 16)).isEqualTo(204);
            assertThat(lastOf(client, "/many", 16)).isEqualTo(502);
        }
    }

    private static int lastOf(RawClient client, String path, int interims) throws IOException {
        assertThat(client.get(path).status()).isEqualTo(103);
        for (int i = 1; i < interims; i++) {
            assertThat(client.read(false).status()).isEqualTo(103);
        }
        return client.read(false).status();
    }
}
