package dev.komainu.proxy;

import static dev.komainu.intermediary.kit.FrameClient.CONTINUATION;
import static dev.komainu.intermediary.kit.FrameClient.DATA;
import static dev.komainu.intermediary.kit.FrameClient.END_HEADERS;
import static dev.komainu.intermediary.kit.FrameClient.END_STREAM;
import static dev.komainu.intermediary.kit.FrameClient.HEADERS;
import static dev.komainu.intermediary.kit.FrameClient.PING;
import static dev.komainu.intermediary.kit.FrameClient.PRIORITY;
import static dev.komainu.intermediary.kit.FrameClient.RST_STREAM;
import static dev.komainu.intermediary.kit.FrameClient.SETTINGS;
import static dev.komainu.intermediary.kit.FrameClient.WINDOW_UPDATE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.komainu.intermediary.kit.FrameClient;
import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * HTTP/2 clients that cause work without a use (RFC 9113 section 10.5), send slowly, or never read.
 */
class Http2FloodTest {

    private static final int ENHANCE_YOUR_CALM = 11;
    private static final int CANCEL = 8;
    private static final int PADDED = 8;
    private static final int MANY = 5000;

    private ScriptedOrigin origin;

    @BeforeEach
    void setUp() throws IOException {
        origin = new ScriptedOrigin();
        origin.ok("/a", "Cache-Control: max-age=60\r\n", "a");
        origin.ok("/big", "Cache-Control: max-age=60\r\n", "b".repeat(300_000));
    }

    @AfterEach
    void tearDown() throws IOException {
        origin.close();
    }

    /** A request with a body that never ends, then the same frame again and again. */
    static Stream<Arguments> floods() {
        byte[] none = new byte[0];
        return Stream.of(
                Arguments.of("PING", FrameClient.bytes(PING, 0, 0, new byte[8])),
                Arguments.of("SETTINGS", FrameClient.bytes(SETTINGS, 0, 0, none)),
                Arguments.of(
                        "PRIORITY", FrameClient.bytes(PRIORITY, 0, 1, new byte[] {0, 0, 0, 3, 1})),
                Arguments.of(
                        "WINDOW_UPDATE",
                        FrameClient.bytes(WINDOW_UPDATE, 0, 0, FrameClient.number(1))),
                Arguments.of("empty DATA", FrameClient.bytes(DATA, 0, 1, none)),
                Arguments.of(
                        "DATA of padding only",
                        FrameClient.bytes(DATA, PADDED, 1, new byte[] {3, 0, 0, 0})),
                Arguments.of("unknown", FrameClient.bytes(77, 0, 1, none)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("floods")
    void frames_withoutAUse_endTheConnection(String name, byte[] frame) throws IOException {
        try (ProxyFixture proxy = new ProxyFixture("origin", origin.url());
                FrameClient client = new FrameClient(proxy.proxy.address())) {
            client.begin("POST", "/a");
            flood(client, frame);
            assertThat(client.untilClosed()).as(name).isIn(ENHANCE_YOUR_CALM, -1);
            counted(proxy);
            served(proxy);
        }
    }

    @Test
    void heads_inEndlessPieces_endTheConnection() throws IOException {
        try (ProxyFixture proxy = new ProxyFixture("origin", origin.url());
                FrameClient client = new FrameClient(proxy.proxy.address())) {
            client.frame(
                    HEADERS, END_STREAM, client.nextStream(), FrameClient.request("GET", "/a"));
            flood(client, FrameClient.bytes(CONTINUATION, 0, 1, FrameClient.block("x", "y")));
            assertThat(client.untilClosed()).isIn(ENHANCE_YOUR_CALM, -1);
            counted(proxy);
            served(proxy);
        }
    }

    @Test
    void requests_takenBackAtOnce_endTheConnection() throws IOException {
        try (ProxyFixture proxy = new ProxyFixture("origin", origin.url());
                FrameClient client = new FrameClient(proxy.proxy.address())) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            for (int i = 0; i < 1000; i++) {
                int stream = client.nextStream();
                out.writeBytes(FrameClient.bytes(
                        HEADERS,
                        END_HEADERS | END_STREAM,
                        stream,
                        FrameClient.request("GET", "/n" + i)));
                out.writeBytes(
                        FrameClient.bytes(RST_STREAM, 0, stream, FrameClient.number(CANCEL)));
            }
            sent(client, out.toByteArray());
            assertThat(client.untilClosed()).isIn(ENHANCE_YOUR_CALM, -1);
            counted(proxy);
            served(proxy);
        }
    }

    /** CVE-2025-8671: the client makes the server reset its own requests. */
    @Test
    void requests_madeToFail_endTheConnection() throws IOException {
        try (ProxyFixture proxy = new ProxyFixture("origin", origin.url());
                FrameClient client = new FrameClient(proxy.proxy.address())) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            for (int i = 0; i < 1000; i++) {
                int stream = client.nextStream();
                out.writeBytes(FrameClient.bytes(
                        HEADERS,
                        END_HEADERS | END_STREAM,
                        stream,
                        FrameClient.request("GET", "/n" + i)));
                out.writeBytes(FrameClient.bytes(WINDOW_UPDATE, 0, stream, FrameClient.number(0)));
            }
            sent(client, out.toByteArray());
            assertThat(client.untilClosed()).isIn(ENHANCE_YOUR_CALM, 1, -1);
            served(proxy);
        }
    }

    @Test
    void head_neverComplete_isCutInTime_thoughItDrips() throws IOException {
        try (ProxyFixture proxy =
                        new ProxyFixture("origin", origin.url(), "connections.head-timeout", "2s");
                FrameClient client = new FrameClient(proxy.proxy.address())) {
            assertThat(client.get("/a").status()).isEqualTo(200);
            int stream = client.nextStream();
            client.frame(HEADERS, END_STREAM, stream, FrameClient.request("GET", "/a"));
            // The rest is announced, but does not arrive completely at this rate.
            client.send(
                    Arrays.copyOf(FrameClient.bytes(CONTINUATION, 0, stream, new byte[16_000]), 9));
            await().atMost(Duration.ofSeconds(60))
                    .pollInterval(Duration.ofMillis(50))
                    .until(() -> {
                        sent(client, new byte[1]);
                        return proxy.proxy.figures().counters().headTimeouts > 0;
                    });
            client.untilClosed();
        }
    }

    @Test
    void preface_withoutSettings_isCutInTime() throws Exception {
        try (ProxyFixture proxy =
                        new ProxyFixture("origin", origin.url(), "connections.head-timeout", "2s");
                RawClient client = proxy.client()) {
            client.send(FrameClient.PREFACE);
            client.rest();
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> proxy.proxy.figures().counters().headTimeouts > 0);
        }
    }

    @Test
    void connection_withoutARequest_isClosedInTime_whateverItPings() throws Exception {
        try (ProxyFixture proxy =
                        new ProxyFixture("origin", origin.url(), "connections.idle-timeout", "2s");
                FrameClient client = new FrameClient(proxy.proxy.address())) {
            assertThat(client.get("/a").status()).isEqualTo(200);
            await().atMost(Duration.ofSeconds(60))
                    .pollInterval(Duration.ofMillis(50))
                    .until(() -> {
                        sent(client, FrameClient.bytes(PING, 0, 0, new byte[8]));
                        return proxy.proxy.figures().counters().clientConnections == 0;
                    });
            assertThat(client.untilClosed()).isIn(0, -1);
        }
    }

    @Test
    void response_withAClosedWindow_isResetAndCounted() throws IOException {
        try (ProxyFixture proxy =
                        new ProxyFixture("origin", origin.url(), "deliver.stall-timeout", "200ms");
                FrameClient client = new FrameClient(proxy.proxy.address())) {
            client.stopWindowUpdates();
            assertThat(client.answer(client.ask("GET", "/big")).reset()).isEqualTo(CANCEL);
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> proxy.proxy.figures().counters().stalledWrites > 0);
            client.frame(WINDOW_UPDATE, 0, 0, FrameClient.number(1_000_000));
            assertThat(client.get("/a").body()).as("the connection stays").isEqualTo("a");
        }
    }

    /** Windows wide open, and no byte read: the socket itself is stuck. */
    @Test
    void client_thatNeverReads_isReset() throws IOException {
        try (ProxyFixture proxy =
                        new ProxyFixture("origin", origin.url(), "deliver.stall-timeout", "200ms");
                Socket narrow = new Socket()) {
            narrow.setReceiveBufferSize(4096);
            narrow.connect(proxy.proxy.address());
            FrameClient client = new FrameClient(narrow);
            client.preface(4, Integer.MAX_VALUE);
            client.frame(WINDOW_UPDATE, 0, 0, FrameClient.number(Integer.MAX_VALUE - 65_535));
            for (int i = 0; i < 100; i++) {
                client.ask("GET", "/big");
            }
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> proxy.proxy.figures().counters().stalledWrites > 0);
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> proxy.proxy.figures().counters().clientConnections == 0);
            served(proxy);
        }
    }

    private static void flood(FrameClient client, byte[] frame) throws IOException {
        byte[] all = new byte[frame.length * MANY];
        for (int i = 0; i < MANY; i++) {
            System.arraycopy(frame, 0, all, i * frame.length, frame.length);
        }
        sent(client, all);
    }

    /** In pieces, until the proxy closes the connection. */
    private static void sent(FrameClient client, byte[] bytes) throws IOException {
        try {
            for (int at = 0; at < bytes.length; at += 4096) {
                client.send(Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + 4096)));
            }
        } catch (java.net.SocketException closed) {
            // Seen below.
        }
    }

    private static void counted(ProxyFixture proxy) {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> proxy.proxy.figures().counters().floods == 1);
    }

    /** Other clients are served as usual. */
    private static void served(ProxyFixture proxy) throws IOException {
        try (FrameClient other = new FrameClient(proxy.proxy.address())) {
            assertThat(other.get("/a").body()).isEqualTo("a");
        }
    }
}
