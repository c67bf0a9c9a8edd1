package dev.komainu.organizer.front;

import static dev.komainu.telemetry.kit.FreePort.freePort;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import dev.komainu.organizer.front.Cluster.Member;
import dev.komainu.organizer.front.FrontCounts.Kind;
import dev.komainu.organizer.line.tunnel.WebSocketHandshake;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Requests through organizers over real sockets: the answering server, the failures and the
 * transferred content.
 */
class FrontTest {

    /**
     * One thread for each task: a blocking task must not wait for a thread of a pool with as many
     * threads as processors.
     */
    private static final Executor THREADS = Thread::startVirtualThread;

    private final Cluster cluster = new Cluster(Duration.ofSeconds(60));
    private Member front;
    private Member web1;
    private Member web2;
    private ScriptedOrigin one;
    private ScriptedOrigin two;

    @BeforeEach
    void setUp() throws Exception {
        front = cluster.member("front");
        web1 = cluster.member("web1");
        web2 = cluster.member("web2");
        one = new ScriptedOrigin();
        two = new ScriptedOrigin();
    }

    @AfterEach
    void tearDown() throws Exception {
        cluster.close();
        one.close();
        two.close();
    }

    private RawClient client(Member at) throws Exception {
        return new RawClient(at.address());
    }

    @Test
    void prefixesOfThreeMembers_eachIsAskedForItsOwn() throws Exception {
        cluster.serves(web1, "test.example/", one.port());
        cluster.serves(web2, "test.example/shop/", two.port());
        try (ScriptedOrigin near = new ScriptedOrigin();
                RawClient client = client(front)) {
            cluster.serves(front, "test.example/near", near.port());
            one.ok("/a?b=1", "X-Of: one\r\nConnection: X-Hop\r\nX-Hop: 1\r\n", "first");
            two.ok("/shop/a", "", "second");
            near.ok("/near", "", "third");
            RawClient.Answer first = client.get(
                    "/a?b=1",
                    "X-Asked: yes",
                    "Connection: X-Drop",
                    "X-Drop: 1",
                    "X-Forwarded-For: 192.0.2.1");
            assertThat(first.body()).isEqualTo("first");
            assertThat(first.field("x-of")).isEqualTo("one");
            assertThat(first.field("x-hop")).isEmpty();
            assertThat(client.get("/shop/a").body()).isEqualTo("second");
            assertThat(client.get("/near").body()).isEqualTo("third");
            ScriptedOrigin.Request heard = one.requests.getFirst();
            assertThat(heard.field("Host")).isEqualTo("test.example");
            assertThat(heard.field("x-asked")).isEqualTo("yes");
            assertThat(heard.field("x-forwarded-for")).isEqualTo("192.0.2.1, 127.0.0.1");
            assertThat(heard.field("x-drop")).isEmpty();
            assertThat(heard.head())
                    .contains("via: 1.1 front.test.organizer", "via: 2.0 web1.test.organizer");
        }
        assertThat(front.count(Kind.FORWARDED)).isEqualTo(2);
        assertThat(front.count(Kind.OWN)).isEqualTo(1);
        assertThat(front.count(Kind.ANSWERED)).isEqualTo(3);
    }

    @Test
    void absoluteForm_asAProxyAsksItsParent_isAnswered() throws Exception {
        cluster.serves(web1, "other.example/", one.port());
        one.ok("/x", "", "yes");
        try (RawClient client = client(front)) {
            client.send(
                    "GET http://Other.Example:80/x HTTP/1.1\r\nHost: wrong\r\nProxy-Connection: keep-alive\r\n\r\n");
            assertThat(client.read(false).body()).isEqualTo("yes");
            client.send("GET http://other.example/x HTTP/1.0\r\n\r\n");
            RawClient.Answer old = client.read(false);
            assertThat(old.body()).isEqualTo("yes");
            assertThat(old.field("connection")).isEqualTo("close");
        }
    }

    /**
     * RFC 9110 section 7.6.1: otherwise the server would evaluate another request than the sent
     * one.
     */
    @Test
    void connectionNamesWhatIsMeantForAll_itGoesOnAllTheSame() throws Exception {
        cluster.serves(web1, "test.example/", one.port());
        one.ok("/a", "Connection: Set-Cookie\r\nSet-Cookie: a=b\r\n", "first");
        try (RawClient client = client(front)) {
            RawClient.Answer answer = client.get(
                    "/a",
                    "Authorization: Basic eA==",
                    "Connection: Authorization, X-Drop",
                    "X-Drop: 1");
            assertThat(answer.body()).isEqualTo("first");
            assertThat(answer.field("set-cookie")).isEqualTo("a=b");
        }
        ScriptedOrigin.Request heard = one.requests.getFirst();
        assertThat(heard.field("authorization")).isEqualTo("Basic eA==");
        assertThat(heard.field("x-drop")).isEmpty();
    }

    @Test
    void noMemberServesIt_404WithReason_andTheConnectionContinues() throws Exception {
        try (RawClient client = client(front)) {
            RawClient.Answer none = client.get("/nowhere");
            assertThat(none.status()).isEqualTo(404);
            assertThat(none.field("proxy-status"))
                    .contains("front.test.organizer; error=destination_not_found");
            assertThat(none.body()).isEqualTo("404 no-route\n");
            assertThat(none.field("komainu-refusal")).isEmpty();
            assertThat(client.get("/nowhere").status()).isEqualTo(404);
        }
        assertThat(front.count(GatewayError.NO_ROUTE)).isEqualTo(2);
    }

    @Test
    void malformedRequest_isRefusedAndCounted() throws Exception {
        try (RawClient client = client(front)) {
            client.send(
                    "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n");
            assertThat(client.read(false).status()).isEqualTo(400);
        }
        assertThat(front.count(Kind.MALFORMED)).isEqualTo(1);
    }

    @Test
    void mirrorsServerIsDead_safeRequestsAllAnsweredByTheOther() throws Exception {
        cluster.serves(web1, "test.example/", one.port());
        cluster.serves(web2, "test.example/", two.port());
        two.ok("/a", "", "alive");
        one.close();
        try (RawClient client = client(front)) {
            for (int i = 0; i < 40; i++) {
                assertThat(client.get("/a").body()).isEqualTo("alive");
            }
            // No server has seen the request: any method may be sent to the mirror, with its body.
            two.ok("/post", "", "taken");
            for (int i = 0; i < 5; i++) {
                client.send(
                        "POST /post HTTP/1.1\r\nHost: test.example\r\nContent-Length: 5\r\n\r\nhello");
                assertThat(client.read(false).body()).isEqualTo("taken");
            }
        }
        assertThat(two.requests)
                .filteredOn(request -> request.path().equals("/post"))
                .allMatch(request -> request.body().equals("hello"));
        assertThat(front.count(Kind.RETRIED)).isBetween(1L, 10L);
    }

    @Test
    void serverBreaksOffBeforeItsAnswer_safeIsRepeated_postIsToldWhy() throws Exception {
        cluster.serves(web1, "test.example/", one.port(), 1000);
        cluster.serves(web2, "test.example/", two.port(), 1);
        one.on("/a", (request, socket, out) -> false);
        two.ok("/a", "", "other");
        try (RawClient client = client(front)) {
            assertThat(client.get("/a").body()).isEqualTo("other");
        }
        cluster.servesNoMore(web2, "test.example/");
        try (RawClient client = client(front)) {
            client.send("POST /a HTTP/1.1\r\nHost: test.example\r\nContent-Length: 2\r\n\r\nhi");
            RawClient.Answer told = client.read(false);
            assertThat(told.status()).isEqualTo(502);
            assertThat(told.field("proxy-status")).contains("error=connection_terminated");
        }
        assertThat(front.count(GatewayError.SERVER_BROKE)).isEqualTo(1);
    }

    @Test
    void membersLineIsGone_safeGoesToTheMirror_aloneItIs503() throws Exception {
        two.ok("/a", "", "mirror");
        try (Cluster hasty = new Cluster(Duration.ofMillis(300))) {
            Member asks = hasty.member("front");
            Member gone = hasty.member("web1");
            hasty.serves(gone, "test.example/", one.port(), 1000);
            gone.front.close();
            try (RawClient client = client(asks)) {
                RawClient.Answer alone = client.get("/a");
                assertThat(alone.status()).isEqualTo(503);
                assertThat(alone.field("proxy-status"))
                        .contains(
                                "error=destination_unavailable", "next-hop=\"web1\"", "line-down");
                hasty.serves(hasty.member("web2"), "test.example/", two.port(), 1);
                // On a busy machine the first connection may take longer than this short patience.
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> client.get("/a").body().equals("mirror"));
            }
        }
    }

    @Test
    void draining_getsNothingNew_movedServerIsFollowed() throws Exception {
        cluster.serves(web1, "test.example/", one.port());
        cluster.serves(web2, "test.example/", two.port());
        one.ok("/a", "", "one");
        two.ok("/a", "", "two");
        try (RawClient client = client(front)) {
            cluster.drain(web1, true);
            for (int i = 0; i < 20; i++) {
                assertThat(client.get("/a").body()).isEqualTo("two");
            }
            cluster.drain(web1, false);
            cluster.servesNoMore(web2, "test.example/");
            for (int i = 0; i < 20; i++) {
                assertThat(client.get("/a").body()).isEqualTo("one");
            }
        }
    }

    @Test
    void requestAtAPeerThatNoLongerServesIt_isForwardedToTheServingMember() throws Exception {
        cluster.serves(web2, "test.example/", two.port());
        two.ok("/a", "", "moved");
        // The client's Via already names front; web1 receives the request as if by front's older
        // table.
        try (RawClient client = client(web1)) {
            assertThat(client.get("/a", "Via: 1.1 front.test.organizer").body()).isEqualTo("moved");
        }
        assertThat(web2.count(Kind.PEER_REQUESTS)).isEqualTo(1);
    }

    @Test
    void requestWasHereAlready_refusedAsLoop() throws Exception {
        cluster.serves(front, "test.example/", one.port());
        try (RawClient client = client(front)) {
            RawClient.Answer loop = client.get("/a", "Via: 1.1 front.test.organizer");
            assertThat(loop.status()).isEqualTo(502);
            assertThat(loop.field("proxy-status")).contains("error=proxy_loop_detected");
        }
        assertThat(one.requests).isEmpty();
        assertThat(front.count(GatewayError.LOOP)).isEqualTo(1);
    }

    @Test
    void largeBodies_bothWays_byteExact() throws Exception {
        byte[] up = new byte[3 << 20];
        byte[] down = new byte[9 << 20];
        new Random(7).nextBytes(up);
        new Random(8).nextBytes(down);
        String sent = new String(up, StandardCharsets.ISO_8859_1);
        String chunk = new String(down, StandardCharsets.ISO_8859_1);
        cluster.serves(web1, "test.example/", one.port());
        one.ok("/length", "", chunk);
        one.on("/chunks", (request, socket, out) -> {
            out.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n"
                    .getBytes());
            for (int at = 0; at < down.length; at += 100_000) {
                int count = Math.min(100_000, down.length - at);
                out.write((Integer.toHexString(count) + "\r\n").getBytes());
                out.write(down, at, count);
                out.write("\r\n".getBytes());
            }
            out.write("0\r\nX-Sum: 8\r\n\r\n".getBytes());
            return true;
        });
        try (RawClient client = client(front)) {
            CompletableFuture<Void> writes = send(
                    client,
                    "POST /length HTTP/1.1\r\nHost: test.example\r\nContent-Length: " + up.length
                            + "\r\n\r\n" + sent);
            assertThat(client.read(false).body()).isEqualTo(chunk);
            writes.get(60, TimeUnit.SECONDS);
            writes = send(
                    client,
                    "PUT /chunks HTTP/1.1\r\nHost: test.example\r\nTransfer-Encoding: chunked\r\n\r\n"
                            + Integer.toHexString(up.length) + "\r\n" + sent
                            + "\r\n0\r\nX-Up: 7\r\n\r\n");
            assertThat(client.read(false).body()).isEqualTo(chunk);
            assertThat(client.trailers).containsExactly("x-sum: 8");
            writes.get(60, TimeUnit.SECONDS);
        }
        assertThat(one.requests).hasSize(2).allMatch(request -> request.body().equals(sent));
        assertThat(one.trailers).containsExactly("x-up: 7");
    }

    private static CompletableFuture<Void> send(RawClient client, String bytes) {
        return CompletableFuture.runAsync(
                () -> {
                    try {
                        client.send(bytes);
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                },
                THREADS);
    }

    @Test
    void clientThatReadsNothing_stallsOnlyItself() throws Exception {
        cluster.serves(web1, "test.example/", one.port());
        CountDownLatch stalled = new CountDownLatch(1);
        byte[] part = new byte[1 << 20];
        one.on("/endless", (request, socket, out) -> {
            out.write("HTTP/1.1 200 OK\r\nContent-Length: 1099511627776\r\n\r\n".getBytes());
            // More than all buffers on the path hold is never written completely.
            for (int i = 0; i < 64; i++) {
                out.write(part);
                stalled.countDown();
            }
            throw new IllegalStateException("nothing holds it back");
        });
        one.ok("/a", "", "quick");
        try (Socket slow =
                        new Socket(front.address().getAddress(), front.address().getPort());
                RawClient client = client(front)) {
            slow.setReceiveBufferSize(4096);
            slow.getOutputStream()
                    .write("GET /endless HTTP/1.1\r\nHost: test.example\r\n\r\n".getBytes());
            assertThat(stalled.await(60, TimeUnit.SECONDS)).isTrue();
            for (int i = 0; i < 50; i++) {
                assertThat(client.get("/a").body()).isEqualTo("quick");
            }
        }
        await().atMost(Duration.ofSeconds(60)).until(() -> front.count(Kind.GIVEN_UP) == 1);
    }

    @Test
    void serverBreaksOffInTheMiddle_clientSeesNoWholeAnswer() throws Exception {
        cluster.serves(web1, "test.example/", one.port());
        one.on("/half", (request, socket, out) -> {
            out.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf".getBytes());
            return false;
        });
        try (Socket client =
                new Socket(front.address().getAddress(), front.address().getPort())) {
            client.setSoTimeout(60_000);
            client.getOutputStream()
                    .write("GET /half HTTP/1.1\r\nHost: test.example\r\n\r\n".getBytes());
            String heard = "";
            try {
                InputStream in = client.getInputStream();
                for (int b = in.read(); b >= 0; b = in.read()) {
                    heard += (char) b;
                }
            } catch (SocketTimeoutException e) {
                throw e;
            } catch (java.io.IOException reset) {
                heard += "<reset>";
            }
            assertThat(heard).endsWith("<reset>").doesNotContain("\r\n0\r\n");
        }
        assertThat(front.count(Kind.BROKEN)).isEqualTo(1);
    }

    @Test
    void expectContinue_isTheServersToSay() throws Exception {
        cluster.serves(web1, "test.example/", one.port());
        try (ServerSocket listening = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                RawClient client = client(front)) {
            cluster.serves(web1, "test.example/", listening.getLocalPort());
            client.send(
                    "POST /e HTTP/1.1\r\nHost: test.example\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
            try (Socket server = listening.accept()) {
                head(server.getInputStream());
                server.getOutputStream().write("HTTP/1.1 100 Continue\r\n\r\n".getBytes());
                assertThat(client.read(false).status()).isEqualTo(100);
                client.send("hi");
                assertThat(server.getInputStream().readNBytes(2)).asString().isEqualTo("hi");
                server.getOutputStream()
                        .write("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n".getBytes());
                assertThat(client.read(false).status()).isEqualTo(201);
            }
        }
    }

    private static String head(InputStream in) throws Exception {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int b = in.read();
            if (b < 0) {
                throw new java.io.EOFException(head.toString());
            }
            head.append((char) b);
        }
        return head.toString();
    }

    /** Returns the received bytes, and the end after the end. */
    private static void echo(Socket socket) throws Exception {
        InputStream in = socket.getInputStream();
        OutputStream out = socket.getOutputStream();
        in.transferTo(out);
        socket.shutdownOutput();
    }

    @Test
    void connect_echoesThroughTheLine_halfCloseIncluded() throws Exception {
        byte[] said = new byte[2 << 20];
        new Random(9).nextBytes(said);
        for (Member door : new Member[] {front, web1}) {
            try (ServerSocket service = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                    Socket client = new Socket(
                            door.address().getAddress(), door.address().getPort())) {
                client.setSoTimeout(60_000);
                cluster.serves(web1, "db.example:5432/", service.getLocalPort());
                CompletableFuture<Void> serves = CompletableFuture.runAsync(
                        () -> {
                            try (Socket socket = service.accept()) {
                                echo(socket);
                            } catch (Exception e) {
                                throw new IllegalStateException(e);
                            }
                        },
                        THREADS);
                client.getOutputStream()
                        .write("CONNECT db.example:5432 HTTP/1.1\r\nHost: db.example\r\n\r\nearly"
                                .getBytes());
                InputStream in = client.getInputStream();
                assertThat(head(in)).startsWith("HTTP/1.1 200 ");
                CompletableFuture<Void> writes = CompletableFuture.runAsync(
                        () -> {
                            try {
                                client.getOutputStream().write(said);
                                client.shutdownOutput();
                            } catch (Exception e) {
                                throw new IllegalStateException(e);
                            }
                        },
                        THREADS);
                assertThat(new String(in.readNBytes(5))).isEqualTo("early");
                assertThat(in.readAllBytes()).isEqualTo(said);
                writes.get(60, TimeUnit.SECONDS);
                serves.get(60, TimeUnit.SECONDS);
            }
        }
        try (RawClient client = client(front)) {
            client.send(
                    "CONNECT elsewhere.example:22 HTTP/1.1\r\nHost: elsewhere.example:22\r\n\r\n");
            assertThat(client.read(false).status()).isEqualTo(404);
        }
    }

    /** Also for the own server: nothing was sent yet, independent of the tunnel's first bytes. */
    @Test
    void tunnelsServerRefuses_theMirrorTakesIt_earlyBytesIncluded() throws Exception {
        for (Member dead : new Member[] {web1, front}) {
            try (ServerSocket service = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                    Socket client = new Socket(
                            front.address().getAddress(), front.address().getPort())) {
                client.setSoTimeout(60_000);
                String name = "db" + dead.id + ".example:5432/";
                cluster.serves(dead, name, freePort(), 1000);
                cluster.serves(web2, name, service.getLocalPort(), 1);
                CompletableFuture<Void> serves = CompletableFuture.runAsync(
                        () -> {
                            try (Socket socket = service.accept()) {
                                echo(socket);
                            } catch (Exception e) {
                                throw new IllegalStateException(e);
                            }
                        },
                        THREADS);
                client.getOutputStream()
                        .write(("CONNECT db" + dead.id
                                        + ".example:5432 HTTP/1.1\r\nHost: db.example\r\n\r\nearly")
                                .getBytes());
                InputStream in = client.getInputStream();
                assertThat(head(in)).startsWith("HTTP/1.1 200 ");
                client.shutdownOutput();
                assertThat(in.readAllBytes()).asString().isEqualTo("early");
                serves.get(60, TimeUnit.SECONDS);
            }
        }
        assertThat(front.count(Kind.RETRIED)).isEqualTo(2);
    }

    @Test
    void tunnelsOnlyServerRefuses_clientIsToldByWhomAndWhy() throws Exception {
        cluster.serves(web1, "db.example:5432/", freePort());
        cluster.serves(web1, "test.example/", freePort());
        try (RawClient client = client(front)) {
            client.send("CONNECT db.example:5432 HTTP/1.1\r\nHost: db.example\r\n\r\n");
            RawClient.Answer told = client.read(false);
            assertThat(told.status()).isEqualTo(502);
            assertThat(told.field("proxy-status"))
                    .contains(
                            "front.test.organizer; error=connection_refused",
                            "next-hop=\"web1\"",
                            "server-refused");
            assertThat(told.field("komainu-refusal")).isEmpty();
        }
        assertThat(front.count(GatewayError.SERVER_REFUSED)).isEqualTo(1);
        cluster.serves(web2, "test.example/", one.port());
        one.respond("/chat", "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
        try (RawClient client = client(front)) {
            // web1's server refuses the connection; web2's refuses the request, and that is a
            // response.
            client.send(
                    "GET /chat HTTP/1.1\r\nHost: test.example\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n");
            RawClient.Answer told = client.read(false);
            assertThat(told.status()).isEqualTo(403);
            assertThat(told.field("proxy-status")).isEmpty();
        }
    }

    @Test
    void webSocket_throughTheLine_handshakesAtBothEnds() throws Exception {
        String key = "dGhlIHNhbXBsZSBub25jZQ==";
        try (ServerSocket service = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                Socket client =
                        new Socket(front.address().getAddress(), front.address().getPort())) {
            client.setSoTimeout(60_000);
            cluster.serves(web1, "test.example/", service.getLocalPort());
            CompletableFuture<String> serves = CompletableFuture.supplyAsync(
                    () -> {
                        try (Socket socket = service.accept()) {
                            String head = head(socket.getInputStream());
                            String asked = head.lines()
                                    .filter(line -> line.startsWith("sec-websocket-key: "))
                                    .map(line -> line.substring(19))
                                    .findFirst()
                                    .orElseThrow();
                            socket.getOutputStream()
                                    .write(
                                            ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                                            + "Sec-WebSocket-Protocol: chat\r\nSec-WebSocket-Accept: "
                                                            + WebSocketHandshake.acceptance(asked)
                                                            + "\r\n\r\nhello")
                                                    .getBytes());
                            echo(socket);
                            return head;
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                    },
                    THREADS);
            client.getOutputStream()
                    .write(
                            ("GET /chat HTTP/1.1\r\nHost: test.example\r\nUpgrade: websocket\r\nConnection: keep-alive,"
                                            + " Upgrade\r\nSec-WebSocket-Key: " + key
                                            + "\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: chat\r\n\r\n")
                                    .getBytes());
            InputStream in = client.getInputStream();
            // The accept value is the example of RFC 6455.
            assertThat(head(in))
                    .startsWith("HTTP/1.1 101 ")
                    .contains(
                            "sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
                            "sec-websocket-protocol: chat");
            assertThat(new String(in.readNBytes(5))).isEqualTo("hello");
            client.getOutputStream().write("frames".getBytes());
            assertThat(new String(in.readNBytes(6))).isEqualTo("frames");
            client.shutdownOutput();
            assertThat(in.read()).isEqualTo(-1);
            assertThat(serves.get(60, TimeUnit.SECONDS))
                    .startsWith("GET /chat HTTP/1.1\r\n")
                    .contains("sec-websocket-version: 13")
                    .doesNotContain(key);
        }
    }

    @Test
    void requestsSentAtOnce_answeredInOrder() throws Exception {
        cluster.serves(web1, "test.example/", one.port());
        cluster.serves(web2, "test.example/two/", two.port());
        one.ok("/1", "", "first");
        two.ok("/two/2", "", "second");
        one.respond("/head", "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n");
        try (RawClient client = client(front)) {
            client.send(
                    "GET /1 HTTP/1.1\r\nHost: test.example\r\n\r\nGET /two/2 HTTP/1.1\r\nHost: test.example\r\n\r\n"
                            + "HEAD /head HTTP/1.1\r\nHost: test.example\r\n\r\n");
            assertThat(client.read(false).body()).isEqualTo("first");
            assertThat(client.read(false).body()).isEqualTo("second");
            assertThat(client.read(true).field("content-length")).isEqualTo("7");
        }
    }

    /** Two hosts are cut off at once: the request to one is not repeated with the other. */
    @Test
    void memberLeftWhileARequestIsUnderWay_itIsNotAskedForTheSecondTry() throws Exception {
        Member web3 = cluster.member("web3");
        cluster.serves(web1, "test.example/", one.port(), 1000);
        cluster.serves(web2, "test.example/", two.port(), 1000);
        one.on("/a", (request, socket, out) -> {
            cluster.servesNoMore(web2, "test.example/");
            return false;
        });
        two.on("/a", (request, socket, out) -> {
            cluster.servesNoMore(web1, "test.example/");
            return false;
        });
        try (ScriptedOrigin three = new ScriptedOrigin();
                RawClient client = client(front)) {
            cluster.serves(web3, "test.example/", three.port(), 1);
            three.ok("/a", "", "here");
            do {
                cluster.serves(web1, "test.example/", one.port(), 1000);
                cluster.serves(web2, "test.example/", two.port(), 1000);
                assertThat(client.get("/a").body()).isEqualTo("here");
            } while (one.requests.isEmpty() && two.requests.isEmpty());
            assertThat(one.requests.size() + two.requests.size()).isEqualTo(1);
        }
    }

    @Test
    void tableChangesWhileARequestIsUnderWay_itKeepsItsOwn() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch goes = new CountDownLatch(1);
        cluster.serves(web1, "test.example/", one.port());
        one.on("/a", (request, socket, out) -> {
            asked.countDown();
            goes.await();
            out.write("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nold".getBytes());
            return true;
        });
        two.ok("/a", "", "new");
        try (RawClient client = client(front)) {
            client.send("GET /a HTTP/1.1\r\nHost: test.example\r\n\r\n");
            assertThat(asked.await(60, TimeUnit.SECONDS)).isTrue();
            cluster.servesNoMore(web1, "test.example/");
            cluster.serves(web2, "test.example/", two.port());
            goes.countDown();
            assertThat(client.read(false).body()).isEqualTo("old");
            assertThat(client.get("/a").body()).isEqualTo("new");
        }
        assertThat(web1.servers.values().iterator().next().figures().inFlight()).isZero();
        assertThat(web1.servers.values().iterator().next().figures().served()).isEqualTo(1);
    }
}
