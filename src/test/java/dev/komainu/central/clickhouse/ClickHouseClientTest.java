package dev.komainu.central.clickhouse;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.settings.SettingReader;
import dev.komainu.settings.SettingSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A server that hangs after the head of its response: nothing may wait for it for ever. */
class ClickHouseClientTest {

    private static final String HANGING =
            " \r\nTransfer-Encoding: chunked\r\nContent-Type: text/plain\r\n\r\n";

    private final List<Socket> open = new ArrayList<>();
    private ServerSocket server;
    private ClickHouseClient client;
    private volatile String status = "200 OK";

    @BeforeEach
    void start() throws IOException {
        server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::answerHeads);
        client = new ClickHouseClient(
                ClickHouseSettings.read(new SettingReader(List.of(SettingSource.commandLine(Map.of(
                        "komainu.records.url",
                        "http://127.0.0.1:" + server.getLocalPort() + "/some",
                        "komainu.records.timeout",
                        "1s"))))),
                1,
                Clock.systemUTC());
    }

    private void answerHeads() {
        try {
            while (true) {
                Socket socket = server.accept();
                synchronized (open) {
                    open.add(socket);
                }
                byte[] request = new byte[65_536];
                if (socket.getInputStream().read(request) > 0) {
                    socket.getOutputStream()
                            .write(("HTTP/1.1 " + status + HANGING)
                                    .replace(" \r\n", "\r\n")
                                    .getBytes(StandardCharsets.US_ASCII));
                }
            }
        } catch (IOException e) {
            if (!server.isClosed()) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        server.close();
        synchronized (open) {
            for (Socket socket : open) {
                socket.close();
            }
        }
    }

    private static void assertEnds(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ClickHouseException.class,
                        e -> org.assertj.core.api.Assertions.assertThat(e.outcome())
                                .isEqualTo(ClickHouseException.Outcome.UNKNOWN));
    }

    @Test
    void insert_serverHangsBehindTheHead_isUnknown() {
        assertEnds(() -> client.insert("some", new byte[] {1}));
    }

    @Test
    void execute_serverHangsBehindTheHead_isUnknown() {
        assertEnds(() -> client.executeOutside("CREATE DATABASE some"));
    }

    @Test
    void query_serverHangsBehindTheHead_isUnknown() {
        assertEnds(() -> client.queryPromptly("SELECT 1", row -> row.next() ? row.int64() : 0));
    }

    @Test
    void insert_serverHangsInARefusal_isUnknown() {
        status = "500 Internal Server Error";

        assertEnds(() -> client.insert("some", new byte[] {1}));
    }
}
