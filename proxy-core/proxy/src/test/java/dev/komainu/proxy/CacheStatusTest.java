package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.kit.RangedObject;
import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The Cache-Status field (RFC 9211), and the requests to origins, case by case. */
class CacheStatusTest {

    private final RangedObject object = new RangedObject();
    private ScriptedOrigin origin;
    private ProxyFixture proxy;
    private RawClient client;

    @BeforeEach
    void setUp() throws IOException {
        object.setContent("0123456789", "\"a\"");
        origin = new ScriptedOrigin().on("/x", (request, socket, out) -> {
            if (request.field("If-None-Match").equals("\"a\"")) {
                out.write("HTTP/1.1 304 Same\r\nCache-Control: max-age=60\r\nETag: \"a\"\r\n\r\n"
                        .getBytes());
                return true;
            }
            if (request.head().startsWith("HEAD")) {
                out.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n".getBytes());
                return true;
            }
            return object.answer(request, socket, out);
        });
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
     * An empty field stands for none; "stored" and "part" were requested before, "stale" is the
     * stored one 70 s later.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "-      | GET  | -                              | 200 | fwd=miss; stored",
                "-      | GET  | Range: bytes=0-3               | 206 | fwd=miss; stored",
                "-      | GET  | If-None-Match: \"a\"           | 304 | fwd=miss; fwd-status=200; stored",
                "-      | GET  | Cache-Control: no-store        | 200 | fwd=request",
                "-      | GET  | Cache-Control: no-cache        | 200 | fwd=miss; stored",
                "-      | HEAD | -                              | 200 | fwd=miss",
                "-      | POST | Content-Length: 0              | 200 | fwd=method",
                "-      | GET  | Cache-Control: only-if-cached  | 504 | detail=error",
                "stored | GET  | -                              | 200 | hit; ttl=60",
                "stored | HEAD | -                              | 200 | hit; ttl=60",
                "stored | GET  | Range: bytes=0-3               | 206 | hit; ttl=60",
                "stored | GET  | Range: bytes=10-               | 416 | hit; ttl=60",
                "stored | GET  | If-None-Match: \"a\"           | 304 | hit; ttl=60",
                "stored | GET  | Cache-Control: no-store        | 200 | fwd=request",
                "stored | GET  | Cache-Control: no-cache        | 200 | fwd=request; fwd-status=304",
                "stale  | GET  | -                              | 200 | fwd=stale; fwd-status=304",
                "stale  | GET  | Range: bytes=0-3               | 206 | fwd=stale; fwd-status=304",
                "stale  | GET  | Cache-Control: max-stale       | 200 | hit; ttl=-10",
                "stale  | HEAD | -                              | 200 | fwd=stale",
                "part   | GET  | Range: bytes=2-4               | 206 | hit; ttl=60",
                "part   | GET  | Range: bytes=2-8               | 206 | fwd=partial; stored",
                "part   | GET  | -                              | 200 | fwd=partial; fwd-status=206; stored",
                "part   | HEAD | -                              | 200 | hit; ttl=60",
                "part   | GET  | Range: bytes=10-               | 416 | hit; ttl=60"
            })
    void saysWhatWasDone(String before, String method, String field, int status, String said)
            throws IOException {
        if (before != null) {
            RawClient.Answer first =
                    before.equals("part") ? client.get("/x", "Range: bytes=0-5") : client.get("/x");
            assertThat(first.field("Cache-Status")).isEqualTo("komainu; fwd=miss; stored");
            proxy.passSeconds(before.equals("stale") ? 70 : 0);
        }
        RawClient.Answer answer =
                field == null ? client.request(method, "/x") : client.request(method, "/x", field);
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.field("Cache-Status")).isEqualTo("komainu; " + said);
    }

    @Test
    void aBodyThatMeansNothing_isBypassed() throws IOException {
        client.send("GET /x HTTP/1.1\r\nHost: test.example\r\nContent-Length: 2\r\n\r\nhi");
        assertThat(client.read(false).field("Cache-Status")).isEqualTo("komainu; fwd=bypass");
    }

    // Responses to POST (RFC 9110 section 9.3.3).

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1 | Cache-Control: max-age=60 | /p",
                "1 | Cache-Control: max-age=60 | http://test.example/p",
                "2 | Cache-Control: max-age=60 | /q",
                "2 | Cache-Control: max-age=60 | http://other.example/p",
                "2 | Last-Modified: Wed, 01 Jan 2020 00:00:00 GMT | /p",
                "2 | Cache-Control: no-store | /p",
                "2 | Cache-Control: private, max-age=60 | /p"
            })
    void post_thatIsWhatAGetWouldBring_isStored(int asked, String control, String location)
            throws IOException {
        origin.ok("/p", control + "\r\nContent-Location: " + location + "\r\n", "posted");
        RawClient.Answer posted =
                client.request("POST", "/p", "Content-Length: 0", "If-None-Match: *");
        assertThat(posted.status()).isEqualTo(200);
        assertThat(posted.body()).isEqualTo("posted");
        assertThat(posted.field("Cache-Status"))
                .isEqualTo("komainu; fwd=method" + (asked == 1 ? "; stored" : ""));
        assertThat(client.get("/p").body()).isEqualTo("posted");
        assertThat(origin.count("/p")).isEqualTo(asked);
        client.request("POST", "/p", "Content-Length: 0");
        assertThat(origin.count("/p")).isEqualTo(asked + 1);
    }

    @Test
    void post_replacesWhatWasStored() throws IOException {
        origin.ok("/p", "Cache-Control: max-age=60\r\n", "old");
        client.get("/p");
        origin.ok("/p", "Cache-Control: max-age=60\r\nContent-Location: /p\r\n", "new");
        client.request("POST", "/p", "Content-Length: 0");
        assertThat(client.get("/p").body()).isEqualTo("new");
        assertThat(origin.count("/p")).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({"PUT, Location", "POST, Content-Location", "DELETE, Location"})
    void change_dropsWhatItsAnswerNamesOnTheSameHost(String method, String field)
            throws IOException {
        origin.ok("/named", "Cache-Control: max-age=60\r\n", "n");
        origin.ok("/kept", "Cache-Control: max-age=60\r\n", "k");
        client.get("/named");
        client.get("/kept");
        origin.ok("/change", field + ": /named\r\n", "done");
        client.request(method, "/change", "Content-Length: 0");
        origin.ok("/change", field + ": http://other.example/kept\r\n", "done");
        client.request(method, "/change", "Content-Length: 0");
        client.get("/named");
        client.get("/kept");
        assertThat(origin.count("/named")).isEqualTo(2);
        assertThat(origin.count("/kept")).isEqualTo(1);
    }

    // Errors in place of which a stored response is served.

    @ParameterizedTest
    @CsvSource({"100, 1", "70000, 2"})
    void errorReplacedByWhatIsStored_keepsTheConnectionWhenShort(int length, int connections)
            throws IOException {
        java.util.Set<Object> sockets = java.util.concurrent.ConcurrentHashMap.newKeySet();
        java.util.concurrent.atomic.AtomicBoolean down =
                new java.util.concurrent.atomic.AtomicBoolean();
        origin.on("/e", (request, socket, out) -> {
            sockets.add(socket);
            String body = "e".repeat(down.get() ? length : 2);
            out.write(((down.get() ? "HTTP/1.1 503 Down\r\n" : "HTTP/1.1 200 OK\r\n")
                            + "Cache-Control: max-age=10, stale-if-error=1000\r\nContent-Length: "
                            + body.length()
                            + "\r\n\r\n" + body)
                    .getBytes());
            return true;
        });
        client.get("/e");
        down.set(true);
        proxy.passSeconds(20);
        RawClient.Answer stale = client.get("/e");
        assertThat(stale.body()).isEqualTo("ee");
        assertThat(stale.field("Cache-Status"))
                .isEqualTo("komainu; fwd=stale; fwd-status=503; detail=stale-if-error");
        down.set(false);
        org.awaitility.Awaitility.await()
                .until(() -> client.get("/e")
                        .field("Cache-Status")
                        .startsWith("komainu; fwd=stale; stored"));
        assertThat(sockets).hasSize(connections);
    }
}
