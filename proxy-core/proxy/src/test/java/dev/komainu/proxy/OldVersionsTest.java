package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * HTTP/1.0 on either side (RFC 9110 section 2.5, RFC 9112 sections 9.3 and 6.1), and the forwarding
 * of Expect.
 */
class OldVersionsTest {

    private static final String STORED = "Cache-Control: max-age=60\r\n";

    private ScriptedOrigin origin;
    private ProxyFixture proxy;
    private RawClient client;

    @BeforeEach
    void setUp() throws IOException {
        origin = new ScriptedOrigin();
        proxy = new ProxyFixture("origin", origin.url());
        client = proxy.client();
    }

    @AfterEach
    void tearDown() throws IOException {
        client.close();
        proxy.close();
        origin.close();
    }

    /**
     * RFC 9110 section 7.6.3: Via names the version in which the message was received, the start
     * line the version in which it is sent.
     */
    @Test
    void origin10_isNamedInVia() throws IOException {
        origin.respond(
                "/old",
                "HTTP/1.0 200 OK\r\n" + STORED + "ETag: \"o\"\r\nContent-Length: 3\r\n\r\nold");
        origin.respond(
                "/passed",
                "HTTP/1.0 200 OK\r\nCache-Control: no-store\r\nContent-Length: 3\r\n\r\nold");
        origin.ok("/new", STORED, "new");
        for (int i = 0; i < 2; i++) {
            for (String path : new String[] {"/old", "/passed"}) {
                try (RawClient one = proxy.client()) {
                    RawClient.Answer answer = one.get(path);
                    assertThat(answer.head()).startsWith("HTTP/1.1 200 OK\r\n");
                    assertThat(answer.field("Via")).startsWith("1.0 komainu-");
                }
            }
        }
        assertThat(client.get("/old", "Range: bytes=0-1").head())
                .startsWith("HTTP/1.1 206 Partial Content\r\n")
                .contains("\r\nVia: 1.0 komainu-");
        assertThat(client.get("/old", "If-None-Match: \"o\"").head())
                .startsWith("HTTP/1.1 304 Not Modified\r\n")
                .contains("\r\nVia: 1.0 komainu-");
        assertThat(client.get("/new").field("Via")).startsWith("1.1 komainu-");
    }

    /**
     * The framings for an HTTP/1.0 client: never chunks; its connection stays only when it
     * requested that and the framing permits it.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "length  | -                      | -          | closed",
                "length  | Connection: keep-alive | keep-alive | kept",
                "chunked | -                      | -          | closed",
                "chunked | Connection: keep-alive | -          | closed",
                "close   | -                      | -          | closed",
                "close   | Connection: keep-alive | -          | closed"
            })
    void client10_ofAnAnswerThatIsNotStored(String framing, String asked, String said, String then)
            throws IOException {
        origin.on("/x", (request, socket, out) -> {
            String head = "HTTP/1.1 200 OK\r\nCache-Control: no-store\r\n";
            String answer = switch (framing) {
                case "length" -> head + "Content-Length: 2\r\n\r\nhi";
                case "chunked" -> head + "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n";
                default -> head + "Connection: close\r\n\r\nhi";
            };
            out.write(answer.getBytes(StandardCharsets.ISO_8859_1));
            return !framing.equals("close");
        });
        client.send("GET /x HTTP/1.0\r\nHost: test.example\r\n"
                + (asked == null ? "" : asked + "\r\n") + "\r\n");
        RawClient.Answer answer = client.read(false);
        assertThat(answer.body()).isEqualTo("hi");
        assertThat(answer.head()).startsWith("HTTP/1.1 200").doesNotContain("Transfer-Encoding");
        assertThat(answer.field("Connection")).isEqualTo(said == null ? "close" : said);
        if (then.equals("kept")) {
            assertThat(client.get("/x").body()).isEqualTo("hi");
        } else {
            assertThat(client.closedByPeer()).isTrue();
        }
        assertThat(origin.requests.getLast().head()).contains(" HTTP/1.1\r\n");
    }

    @Test
    void client10_withoutHost_isServedFromTheSameObject() throws IOException {
        origin.ok("/x", STORED, "same");
        client.send("GET /x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
        assertThat(client.read(false).body()).isEqualTo("same");
        client.send("GET /x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
        assertThat(client.read(false).field("Cache-Status")).startsWith("komainu; hit");
        assertThat(origin.requests.getLast().field("Via")).startsWith("1.0 komainu-");
    }

    /** The reuse of a connection to an HTTP/1.0 origin, and the storing of its responses. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1.0 | Content-Length: 2                               | 2",
                "1.0 | Connection: keep-alive ~ Content-Length: 2      | 1",
                "1.0 | X: y                                            | 2",
                "1.0 | Connection: keep-alive                          | 2",
                "1.1 | Content-Length: 2                               | 1",
                "1.1 | Connection: close ~ Content-Length: 2           | 2"
            })
    void origin10_isKeptOnlyWhenItSaysSo(String version, String fields, int connections)
            throws IOException {
        Set<Socket> sockets = ConcurrentHashMap.newKeySet();
        for (String path : new String[] {"/a", "/b"}) {
            origin.on(path, (request, socket, out) -> {
                sockets.add(socket);
                out.write(("HTTP/" + version + " 200 OK\r\n" + STORED
                                + fields.replace(" ~ ", "\r\n") + "\r\n\r\nhi")
                        .getBytes(StandardCharsets.ISO_8859_1));
                out.flush();
                return fields.contains("Content-Length") && !fields.contains("close");
            });
        }
        assertThat(client.get("/a").body()).isEqualTo("hi");
        assertThat(client.get("/b").body()).isEqualTo("hi");
        assertThat(sockets).hasSize(connections);
        RawClient.Answer hit = client.get("/a");
        assertThat(hit.field("Cache-Status")).startsWith("komainu; hit");
        assertThat(hit.field("Content-Length")).isEqualTo("2");
        assertThat(hit.head()).startsWith("HTTP/1.1 200");
    }

    /**
     * The forwarding of Expect to the origin, and of 100 to the client (RFC 9110 section 10.1.1).
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "POST | 1.1 | Content-Length: 2 | yes | yes",
                "PUT  | 1.1 | Content-Length: 2 | yes | yes",
                "POST | 1.0 | Content-Length: 2 | no  | no",
                "GET  | 1.1 | X: y              | no  | no",
                "POST | 1.1 | Content-Length: 0 | no  | no"
            })
    void expect_isForBodiesOnly(
            String method, String version, String field, String toOrigin, String toClient)
            throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ProxyFixture waiting =
                        new ProxyFixture("origin", "http://127.0.0.1:" + listener.getLocalPort());
                RawClient asking = waiting.client()) {
            CompletableFuture<String> heard = new CompletableFuture<>();
            Thread.ofVirtual().start(() -> answer(listener, heard));
            asking.send(method + " /x HTTP/" + version
                    + "\r\nHost: test.example\r\nExpect: 100-continue\r\n" + field + "\r\n\r\n");
            boolean body = field.equals("Content-Length: 2");
            if (toClient.equals("yes")) {
                assertThat(asking.read(false).status()).isEqualTo(100);
            }
            if (body) {
                asking.send("hi");
            }
            assertThat(asking.read(false).status()).isEqualTo(204);
            assertThat(heard.get(10, TimeUnit.SECONDS).contains("Expect: 100-continue"))
                    .isEqualTo(toOrigin.equals("yes"));
        }
    }

    /** Sends 100 to every request at once, then reads its body, then responds. */
    private static void answer(ServerSocket listener, CompletableFuture<String> heard) {
        try (Socket socket = listener.accept()) {
            StringBuilder head = new StringBuilder();
            while (head.indexOf("\r\n\r\n") < 0) {
                int b = socket.getInputStream().read();
                if (b < 0) {
                    return;
                }
                head.append((char) b);
            }
            socket.getOutputStream()
                    .write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
            if (head.indexOf("Content-Length: 2") > 0) {
                socket.getInputStream().readNBytes(2);
            }
            socket.getOutputStream()
                    .write("HTTP/1.1 204 Done\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
            heard.complete(head.toString());
            socket.getInputStream().read();
        } catch (IOException gone) {
            heard.completeExceptionally(gone);
        }
    }

    @Test
    void expect_answeredWithoutLookingAtTheBody_endsTheConnection() throws IOException {
        origin.on("/x", (request, socket, out) -> false);
        client.send(
                "POST /x HTTP/1.1\r\nHost: test.example\r\nExpect: the-moon\r\nContent-Length: 2\r\n\r\n");
        assertThat(client.read(false).status()).isEqualTo(417);
        assertThat(client.closedByPeer()).isTrue();
        assertThat(origin.requests).isEmpty();
    }
}
