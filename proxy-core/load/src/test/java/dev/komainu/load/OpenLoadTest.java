package dev.komainu.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class OpenLoadTest {

    @Test
    void request_severalObjectsOnOneConnection_readsEachToItsEnd() throws Exception {
        try (var origin = new RunningOrigin(true)) {
            var session = new VisitorSession(origin.address(), 5_000, 0);

            var answers = session.request(
                    null,
                    List.of("/object/1/0/keep", "/object/2/30000/fresh", "/elsewhere"),
                    List.of(0, 1));

            assertThat(answers)
                    .containsExactly(
                            new VisitorSession.Response(200, 0, false),
                            new VisitorSession.Response(200, 30_000, false),
                            new VisitorSession.Response(404, 0, false));
        }
    }

    @Test
    void request_serverClosesEachConnection_returnsTheResponses() throws Exception {
        try (var origin = new RunningOrigin(false)) {
            var answers = new VisitorSession(origin.address(), 5_000, 0)
                    .request(
                            InetAddress.getLoopbackAddress(),
                            List.of("/object/1/9/keep", "/object/2/9/keep"),
                            List.of(0));

            assertThat(answers).containsExactly(new VisitorSession.Response(200, 9, true));
        }
    }

    @Test
    void request_connectionClosedBeforeAnyByte_failsWithTheReason() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread closing = Thread.startVirtualThread(() -> {
                try (var client = silent.accept()) {
                    client.getInputStream().read(new byte[1_000]);
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            var session = new VisitorSession(
                    (InetSocketAddress) silent.getLocalSocketAddress(), 5_000, 0);

            assertThatThrownBy(() -> session.request(null, List.of("/"), List.of()))
                    .hasMessage("connection closed before a status line");
            closing.join();
        }
    }

    @Test
    void call_oneSecond_endsAfterTheLastVisitor() throws Exception {
        try (var origin = new RunningOrigin(false)) {
            int code = new CommandLine(new OpenLoad())
                    .execute(
                            "--target",
                            "127.0.0.1:" + origin.address().getPort(),
                            "--phases",
                            "50x1",
                            "--even");

            assertThat(code).isZero();
        }
    }

    @Test
    void call_visitorsTogether_allRequestThePath() throws Exception {
        List<String> requestLines = new java.util.concurrent.CopyOnWriteArrayList<>();
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread answering = Thread.startVirtualThread(() -> {
                for (int n = 0; n < 12; n++) {
                    try (var client = server.accept()) {
                        byte[] head = new byte[1_000];
                        int read = client.getInputStream().read(head);
                        requestLines.add(new String(head, 0, Math.max(read, 0))
                                .lines()
                                .findFirst()
                                .orElse(""));
                        client.getOutputStream()
                                .write("HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n"
                                        .getBytes());
                    } catch (IOException e) {
                        throw new java.io.UncheckedIOException(e);
                    }
                }
            });

            int code = new CommandLine(new OpenLoad())
                    .execute(
                            "--target",
                            "127.0.0.1:" + server.getLocalPort(),
                            "--phases",
                            "4x0.8",
                            "--even",
                            "--together",
                            "4",
                            "--path",
                            "/app?sleep=1");

            assertThat(code).isZero();
            answering.join();
        }
        assertThat(requestLines).hasSize(12).containsOnly("GET /app?sleep=1 HTTP/1.1");
    }

    @Test
    void call_pathWithoutSlash_isRefused() {
        assertThat(new CommandLine(new OpenLoad())
                        .execute(
                                "--target",
                                "127.0.0.1:1",
                                "--phases",
                                "1x1",
                                "--path",
                                "app",
                                "--together",
                                "0"))
                .isEqualTo(2);
    }

    @Test
    void call_publicTarget_isRefused() {
        assertThat(new CommandLine(new OpenLoad())
                        .execute("--target", "198.51.100.7:80", "--phases", "1x1"))
                .isEqualTo(2);
    }
}
