package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One client, one proxy, one origin: the responses, and the requests that the origin received. */
class ReverseProxyTest {

    private static final String FRESH = "Cache-Control: max-age=60\r\n";

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

    @Test
    void get_twice_secondIsHitWithAge() throws IOException {
        origin.ok("/a", FRESH, "hello");
        assertThat(client.get("/a").body()).isEqualTo("hello");
        proxy.passSeconds(7);
        RawClient.Answer second = client.get("/a");
        assertThat(second.body()).isEqualTo("hello");
        assertThat(second.field("Age")).isEqualTo("7");
        assertThat(second.field("Cache-Status")).isEqualTo("komainu; hit; ttl=53");
        assertThat(second.field("Via")).startsWith("1.1 komainu-");
        assertThat(origin.count("/a")).isEqualTo(1);
    }

    @Test
    void get_afterItsLifetime_isValidatedAndRefreshed() throws IOException {
        origin.on("/v", (request, socket, out) -> {
            out.write((request.field("If-None-Match").equals("\"one\"")
                            ? "HTTP/1.1 304 Not Modified\r\nCache-Control: max-age=30\r\nETag: \"one\"\r\nX-New: yes\r\n\r\n"
                            : "HTTP/1.1 200 OK\r\nCache-Control: max-age=10\r\nETag: \"one\"\r\nContent-Length: 4\r\n\r\nbody")
                    .getBytes());
            return true;
        });
        client.get("/v");
        proxy.passSeconds(11);
        RawClient.Answer validated = client.get("/v");
        assertThat(validated.status()).isEqualTo(200);
        assertThat(validated.body()).isEqualTo("body");
        assertThat(validated.field("X-New")).isEqualTo("yes");
        assertThat(validated.field("Cache-Control")).isEqualTo("max-age=30");
        proxy.passSeconds(20);
        assertThat(client.get("/v").field("Cache-Status")).startsWith("komainu; hit; ttl=");
        assertThat(origin.count("/v")).isEqualTo(2);
    }

    @Test
    void get_conditional_isAnswered304FromMemory() throws IOException {
        origin.ok("/c", FRESH + "ETag: \"x\"\r\nContent-Type: text/plain\r\n", "hello");
        assertThat(client.get("/c", "If-None-Match: \"x\"").status()).isEqualTo(304);
        RawClient.Answer again = client.get("/c", "If-None-Match: W/\"x\"");
        assertThat(again.status()).isEqualTo(304);
        assertThat(again.field("Content-Length")).isEmpty();
        assertThat(client.get("/c").body()).isEqualTo("hello");
        assertThat(origin.count("/c")).isEqualTo(1);
    }

    @Test
    void get_range_isCutFromTheWholeObject() throws IOException {
        origin.ok("/r", FRESH, "0123456789");
        client.get("/r");
        RawClient.Answer part = client.get("/r", "Range: bytes=2-4");
        assertThat(part.status()).isEqualTo(206);
        assertThat(part.body()).isEqualTo("234");
        assertThat(part.field("Content-Range")).isEqualTo("bytes 2-4/10");
        assertThat(client.get("/r", "Range: bytes=-3").body()).isEqualTo("789");
        assertThat(client.get("/r", "Range: bytes=50-").status()).isEqualTo(416);
        assertThat(client.get("/r", "Range: bytes=0-1,3-4").body()).isEqualTo("01234");
        assertThat(origin.count("/r")).isEqualTo(1);
    }

    @Test
    void head_ofAStoredObject_hasItsLengthAndNoBody() throws IOException {
        origin.ok("/h", FRESH, "hello");
        client.get("/h");
        RawClient.Answer head = client.request("HEAD", "/h");
        assertThat(head.field("Content-Length")).isEqualTo("5");
        assertThat(client.get("/h").body()).isEqualTo("hello");
        assertThat(origin.count("/h")).isEqualTo(1);
    }

    @Test
    void get_withVary_keepsVariantsApart() throws IOException {
        origin.on("/l", (request, socket, out) -> {
            String body = request.field("Accept-Language");
            out.write(("HTTP/1.1 200 OK\r\n" + FRESH + "Vary: Accept-Language\r\nContent-Length: "
                            + body.length() + "\r\n\r\n" + body)
                    .getBytes());
            return true;
        });
        assertThat(client.get("/l", "Accept-Language: ja").body()).isEqualTo("ja");
        assertThat(client.get("/l", "Accept-Language: en").body()).isEqualTo("en");
        assertThat(client.get("/l", "Accept-Language: ja").body()).isEqualTo("ja");
        assertThat(client.get("/l", "Accept-Language: en").body()).isEqualTo("en");
        assertThat(origin.count("/l")).isEqualTo(2);
    }

    @Test
    void get_unstorable_alwaysReachesTheOrigin() throws IOException {
        origin.ok("/private", "Cache-Control: private, max-age=60\r\n", "p");
        origin.ok("/no-store", "Cache-Control: no-store\r\n", "n");
        for (String path : new String[] {"/private", "/no-store"}) {
            client.get(path);
            client.get(path);
            assertThat(origin.count(path)).as(path).isEqualTo(2);
        }
        origin.ok("/auth", FRESH, "a");
        client.get("/auth", "Authorization: Basic eDp5");
        client.get("/auth");
        assertThat(origin.count("/auth")).isEqualTo(2);
    }

    @Test
    void get_chunked_isStoredWithItsLength() throws IOException {
        origin.respond(
                "/ch",
                "HTTP/1.1 200 OK\r\n" + FRESH
                        + "Transfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n6\r\n world\r\n0\r\nX: t\r\n\r\n");
        RawClient.Answer first = client.get("/ch");
        assertThat(first.body()).isEqualTo("hello world");
        RawClient.Answer second = client.get("/ch");
        assertThat(second.body()).isEqualTo("hello world");
        assertThat(second.field("Content-Length")).isEqualTo("11");
        assertThat(origin.count("/ch")).isEqualTo(1);
    }

    @Test
    void get_untilClose_isServedTo10And11() throws IOException {
        origin.on("/uc", (request, socket, out) -> {
            out.write("HTTP/1.0 200 OK\r\nCache-Control: no-store\r\n\r\nuntil close".getBytes());
            return false;
        });
        assertThat(client.get("/uc").body()).isEqualTo("until close");
        client.send("GET /uc HTTP/1.0\r\n\r\n");
        RawClient.Answer old = client.read(false);
        assertThat(old.field("Transfer-Encoding")).isEmpty();
        assertThat(old.body()).isEqualTo("until close");
    }

    @Test
    void pipelined_requestsAreAnsweredInOrder() throws IOException {
        origin.ok("/slow", FRESH, "slow");
        origin.ok("/fast", FRESH, "fast");
        client.get("/fast");
        client.send(
                "GET /slow HTTP/1.1\r\nHost: test.example\r\n\r\nGET /fast HTTP/1.1\r\nHost: test.example\r\n\r\n"
                        + "HEAD /fast HTTP/1.1\r\nHost: test.example\r\n\r\nGET /slow HTTP/1.1\r\nHost: test.example\r\n\r\n");
        assertThat(client.read(false).body()).isEqualTo("slow");
        assertThat(client.read(false).body()).isEqualTo("fast");
        assertThat(client.read(true).field("Content-Length")).isEqualTo("4");
        assertThat(client.read(false).body()).isEqualTo("slow");
    }

    @Test
    void upload_reachesTheOriginAndInvalidates() throws IOException {
        origin.ok("/u", FRESH, "before");
        client.get("/u");
        client.send("POST /u HTTP/1.1\r\nHost: test.example\r\nContent-Length: 5\r\n\r\nhel");
        client.send("lo");
        assertThat(client.read(false).status()).isEqualTo(200);
        assertThat(origin.requests.getLast().body()).isEqualTo("hello");
        client.send(
                "PUT /u HTTP/1.1\r\nHost: test.example\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
        assertThat(client.read(false).status()).isEqualTo(200);
        assertThat(origin.requests.getLast().body()).isEqualTo("abc");
        client.get("/u");
        assertThat(origin.count("/u")).isEqualTo(4);
    }

    @Test
    void upload_malformedMidway_isRefusedAndNeverCompleted() throws IOException {
        origin.ok("/mal", "", "x");
        client.send(
                "POST /mal HTTP/1.1\r\nHost: test.example\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
        Awaitility.await().until(() -> origin.count("/mal") == 1);
        client.send("zz\r\n");
        assertThat(client.read(false).status()).isEqualTo(400);
        assertThat(client.closedByPeer()).isTrue();
        Awaitility.await().until(() -> !origin.requests.isEmpty());
        assertThat(origin.requests.getLast().bodyComplete()).isFalse();
    }

    @Test
    void request_malformed_isRefusedAndClosed() throws IOException {
        client.send(
                "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /x");
        assertThat(client.read(false).status()).isEqualTo(400);
        assertThat(client.closedByPeer()).isTrue();
        assertThat(origin.requests).isEmpty();
    }

    @Test
    void head_thatNeverEnds_isCut() throws IOException {
        try (ProxyFixture hasty = new ProxyFixture(
                        "origin", origin.url(), "connections.head-timeout", "300ms");
                RawClient slow = hasty.client()) {
            slow.send("GET / HTTP/1.1\r\nHost: a\r\nX");
            assertThat(slow.closedByPeer()).isTrue();
        }
    }

    @Test
    void connections_beyondTheLimit_areClosedAndCounted() throws IOException {
        origin.ok("/a", FRESH, "a");
        try (ProxyFixture narrow = new ProxyFixture(
                        "origin",
                        origin.url(),
                        "connections.max",
                        "2",
                        "connections.reclaim",
                        "off");
                RawClient one = narrow.client();
                RawClient two = narrow.client()) {
            assertThat(one.get("/a").status()).isEqualTo(200);
            assertThat(two.get("/a").status()).isEqualTo(200);
            try (RawClient three = narrow.client()) {
                assertThat(three.read(false).status()).isEqualTo(503);
            }
            Awaitility.await().until(() -> narrow.proxy.figures().clients().refused() == 1);
        }
    }

    @Test
    void drain_finishesWhatIsUnderWay() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        origin.on("/dr", (request, socket, out) -> {
            asked.countDown();
            go.await();
            out.write(("HTTP/1.1 200 OK\r\n" + FRESH + "Content-Length: 4\r\n\r\ndone").getBytes());
            return true;
        });
        ProxyFixture leaving = new ProxyFixture("origin", origin.url());
        RawClient waiting = leaving.client();
        waiting.send("GET /dr HTTP/1.1\r\nHost: test.example\r\n\r\n");
        asked.await();
        Thread drain = Thread.ofVirtual().start(() -> {
            try {
                leaving.proxy.drain();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        Awaitility.await().ignoreExceptions().until(() -> {
            try (RawClient late = leaving.client()) {
                return late.closedByPeer();
            } catch (java.net.ConnectException refused) {
                return true;
            }
        });
        go.countDown();
        RawClient.Answer answer = waiting.read(false);
        assertThat(answer.body()).isEqualTo("done");
        assertThat(waiting.closedByPeer()).isTrue();
        drain.join();
        leaving.close();
    }

    @Test
    void upload_expecting100_isRequestedByTheOrigin() throws IOException {
        origin.on("/e", (request, socket, out) -> {
            out.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".getBytes());
            return true;
        });
        // The raw origin reads the body before its script runs, so the interim response is not
        // sent: the client continues alone.
        client.send(
                "POST /e HTTP/1.1\r\nHost: test.example\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
        client.send("hi");
        assertThat(client.read(false).body()).isEqualTo("ok");
        assertThat(origin.requests.getLast().field("Expect")).isEqualTo("100-continue");
    }

    @Test
    void upload_brokenOff_neverLooksCompleteToTheOrigin() throws Exception {
        CountDownLatch arrived = new CountDownLatch(1);
        origin.on("/b", (request, socket, out) -> {
            arrived.countDown();
            return false;
        });
        client.send(
                "POST /b HTTP/1.1\r\nHost: test.example\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
        Awaitility.await().until(() -> origin.count("/b") == 1);
        client.socket().close();
        arrived.await();
        assertThat(origin.requests.getLast().bodyComplete()).isFalse();
    }

    @Test
    void origin_diesMidBody_clientSeesTheBreakAndNothingIsStored() throws IOException {
        origin.on("/d", (request, socket, out) -> {
            out.write(
                    ("HTTP/1.1 200 OK\r\n" + FRESH + "Content-Length: 100\r\n\r\nhalf").getBytes());
            return false;
        });
        for (int i = 1; i <= 2; i++) {
            try (RawClient one = proxy.client()) {
                assertThatThrownBy(() -> one.get("/d"))
                        .isInstanceOfAny(EOFException.class, SocketException.class);
            }
            assertThat(origin.count("/d")).isEqualTo(i);
        }
        origin.on("/dc", (request, socket, out) -> {
            out.write(("HTTP/1.1 200 OK\r\n" + FRESH
                            + "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n")
                    .getBytes());
            return false;
        });
        for (int i = 1; i <= 2; i++) {
            try (RawClient one = proxy.client()) {
                assertThatThrownBy(() -> one.get("/dc"))
                        .isInstanceOfAny(EOFException.class, SocketException.class);
            }
            assertThat(origin.count("/dc")).isEqualTo(i);
        }
    }

    @Test
    void origin_saysMoreThanItAnnounced_isNotStored() throws IOException {
        origin.respond("/m", "HTTP/1.1 200 OK\r\n" + FRESH + "Content-Length: 2\r\n\r\nokay");
        for (int i = 1; i <= 2; i++) {
            try (RawClient one = proxy.client()) {
                one.get("/m");
            } catch (EOFException | SocketException seen) {
                // The reset may overtake the two bytes.
            }
            assertThat(origin.count("/m")).isEqualTo(i);
        }
    }

    @Test
    void origin_hangs_is504() throws IOException {
        origin.on("/hang", (request, socket, out) -> {
            socket.getInputStream().read();
            return false;
        });
        try (ProxyFixture hasty = new ProxyFixture(
                        "origin", origin.url(), "upstream.response-timeout", "300ms");
                RawClient other = hasty.client()) {
            assertThat(other.get("/hang").status()).isEqualTo(504);
        }
    }

    @Test
    void origin_answersAmbiguously_is502() throws IOException {
        origin.respond(
                "/x1",
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
        origin.respond(
                "/x2", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc");
        origin.respond("/x3", "HTTP/1.1 200 OK\nContent-Length: 2\n\nab");
        origin.respond("/x4", "garbage\r\n\r\n");
        for (String path : new String[] {"/x1", "/x2", "/x3", "/x4"}) {
            assertThat(client.get(path).status()).as(path).isEqualTo(502);
        }
    }

    @Test
    void origin_absent_is502() throws IOException {
        origin.close();
        RawClient.Answer answer = client.get("/gone");
        assertThat(answer.status()).isEqualTo(502);
        assertThat(answer.body()).contains("No connection to 127.0.0.1:" + origin.port());
    }

    @Test
    void origin_closedAParkedConnection_getIsTriedOnceMore() throws IOException {
        origin.on("/k", (request, socket, out) -> {
            out.write("HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nContent-Length: 1\r\n\r\nk"
                    .getBytes());
            out.flush();
            return false;
        });
        for (int i = 0; i < 5; i++) {
            assertThat(client.get("/k").body()).isEqualTo("k");
        }
    }

    @Test
    void fields_ofThisHop_areNotPassedOn() throws IOException {
        origin.ok(
                "/f",
                "Connection: X-Secret\r\nX-Secret: 1\r\nKeep-Alive: timeout=5\r\nX-Kept: 1\r\n"
                        + FRESH,
                "f");
        RawClient.Answer answer = client.get(
                "/f",
                "Connection: keep-alive, X-Mine",
                "X-Mine: 1",
                "Proxy-Connection: x",
                "TE: trailers",
                "X-Forwarded-Host: evil",
                "X-Original-URL: /admin",
                "X-Yours: 1");
        assertThat(answer.head())
                .doesNotContain("X-Secret")
                .doesNotContain("Keep-Alive")
                .contains("X-Kept");
        String asked = origin.requests.getLast().head();
        assertThat(asked)
                .contains("X-Yours: 1")
                .contains("Host: test.example")
                .contains("Via: 1.1 komainu-")
                .doesNotContain("X-Mine")
                .doesNotContain("Connection")
                .doesNotContain("TE:")
                .doesNotContain("evil")
                .doesNotContain("X-Original-URL");
    }

    @Test
    void via_withOwnName_isALoop() throws IOException {
        String name = client.get("/any").field("Via").split(" ")[1];
        assertThat(client.get("/any", "Via: 1.1 " + name).status()).isEqualTo(508);
    }

    @Test
    void directives_ofTheClient_areHonoured() throws IOException {
        origin.ok("/q", FRESH, "q");
        assertThat(client.get("/q", "Cache-Control: only-if-cached").status()).isEqualTo(504);
        client.get("/q");
        assertThat(client.get("/q", "Cache-Control: only-if-cached").status()).isEqualTo(200);
        assertThat(origin.count("/q")).isEqualTo(1);
        client.get("/q", "Cache-Control: no-cache");
        client.get("/q", "Pragma: no-cache");
        client.get("/q", "Cache-Control: no-store");
        assertThat(origin.count("/q")).isEqualTo(4);
        proxy.passSeconds(20);
        client.get("/q", "Cache-Control: max-age=10");
        assertThat(origin.count("/q")).isEqualTo(5);
    }

    @Test
    void absoluteForm_overridesHost_andIsTheSameObject() throws IOException {
        origin.ok("/abs", FRESH, "abs");
        client.send("GET http://TEST.example:80/abs HTTP/1.1\r\nHost: other.example\r\n\r\n");
        assertThat(client.read(false).body()).isEqualTo("abs");
        assertThat(client.get("/abs").field("Cache-Status")).contains("hit");
    }

    @Test
    void purge_dropsTheObject() throws IOException {
        origin.ok("/p", FRESH, "p");
        client.get("/p");
        assertThat(client.request("PURGE", "/p").status()).isEqualTo(200);
        assertThat(client.request("PURGE", "/p").status()).isEqualTo(404);
        client.get("/p");
        assertThat(origin.count("/p")).isEqualTo(2);
    }

    @Test
    void largeObject_beyondTheShare_passesThrough() throws IOException {
        String big = "x".repeat(20_000_000);
        origin.ok("/big", FRESH, big);
        assertThat(client.get("/big").body()).hasSize(big.length());
        assertThat(proxy.proxy.figures().cache().cacheObjects()).isLessThanOrEqualTo(1);
        origin.on("/bigc", (request, socket, out) -> {
            out.write(("HTTP/1.1 200 OK\r\n" + FRESH + "Transfer-Encoding: chunked\r\n\r\n")
                    .getBytes());
            for (int i = 0; i < 20; i++) {
                out.write("f4240\r\n".getBytes());
                out.write(big.substring(0, 1_000_000).getBytes(StandardCharsets.ISO_8859_1));
                out.write("\r\n".getBytes());
            }
            out.write("0\r\n\r\n".getBytes());
            return true;
        });
        assertThat(client.get("/bigc").body()).hasSize(big.length());
        assertThat(client.get("/bigc").body()).hasSize(big.length());
        assertThat(origin.count("/bigc")).isEqualTo(2);
    }

    @Test
    void halfClosedClient_stillGetsItsAnswer() throws IOException {
        origin.ok("/hc", FRESH, "half closed");
        client.send("GET /hc HTTP/1.1\r\nHost: test.example\r\n\r\n");
        client.socket().shutdownOutput();
        assertThat(client.read(false).body()).isEqualTo("half closed");
        assertThat(client.closedByPeer()).isTrue();
    }
}
