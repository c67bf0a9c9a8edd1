package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.kit.FrameClient;
import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** HTTP/2 with clients: the parts that HTTP/1 does not have (RFC 9113). */
class Http2Test {

    private static final int PROTOCOL_ERROR = 1;
    private static final String FRESH = "Cache-Control: max-age=60\r\n";

    private ScriptedOrigin origin;
    private ProxyFixture proxy;

    @BeforeEach
    void setUp() throws IOException {
        origin = new ScriptedOrigin();
        proxy = new ProxyFixture("origin", origin.url());
    }

    @AfterEach
    void tearDown() throws IOException {
        proxy.close();
        origin.close();
    }

    private FrameClient client() throws IOException {
        return new FrameClient(proxy.proxy.address());
    }

    @Test
    void preface_atOnce_getsAnswers() throws IOException {
        origin.ok("/a", FRESH + "Connection: x-hop\r\nX-Hop: 1\r\nX-Case: Kept\r\n", "body of a");
        try (FrameClient client = client()) {
            FrameClient.Answer answer = client.get("/a");
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.body()).isEqualTo("body of a");
            assertThat(answer.field("x-case")).isEqualTo("Kept");
            assertThat(answer.fields())
                    .doesNotContainKeys("connection", "x-hop", "transfer-encoding", "keep-alive");
            assertThat(client.get("/a").field("cache-status")).contains("hit");
            assertThat(origin.count("/a")).isEqualTo(1);
        }
    }

    @Test
    void preface_inPieces_isRecognised() throws Exception {
        origin.ok("/a", FRESH, "a");
        byte[] first = FrameClient.PREFACE.getBytes(StandardCharsets.ISO_8859_1);
        for (int cut = 1; cut < first.length; cut++) {
            try (FrameClient client = new FrameClient(new Socket(
                    proxy.proxy.address().getAddress(), proxy.proxy.address().getPort()))) {
                client.send(java.util.Arrays.copyOf(first, cut));
                if (cut % 3 == 0) {
                    // Most cuts arrive as one read; these have the time to arrive separately.
                    Thread.yield();
                }
                client.send(java.util.Arrays.copyOfRange(first, cut, first.length));
                client.settings();
                assertThat(client.get("/a").body()).as("cut at " + cut).isEqualTo("a");
            }
        }
    }

    @Test
    void preface_whenNotEnabled_isHttp1OfAnUnknownVersion() throws IOException {
        try (ProxyFixture plain =
                        new ProxyFixture("origin", origin.url(), "http2.enabled", "false");
                RawClient client = plain.client()) {
            client.send(FrameClient.PREFACE);
            assertThat(client.read(false).status()).isEqualTo(505);
        }
    }

    @Test
    void preface_behindARequest_isHttp1OfAnUnknownVersion() throws IOException {
        origin.ok("/a", FRESH, "a");
        try (RawClient client = proxy.client()) {
            assertThat(client.get("/a").status()).isEqualTo(200);
            client.send(FrameClient.PREFACE);
            assertThat(client.read(false).status()).isEqualTo(505);
        }
    }

    @Test
    void head_reachesTheOriginWrittenAnew() throws IOException {
        origin.ok("/a?q=1", "Cache-Control: no-store\r\n", "a");
        try (FrameClient client = client()) {
            client.get("/a?q=1", "cookie: a=1", "x-one: 1", "cookie: b=2", "te: trailers");
            ScriptedOrigin.Request seen = origin.requests.getLast();
            assertThat(seen.head()).startsWith("GET /a?q=1 HTTP/1.1\r\nHost: test.example\r\n");
            assertThat(seen.field("Cookie")).isEqualTo("a=1; b=2");
            assertThat(seen.field("X-One")).isEqualTo("1");
            assertThat(seen.field("TE")).isEqualTo("trailers");
            assertThat(seen.field("Connection")).isEqualTo("TE");
            assertThat(seen.field("Via")).startsWith("2 komainu-");
        }
    }

    @Test
    void head_thatHttp2Forbids_isAStreamError() throws IOException {
        origin.ok("/a", FRESH, "a");
        List<byte[]> forbidden = new ArrayList<>();
        forbidden.add(FrameClient.request("GET", "/a", "connection: close"));
        forbidden.add(FrameClient.request("GET", "/a", "te: gzip"));
        forbidden.add(FrameClient.request("GET", "/a", "transfer-encoding: chunked"));
        forbidden.add(FrameClient.request("GET", "/a", "upgrade: h3"));
        forbidden.add(FrameClient.request("GET", "/a", "x: a\r\ny: b"));
        forbidden.add(FrameClient.request("GET", "/a", "x: a\0b"));
        forbidden.add(FrameClient.request("GET", "/a", "x:  a"));
        forbidden.add(FrameClient.request("GET", "/a", "host: other.example"));
        forbidden.add(FrameClient.request("GET", "", "x: a"));
        forbidden.add(FrameClient.request("GET", "http://other.example/", "x: a"));
        forbidden.add(FrameClient.request("GET", "/a HTTP/1.1\r\nx: y", "x: a"));
        forbidden.add(FrameClient.request("GET /a", "/a"));
        forbidden.add(FrameClient.block(":method", "GET", ":path", "/a", ":authority", "a"));
        forbidden.add(FrameClient.block(":method", "GET", ":scheme", "http", ":path", "/a"));
        forbidden.add(FrameClient.block(":scheme", "http", ":path", "/a", ":authority", "a"));
        forbidden.add(FrameClient.block(
                ":method",
                "GET",
                ":scheme",
                "http",
                ":path",
                "/a",
                ":authority",
                "a",
                ":path",
                "/b"));
        forbidden.add(FrameClient.block(
                ":method", "GET", ":scheme", "http", ":path", "/a", "x", "y", ":authority", "a"));
        forbidden.add(FrameClient.block(
                ":method", "GET", ":scheme", "http", ":path", "/a", ":authority", "a", ":x", "y"));
        forbidden.add(FrameClient.block(
                ":method",
                "GET",
                ":scheme",
                "http",
                ":path",
                "/a",
                ":authority",
                "a",
                "X-Upper",
                "y"));
        forbidden.add(FrameClient.block(
                ":method", "GET", ":scheme", "http", ":path", "/a", ":authority", "a", "x y", "y"));
        forbidden.add(FrameClient.block(
                ":method", "GET", ":scheme", "http", ":path", "/a", ":authority", "a b", "x", "y"));
        forbidden.add(FrameClient.block(
                ":method", "CONNECT", ":scheme", "http", ":path", "/a", ":authority", "a:443"));
        try (FrameClient client = client()) {
            for (int i = 0; i < forbidden.size(); i++) {
                int stream = client.nextStream();
                client.frame(
                        FrameClient.HEADERS,
                        FrameClient.END_HEADERS | FrameClient.END_STREAM,
                        stream,
                        forbidden.get(i));
                assertThat(client.answer(stream).reset()).as("head " + i).isEqualTo(PROTOCOL_ERROR);
            }
            assertThat(client.get("/a").status()).as("the connection stays").isEqualTo(200);
            assertThat(origin.requests).hasSize(1);
        }
    }

    @Test
    void head_beyondItsLimits_isRefusedOnItsStream() throws IOException {
        origin.ok("/a", FRESH, "a");
        try (FrameClient client = client()) {
            String[] many = new String[101];
            java.util.Arrays.setAll(many, i -> "x" + i + ": y");
            assertThat(client.get("/a", many).status()).isEqualTo(431);
            assertThat(client.get("/" + "a".repeat(16_384)).status()).isEqualTo(414);
            assertThat(client.get("/a", "expect: something").status()).isEqualTo(417);
            assertThat(client.get("/a").body()).isEqualTo("a");
        }
    }

    @Test
    void streams_manyAtOnce_areAnsweredAsTheyAreReady() throws Exception {
        java.util.concurrent.CountDownLatch go = new java.util.concurrent.CountDownLatch(1);
        origin.on("/slow", (request, socket, out) -> {
            go.await();
            out.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nslow"
                    .getBytes(StandardCharsets.ISO_8859_1));
            return true;
        });
        origin.ok("/fast", FRESH, "f".repeat(100_000));
        try (FrameClient client = client()) {
            int slow = client.ask("GET", "/slow");
            List<Integer> fast = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                fast.add(client.ask("GET", "/fast"));
            }
            for (int stream : fast) {
                assertThat(client.answer(stream).body()).hasSize(100_000);
            }
            go.countDown();
            assertThat(client.answer(slow).body()).isEqualTo("slow");
            assertThat(origin.count("/fast")).isEqualTo(1);
        }
    }

    @Test
    void streams_beyondTheLimit_areRefused() throws Exception {
        java.util.concurrent.CountDownLatch go = new java.util.concurrent.CountDownLatch(1);
        origin.on("/slow", (request, socket, out) -> {
            go.await();
            out.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nslow"
                    .getBytes(StandardCharsets.ISO_8859_1));
            return true;
        });
        try (ProxyFixture narrow =
                        new ProxyFixture("origin", origin.url(), "http2.max-streams", "2");
                FrameClient client = new FrameClient(narrow.proxy.address())) {
            int first = client.ask("GET", "/slow");
            int second = client.ask("GET", "/slow");
            int third = client.ask("GET", "/slow");
            assertThat(client.answer(third).reset()).as("REFUSED_STREAM").isEqualTo(7);
            go.countDown();
            assertThat(client.answer(first).body()).isEqualTo("slow");
            assertThat(client.answer(second).body()).isEqualTo("slow");
        }
    }

    @Test
    void answer_waitsForTheClientsWindow() throws IOException {
        origin.ok("/big", FRESH, "b".repeat(200_000));
        try (FrameClient client = client()) {
            client.stopWindowUpdates();
            int stream = client.ask("GET", "/big");
            while (client.received(stream) < 65_535) {
                client.next();
            }
            client.frame(FrameClient.PING, 0, 0, new byte[8]);
            client.until(FrameClient.PING);
            assertThat(client.received(stream)).isEqualTo(65_535);
            client.frame(FrameClient.WINDOW_UPDATE, 0, 0, FrameClient.number(200_000));
            client.frame(FrameClient.WINDOW_UPDATE, 0, stream, FrameClient.number(200_000));
            assertThat(client.answer(stream).body()).hasSize(200_000);
        }
    }

    @Test
    void upload_thatIsNotAsLongAsItSays_neverReachesTheOriginAsComplete() throws IOException {
        origin.ok("/u", "", "u");
        for (String body : new String[] {"short", "much too long"}) {
            try (FrameClient client = client()) {
                int stream = client.begin("POST", "/u", "content-length: 10");
                client.data(stream, body, true);
                assertThat(client.answer(stream).reset()).as(body).isEqualTo(PROTOCOL_ERROR);
            }
        }
        assertThat(origin.requests).noneMatch(ScriptedOrigin.Request::bodyComplete);
    }

    @Test
    void upload_waitsForTheOrigin() throws Exception {
        java.util.concurrent.CountDownLatch go = new java.util.concurrent.CountDownLatch(1);
        try (java.net.ServerSocket slow = new java.net.ServerSocket()) {
            slow.setReceiveBufferSize(4096);
            slow.bind(new java.net.InetSocketAddress(java.net.InetAddress.getLoopbackAddress(), 0));
            Thread.ofVirtual().start(() -> {
                try (Socket socket = slow.accept()) {
                    go.await();
                    java.io.InputStream in = socket.getInputStream();
                    byte[] part = new byte[65_536];
                    String tail = "";
                    while (!tail.endsWith("0\r\n\r\n")) {
                        int count = in.read(part);
                        tail += new String(
                                part,
                                Math.max(0, count - 5),
                                Math.min(5, count),
                                StandardCharsets.ISO_8859_1);
                        tail = tail.substring(Math.max(0, tail.length() - 5));
                    }
                    socket.getOutputStream()
                            .write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".getBytes());
                    in.readAllBytes();
                } catch (IOException | InterruptedException gone) {
                    // The test is over.
                }
            });
            try (ProxyFixture proxy2 =
                            new ProxyFixture("origin", "http://127.0.0.1:" + slow.getLocalPort());
                    FrameClient client = new FrameClient(proxy2.proxy.address())) {
                client.socket().setSoTimeout(1000);
                int stream = client.begin("POST", "/u", "x-length: unknown");
                String part = "z".repeat(16_000);
                int sent = 0;
                try {
                    for (; sent < 1250; sent++) {
                        client.upload(stream, part, sent == 1249);
                    }
                } catch (java.net.SocketTimeoutException windowShut) {
                    // The origin accepts nothing, so the proxy requests no more.
                }
                assertThat(sent).as("parts of 16,000 bytes taken").isLessThan(1250);
                client.socket().setSoTimeout(20_000);
                go.countDown();
                for (int i = sent + 1; i < 1250; i++) {
                    client.upload(stream, part, i == 1249);
                }
                assertThat(client.answer(stream).body()).isEqualTo("ok");
            }
        }
    }

    /** Two megabytes in halves of 64 KB would need 61 window updates. */
    @Test
    void upload_thatGoesOn_waitsForFewerWindows() throws IOException {
        origin.ok("/u", "Cache-Control: no-store\r\n", "ok");
        try (FrameClient client = client()) {
            int stream = client.begin("POST", "/u", "content-length: 2000000");
            for (int i = 0; i < 200; i++) {
                client.upload(stream, "z".repeat(10_000), i == 199);
            }
            assertThat(client.answer(stream).body()).isEqualTo("ok");
            assertThat(origin.requests.getLast().body()).hasSize(2_000_000);
            assertThat(client.updates(stream)).isBetween(5, 30);
        }
    }

    @Test
    void upload_belowTheRate_isAnsweredAndReset() throws IOException {
        origin.ok("/u", "", "u");
        try (ProxyFixture strict = new ProxyFixture(
                        "origin",
                        origin.url(),
                        "connections.min-body-rate",
                        "1000",
                        "connections.body-window",
                        "200ms");
                FrameClient client = new FrameClient(strict.proxy.address())) {
            int stream = client.begin("POST", "/u", "content-length: 100");
            client.data(stream, "x", false);
            assertThat(client.answer(stream).status()).isEqualTo(408);
            assertThat(client.get("/u").status()).as("the connection stays").isEqualTo(200);
        }
        assertThat(origin.requests)
                .filteredOn(r -> r.head().startsWith("POST"))
                .noneMatch(r -> r.bodyComplete());
    }

    @Test
    void get_endedByAFrameWithoutBytes_hasNoBody() throws IOException {
        origin.ok("/a", FRESH, "a");
        try (FrameClient client = client()) {
            for (int i = 0; i < 2; i++) {
                int stream = client.begin("GET", "/a");
                client.data(stream, "", false);
                client.data(stream, "", true);
                assertThat(client.answer(stream).body()).isEqualTo("a");
            }
            int behind = client.begin("GET", "/a");
            client.frame(
                    FrameClient.HEADERS,
                    FrameClient.END_HEADERS | FrameClient.END_STREAM,
                    behind,
                    FrameClient.block("x", "y"));
            assertThat(client.answer(behind).field("cache-status")).contains("; hit");
            assertThat(origin.count("/a")).isEqualTo(1);
            assertThat(origin.requests.getLast().field("Transfer-Encoding")).isEmpty();
        }
    }

    @Test
    void get_withABody_isPassedWithIt() throws IOException {
        origin.ok("/a", FRESH, "a");
        try (FrameClient client = client()) {
            client.get("/a");
            int stream = client.begin("GET", "/a");
            client.data(stream, "", false);
            client.data(stream, "fat", true);
            assertThat(client.answer(stream).body()).isEqualTo("a");
            assertThat(origin.requests.getLast().body()).isEqualTo("fat");
            assertThat(origin.count("/a")).isEqualTo(2);
        }
    }

    @Test
    void get_ofWhichNothingMoreComes_isAnsweredInTime() throws IOException {
        try (ProxyFixture hasty = new ProxyFixture(
                        "origin", origin.url(), "connections.head-timeout", "300ms");
                FrameClient client = new FrameClient(hasty.proxy.address())) {
            int stream = client.begin("GET", "/a");
            assertThat(client.answer(stream).status()).isEqualTo(408);
            assertThat(origin.requests).isEmpty();
            org.awaitility.Awaitility.await()
                    .until(() -> hasty.proxy.figures().counters().slowBodies == 1);
        }
    }

    @Test
    void trailers_thatAreNone_areAStreamError() throws IOException {
        origin.ok("/u", "", "u");
        try (FrameClient client = client()) {
            for (byte[] wrong : new byte[][] {
                FrameClient.block(":path", "/x"),
                FrameClient.block("X-Upper", "y"),
                FrameClient.block("x", "a\r\nb")
            }) {
                int stream = client.begin("POST", "/u", "x-length: unknown");
                client.data(stream, "half", false);
                client.frame(
                        FrameClient.HEADERS,
                        FrameClient.END_HEADERS | FrameClient.END_STREAM,
                        stream,
                        wrong);
                assertThat(client.answer(stream).reset()).isEqualTo(PROTOCOL_ERROR);
            }
        }
        assertThat(origin.requests).noneMatch(ScriptedOrigin.Request::bodyComplete);
    }

    @Test
    void continue_isPassedOn() throws IOException {
        origin.on("/c", (request, socket, out) -> {
            out.write(
                    "HTTP/1.1 103 Early Hints\r\nLink: </s>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nc"
                            .getBytes());
            return true;
        });
        try (FrameClient client = client()) {
            FrameClient.Answer answer = client.get("/c");
            assertThat(answer.informational()).containsExactly(103);
            assertThat(answer.body()).isEqualTo("c");
        }
    }

    @Test
    void drain_letsStreamsFinish_andSaysGoodbye() throws Exception {
        java.util.concurrent.CountDownLatch go = new java.util.concurrent.CountDownLatch(1);
        java.util.concurrent.CountDownLatch asked = new java.util.concurrent.CountDownLatch(1);
        origin.on("/slow", (request, socket, out) -> {
            asked.countDown();
            go.await();
            out.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nslow"
                    .getBytes(StandardCharsets.ISO_8859_1));
            return true;
        });
        try (FrameClient client = client();
                FrameClient idle = client()) {
            int slow = client.ask("GET", "/slow");
            asked.await();
            Thread drain = Thread.ofVirtual().start(() -> {
                try {
                    proxy.proxy.drain();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            assertThat(idle.untilClosed()).as("NO_ERROR").isZero();
            client.until(FrameClient.GOAWAY);
            go.countDown();
            assertThat(client.answer(slow).body()).isEqualTo("slow");
            assertThat(client.untilClosed()).isZero();
            drain.join();
        }
    }

    @Test
    void headers_onStreamsThatAreOver_areTheErrorsOfTheRfc() throws IOException {
        origin.ok("/a", FRESH, "a");
        byte[] head = FrameClient.request("GET", "/a");
        int whole = FrameClient.END_HEADERS | FrameClient.END_STREAM;
        try (FrameClient client = client()) {
            client.answer(client.ask("GET", "/a"));
            client.frame(FrameClient.HEADERS, whole, 1, head);
            assertThat(client.untilClosed()).as("STREAM_CLOSED").isEqualTo(5);
        }
        try (FrameClient client = client()) {
            client.frame(FrameClient.HEADERS, whole, 5, head);
            client.answer(5);
            client.frame(FrameClient.HEADERS, whole, 3, head);
            assertThat(client.untilClosed()).as("PROTOCOL_ERROR").isEqualTo(PROTOCOL_ERROR);
        }
    }

    @Test
    void preface_thatIsNone_isClosedWithoutAnAnswer() throws IOException {
        try (RawClient client = proxy.client()) {
            client.send("INVALID CONNECTION PREFACE\r\n\r\n");
            assertThat(client.rest()).isEmpty();
        }
        try (RawClient client = proxy.client()) {
            client.send("GET / HTTX/1.1\r\n\r\n");
            assertThat(client.read(false).status()).isEqualTo(400);
        }
    }

    @Test
    void connect_relaysBothWays_andBothEnds() throws Exception {
        java.util.concurrent.CountDownLatch ended = new java.util.concurrent.CountDownLatch(1);
        try (java.net.ServerSocket echo =
                new java.net.ServerSocket(0, 10, java.net.InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> {
                try (Socket socket = echo.accept()) {
                    byte[] part = new byte[8192];
                    for (int count = socket.getInputStream().read(part);
                            count >= 0;
                            count = socket.getInputStream().read(part)) {
                        socket.getOutputStream().write(part, 0, count);
                    }
                    socket.getOutputStream().write("bye".getBytes());
                    ended.countDown();
                } catch (IOException gone) {
                    // The test is over.
                }
            });
            String port = Integer.toString(echo.getLocalPort());
            try (ProxyFixture forward = new ProxyFixture(
                            "forward.enabled",
                            "true",
                            "forward.allow",
                            "127.0.0.0/8",
                            "forward.dial-allow",
                            "127.0.0.1",
                            "forward.connect-ports",
                            "443," + port);
                    FrameClient client = new FrameClient(forward.proxy.address())) {
                int refused = client.head(
                        0, FrameClient.block(":method", "CONNECT", ":authority", "127.0.0.1:25"));
                assertThat(client.answer(refused).status()).isEqualTo(403);
                int stream = client.head(
                        0,
                        FrameClient.block(":method", "CONNECT", ":authority", "127.0.0.1:" + port));
                for (int i = 0; i < 100; i++) {
                    client.upload(stream, "e".repeat(5000), false);
                    while (client.received(stream) < 5000 * (i + 1)) {
                        client.next();
                    }
                }
                client.upload(stream, "", true);
                FrameClient.Answer answer = client.answer(stream);
                assertThat(answer.status()).isEqualTo(200);
                assertThat(answer.reset()).isEqualTo(-1);
                assertThat(answer.body()).hasSize(500_003).endsWith("bye");
                ended.await();
                org.awaitility.Awaitility.await()
                        .atMost(java.time.Duration.ofSeconds(20))
                        .untilAsserted(() -> {
                            var c = forward.proxy.figures().counters();
                            assertThat(c.tunnels).isEqualTo(1);
                            assertThat(c.inFlight).isZero();
                        });
                int gone = client.head(
                        0, FrameClient.block(":method", "CONNECT", ":authority", "127.0.0.1:443"));
                assertThat(client.answer(gone).status()).isEqualTo(502);
            }
        }
    }
}
