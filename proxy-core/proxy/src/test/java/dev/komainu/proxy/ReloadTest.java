package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.control.ConfigurationReload.Report;
import dev.komainu.intermediary.kit.Certified;
import dev.komainu.intermediary.kit.FrameClient;
import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedDns;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import javax.net.ssl.SSLSocket;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Reloads of the configuration: new values apply to the next request; exchanges in progress end
 * with the previous ones.
 */
class ReloadTest {

    private static final String UNSTORED = "Cache-Control: no-store\r\n";

    @TempDir
    Path directory;

    private ScriptedOrigin one;
    private ScriptedOrigin two;
    /**
     * The signals of {@code /held} at the first origin: a request has arrived, and its response may
     * be sent.
     */
    private CountDownLatch asked;

    private CountDownLatch answer;

    @BeforeEach
    void setUp() throws IOException {
        asked = new CountDownLatch(1);
        answer = new CountDownLatch(1);
        one = new ScriptedOrigin()
                .ok("/who", UNSTORED, "one")
                .on("/held", (request, socket, out) -> {
                    asked.countDown();
                    answer.await();
                    out.write(("HTTP/1.1 200 OK\r\n" + UNSTORED + "Content-Length: 3\r\n\r\none")
                            .getBytes());
                    return true;
                });
        two = new ScriptedOrigin().ok("/who", UNSTORED, "two").ok("/held", UNSTORED, "two");
    }

    @AfterEach
    void tearDown() throws IOException {
        answer.countDown();
        one.close();
        two.close();
    }

    private static void taken(Report report, String... keys) {
        assertThat(report.problems()).isEmpty();
        assertThat(report.applied()).containsExactlyInAnyOrder(keys);
        assertThat(report.needsRestart()).isEmpty();
    }

    private static RawClient begin(RawClient client, String path) throws IOException {
        return client.send("GET " + path + " HTTP/1.1\r\nHost: test.example\r\n\r\n");
    }

    // Routes and their servers.

    @Test
    void route_rulesTheNextRequestOfAnOpenConnection() throws Exception {
        try (ReloadableProxy proxy = new ReloadableProxy("origin", one.url(), "workers", "2");
                RawClient client = proxy.client();
                FrameClient http2 = proxy.http2()) {
            assertThat(client.get("/who").body()).isEqualTo("one");
            assertThat(http2.get("/who").body()).isEqualTo("one");
            taken(proxy.reload("origin", two.url()), "origin");
            assertThat(client.get("/who").body()).isEqualTo("two");
            assertThat(http2.get("/who").body()).isEqualTo("two");
        }
    }

    @Test
    void route_ofARequestUnderWay_isKeptToItsEnd() throws Exception {
        try (ReloadableProxy proxy = new ReloadableProxy("origin", one.url());
                RawClient early = proxy.client();
                RawClient late = proxy.client()) {
            begin(early, "/held");
            asked.await();
            taken(proxy.reload("origin", two.url()), "origin");
            // It does not delay a new request for the same object either.
            assertThat(late.get("/held").body()).isEqualTo("two");
            answer.countDown();
            assertThat(early.read(false).body()).isEqualTo("one");
            assertThat(early.get("/held").body()).isEqualTo("two");
        }
    }

    @Test
    void route_ofOneThatWaitedForAnother_isItsOwnFromTheBeginning() throws Exception {
        try (ReloadableProxy proxy = new ReloadableProxy("origin", one.url());
                RawClient leader = proxy.client();
                RawClient waiter = proxy.client();
                RawClient third = proxy.client()) {
            begin(leader, "/held");
            asked.await();
            // A pipelined request behind it is not served before it; that of another connection is:
            // by then the loop has read the
            // waiter's request, which arrived first.
            begin(waiter, "/held");
            third.get("/who");
            taken(proxy.reload("origin", two.url()), "origin");
            answer.countDown();
            assertThat(leader.read(false).body()).isEqualTo("one");
            assertThat(waiter.read(false).body()).isEqualTo("one");
            assertThat(two.count("/held")).isZero();
        }
    }

    @Test
    void server_thatNoRouteNames_losesAnIdleConnectionAtOnceAndABusyOneAfterItsAnswer()
            throws Exception {
        CountDownLatch busyAsked = new CountDownLatch(1);
        CountDownLatch idleClosed = new CountDownLatch(1);
        CountDownLatch busyClosed = new CountDownLatch(1);
        try (ServerSocket server = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
                ReloadableProxy proxy =
                        new ReloadableProxy("origin", "http://127.0.0.1:" + server.getLocalPort());
                RawClient busy = proxy.client();
                RawClient idle = proxy.client()) {
            begin(busy, "/busy");
            Socket first = server.accept();
            Thread.ofVirtual().start(() -> {
                serveOnce(first, busyAsked, answer);
                untilClosed(first, busyClosed);
            });
            busyAsked.await();
            begin(idle, "/idle");
            Socket second = server.accept();
            serveOnce(second, new CountDownLatch(1), new CountDownLatch(0));
            assertThat(idle.read(false).body()).isEqualTo("ok");
            Thread.ofVirtual().start(() -> untilClosed(second, idleClosed));

            taken(proxy.reload("origin", two.url()), "origin");
            idleClosed.await();
            assertThat(busyClosed.getCount()).isOne();
            answer.countDown();
            assertThat(busy.read(false).body()).isEqualTo("ok");
            busyClosed.await();
        }
    }

    private static void serveOnce(Socket socket, CountDownLatch asked, CountDownLatch answer) {
        try {
            int last4 = 0;
            while (last4 != 0x0d0a0d0a) {
                last4 = last4 << 8 | socket.getInputStream().read();
            }
            asked.countDown();
            answer.await();
            socket.getOutputStream()
                    .write(("HTTP/1.1 200 OK\r\n" + UNSTORED + "Content-Length: 2\r\n\r\nok")
                            .getBytes());
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void untilClosed(Socket socket, CountDownLatch closed) {
        try (socket) {
            if (socket.getInputStream().read() < 0) {
                closed.countDown();
            }
        } catch (IOException reset) {
            closed.countDown();
        }
    }

    @Test
    void server_thatIsNamedAgain_isCountedOn() throws Exception {
        try (ReloadableProxy proxy = new ReloadableProxy("origin", one.url());
                RawClient busy = proxy.client();
                RawClient client = proxy.client()) {
            begin(busy, "/held");
            asked.await();
            proxy.reload("origin", two.url());
            proxy.reload("origin", one.url());
            assertThat(client.get("/who").body()).isEqualTo("one");
            answer.countDown();
            assertThat(busy.read(false).body()).isEqualTo("one");
            Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(
                                    proxy.proxy.figures().origins().servers())
                            .singleElement()
                            .satisfies(figures -> {
                                assertThat(figures.requests()).isEqualTo(2);
                                assertThat(figures.open()).isBetween(1L, 2L);
                            }));
        }
    }

    @Test
    void checks_beginAndEnd() throws Exception {
        one.ok("/well", UNSTORED, "");
        try (ReloadableProxy proxy =
                new ReloadableProxy("origin", one.url(), "upstream.check.interval", "100ms")) {
            taken(proxy.reload("upstream.check.path", "/well"), "upstream.check.path");
            Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> one.count("/well") > 1);
            taken(proxy.reload("upstream.check.path", "/ill"), "upstream.check.path");
            Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> !proxy.proxy
                            .figures()
                            .origins()
                            .servers()
                            .getFirst()
                            .up());
            proxy.written.remove("upstream.check.path");
            taken(proxy.reload(), "upstream.check.path");
            Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .until(() ->
                            proxy.proxy.figures().origins().servers().getFirst().up());
        }
    }

    @Test
    void nameServers_areOthersForTheNextName() throws Exception {
        try (ScriptedDns first = new ScriptedDns();
                ScriptedDns second = new ScriptedDns().resolve("moved.example", 60, "127.0.0.1");
                ReloadableProxy proxy = new ReloadableProxy(
                        "origin",
                        "http://moved.example:" + one.port(),
                        "upstream.dns.servers",
                        "127.0.0.1:" + first.port());
                RawClient client = proxy.client()) {
            assertThat(client.get("/who").status()).isEqualTo(502);
            taken(
                    proxy.reload("upstream.dns.servers", "127.0.0.1:" + second.port()),
                    "upstream.dns.servers");
            assertThat(client.get("/who").body()).isEqualTo("one");
        }
    }

    // Who may.

    @Test
    void client_allowedNoLonger_isNotifiedWithItsNextResponseAndThenRefused() throws Exception {
        try (ReloadableProxy proxy = new ReloadableProxy(
                        "forward.enabled",
                        "true",
                        "forward.allow",
                        "127.0.0.0/8",
                        "forward.dial-allow",
                        "127.0.0.0/8");
                RawClient busy = proxy.client();
                RawClient idle = proxy.client();
                FrameClient http2 = proxy.http2()) {
            String there = "http://127.0.0.1:" + one.port();
            begin(busy, there + "/held");
            asked.await();
            idle.send("GET " + there + "/who HTTP/1.1\r\nHost: x\r\n\r\n");
            assertThat(idle.read(false).body()).isEqualTo("one");
            String authority = "127.0.0.1:" + one.port();
            int stream = http2.head(
                    FrameClient.END_STREAM,
                    FrameClient.block(
                            ":method",
                            "GET",
                            ":scheme",
                            "http",
                            ":authority",
                            authority,
                            ":path",
                            "/who"));
            assertThat(http2.answer(stream).body()).isEqualTo("one");

            taken(proxy.reload("forward.allow", "10.0.0.0/8"), "forward.allow");
            idle.send("GET " + there + "/who HTTP/1.1\r\nHost: x\r\n\r\n");
            RawClient.Answer refused = idle.read(false);
            assertThat(refused.status()).isEqualTo(403);
            assertThat(refused.field("Connection")).isEqualTo("close");
            assertThat(idle.closedByPeer()).isTrue();
            stream = http2.head(
                    FrameClient.END_STREAM,
                    FrameClient.block(
                            ":method",
                            "GET",
                            ":scheme",
                            "http",
                            ":authority",
                            authority,
                            ":path",
                            "/who"));
            assertThat(http2.answer(stream).status()).isEqualTo(403);
            assertThat(http2.untilClosed()).as("GOAWAY(NO_ERROR)").isZero();
            assertThat(http2.lastServed()).isEqualTo(stream);
            answer.countDown();
            RawClient.Answer last = busy.read(false);
            assertThat(last.body()).isEqualTo("one");
            assertThat(last.field("Connection")).isEqualTo("close");
            assertThat(busy.closedByPeer()).isTrue();
        }
    }

    @Test
    void dialling_isAllowedAndForbiddenAnew() throws Exception {
        try (ReloadableProxy proxy = new ReloadableProxy(
                        "forward.enabled", "true", "forward.allow", "127.0.0.0/8");
                RawClient client = proxy.client()) {
            String request =
                    "GET http://127.0.0.1:" + one.port() + "/who HTTP/1.1\r\nHost: x\r\n\r\n";
            assertThat(client.send(request).read(false).status()).isEqualTo(403);
            taken(proxy.reload("forward.dial-allow", "127.0.0.1"), "forward.dial-allow");
            assertThat(client.send(request).read(false).body()).isEqualTo("one");
        }
    }

    @Test
    void purgersAndManagers_areOthers() throws Exception {
        try (ReloadableProxy proxy = new ReloadableProxy(
                        "origin",
                        one.url(),
                        "purge.allow",
                        "127.0.0.1",
                        "manager.allow",
                        "127.0.0.1");
                RawClient client = proxy.client()) {
            assertThat(client.request("PURGE", "/who").status()).isEqualTo(404);
            assertThat(client.get("/squid-internal-mgr/info").status()).isEqualTo(200);
            taken(
                    proxy.reload("purge.allow", "10.0.0.1", "manager.allow", "10.0.0.1"),
                    "purge.allow",
                    "manager.allow");
            assertThat(client.request("PURGE", "/who").status()).isEqualTo(403);
            assertThat(client.get("/squid-internal-mgr/info").status()).isEqualTo(403);
        }
    }

    @Test
    void connectionsPerClient_limitsNewOnes_andOpenOnesStay() throws Exception {
        try (ReloadableProxy proxy = new ReloadableProxy("origin", one.url());
                RawClient first = proxy.client();
                RawClient second = proxy.client()) {
            assertThat(first.get("/who").status()).isEqualTo(200);
            assertThat(second.get("/who").status()).isEqualTo(200);
            taken(proxy.reload("connections.max-per-client", "2"), "connections.max-per-client");
            try (RawClient third = proxy.client()) {
                assertThat(third.read(false).status()).isEqualTo(503);
            }
            assertThat(first.get("/who").status()).isEqualTo(200);
            taken(proxy.reload("connections.max-per-client", "3"), "connections.max-per-client");
            try (RawClient third = proxy.client()) {
                assertThat(third.get("/who").status()).isEqualTo(200);
            }
        }
    }

    // Times.

    @Test
    void responseTimeout_boundsTheNextRequest_notTheOneUnderWay() throws Exception {
        try (ReloadableProxy proxy = new ReloadableProxy("origin", one.url());
                RawClient early = proxy.client();
                RawClient late = proxy.client()) {
            CountDownLatch never = new CountDownLatch(1);
            one.on("/hangs", (request, socket, out) -> {
                never.await();
                return false;
            });
            begin(early, "/held");
            asked.await();
            taken(proxy.reload("upstream.response-timeout", "50ms"), "upstream.response-timeout");
            // The later request's timeout passes twice before the earlier one gets its response.
            assertThat(late.get("/hangs").status()).isEqualTo(504);
            assertThat(late.get("/hangs").status()).isEqualTo(504);
            answer.countDown();
            assertThat(early.read(false).body()).isEqualTo("one");
            never.countDown();
        }
    }

    @Test
    void idleTimeout_closesConnectionsThatAreIdleAlready() throws Exception {
        try (ReloadableProxy proxy =
                        new ReloadableProxy("origin", one.url(), "connections.idle-timeout", "1h");
                RawClient idle = proxy.client();
                FrameClient http2 = proxy.http2()) {
            assertThat(idle.get("/who").status()).isEqualTo(200);
            assertThat(http2.get("/who").status()).isEqualTo(200);
            taken(proxy.reload("connections.idle-timeout", "100ms"), "connections.idle-timeout");
            assertThat(idle.closedByPeer()).isTrue();
            assertThat(http2.untilClosed()).isZero();
        }
    }

    @Test
    void headTimeout_boundsTheNextConnection() throws Exception {
        try (ReloadableProxy proxy =
                new ReloadableProxy("origin", one.url(), "connections.head-timeout", "5m")) {
            taken(proxy.reload("connections.head-timeout", "100ms"), "connections.head-timeout");
            try (RawClient slow = proxy.client()) {
                assertThat(slow.send("GET /who HT").closedByPeer()).isTrue();
            }
        }
    }

    @Test
    void handshakeTimeout_boundsTheNextConnection() throws Exception {
        Certified certified = Certified.make(directory, "EC", "-1d", "one.example");
        try (ReloadableProxy proxy = new ReloadableProxy(
                "origin",
                one.url(),
                "tls.listen",
                "127.0.0.1:0",
                "tls.certificates",
                certified.write(directory, "one"),
                "tls.handshake-timeout",
                "5m")) {
            taken(proxy.reload("tls.handshake-timeout", "100ms"), "tls.handshake-timeout");
            try (RawClient silent = new RawClient(proxy.proxy.addresses().getLast())) {
                assertThat(silent.closedByPeer()).isTrue();
            }
        }
    }

    @Test
    void stallTimeout_boundsTheNextAnswer() throws Exception {
        one.ok("/long", "Cache-Control: max-age=60\r\n", "l".repeat(8_000_000));
        try (ReloadableProxy proxy = new ReloadableProxy(
                "origin", one.url(), "cache.memory", "64MB", "deliver.stall-timeout", "1h")) {
            taken(proxy.reload("deliver.stall-timeout", "100ms"), "deliver.stall-timeout");
            try (RawClient client = proxy.client()) {
                begin(client, "/long");
                Awaitility.await()
                        .atMost(Duration.ofSeconds(30))
                        .until(() -> proxy.proxy.figures().counters().stalledWrites == 1);
            }
        }
    }

    // Bounds.

    @Test
    void moreConnectionsToAnOrigin_areOpenedForWaitingRequests() throws Exception {
        try (ReloadableProxy proxy = new ReloadableProxy(
                        "origin",
                        one.url(),
                        "upstream.max-open",
                        "1",
                        "upstream.wait-timeout",
                        "5m");
                RawClient first = proxy.client();
                RawClient second = proxy.client()) {
            begin(first, "/held");
            asked.await();
            begin(second, "/who");
            Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .until(() ->
                            proxy.proxy.figures().origins().servers().getFirst().waiting() == 1);
            taken(proxy.reload("upstream.max-open", "2"), "upstream.max-open");
            assertThat(second.read(false).body()).isEqualTo("one");
            answer.countDown();
            assertThat(first.read(false).body()).isEqualTo("one");
        }
    }

    @Test
    void streams_ofTheNextConnection_areLimitedByTheNewValue() throws Exception {
        try (ReloadableProxy proxy = new ReloadableProxy("origin", one.url())) {
            taken(proxy.reload("http2.max-streams", "7"), "http2.max-streams");
            try (FrameClient client = proxy.http2()) {
                byte[] told = client.until(FrameClient.SETTINGS).payload();
                assertThat(settings(told)).containsEntry(3, 7); // SETTINGS_MAX_CONCURRENT_STREAMS
                assertThat(client.get("/who").body()).isEqualTo("one");
            }
        }
    }

    private static Map<Integer, Integer> settings(byte[] payload) {
        Map<Integer, Integer> all = new HashMap<>();
        for (ByteBuffer in = ByteBuffer.wrap(payload); in.hasRemaining(); ) {
            all.put((int) in.getShort(), in.getInt());
        }
        return all;
    }

    @Test
    void hundredReloads_leaveNoThreadBehind() throws Exception {
        try (ReloadableProxy proxy = new ReloadableProxy("origin", one.url());
                RawClient client = proxy.client()) {
            for (int i = 0; i < 100; i++) {
                Report report = proxy.reload(
                        "log.access",
                        directory.resolve(i % 2 + ".log").toString(),
                        "upstream.check.path",
                        "/who?" + i,
                        "upstream.dns.timeout",
                        1 + i % 2 + "s");
                assertThat(report.problems()).isEmpty();
                assertThat(client.get("/who").body()).isEqualTo("one");
            }
            assertThat(Thread.getAllStackTraces().keySet().stream()
                            .filter(thread -> thread.getName().equals("komainu-log")))
                    .hasSize(1);
            assertThat(Files.readAllLines(directory.resolve("0.log")).size()
                            + Files.readAllLines(directory.resolve("1.log")).size())
                    .isBetween(99, 100); // the last line may wait
        }
    }

    // The cache.

    @Test
    void cacheRules_ruleTheNextAnswer() throws Exception {
        one.respond("/gone", "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone");
        one.ok("/big", "Cache-Control: max-age=60\r\n", "b".repeat(100_000));
        one.ok("/cookie", "Cache-Control: max-age=60\r\nSet-Cookie: a=b\r\n", "c");
        one.ok("/aimed", "Cache-Control: max-age=60\r\nEdge-Control: no-store\r\n", "a");
        one.ok("/tagged", "Cache-Control: max-age=60\r\nCache-Tag: a\r\n", "t");
        try (ReloadableProxy proxy =
                        new ReloadableProxy("origin", one.url(), "cache.memory", "4MB");
                RawClient client = proxy.client()) {
            client.get("/gone");
            client.get("/gone");
            assertThat(one.count("/gone")).isEqualTo(2);
            taken(
                    proxy.reload(
                            "cache.negative-ttl",
                            "1m",
                            "cache.max-object-share",
                            "0.01",
                            "cache.strip-tags",
                            "false",
                            "cache.store-cookies",
                            "false",
                            "cache.targets",
                            "Edge-Control"),
                    "cache.negative-ttl",
                    "cache.max-object-share",
                    "cache.strip-tags",
                    "cache.store-cookies",
                    "cache.targets");
            for (String path : List.of("/cookie", "/aimed")) {
                client.get(path);
                client.get(path);
                assertThat(one.count(path)).as(path).isEqualTo(2);
            }
            client.get("/gone");
            assertThat(client.get("/gone").body()).isEqualTo("gone");
            assertThat(one.count("/gone")).isEqualTo(3);
            client.get("/big");
            assertThat(client.get("/big").body()).hasSize(100_000);
            assertThat(one.count("/big")).isEqualTo(2);
            assertThat(client.get("/tagged").field("Cache-Tag")).isEqualTo("a");
        }
    }

    @Test
    void stored_answersOutliveAReload() throws Exception {
        one.ok("/kept", "Cache-Control: max-age=60\r\n", "kept");
        try (ReloadableProxy proxy = new ReloadableProxy("origin", one.url());
                RawClient client = proxy.client()) {
            client.get("/kept");
            proxy.reload("origin", two.url(), "cache.grace", "1s");
            assertThat(client.get("/kept").field("Cache-Status")).startsWith("komainu; hit");
        }
    }

    // The rest.

    @Test
    void forwardingFields_passOrNot() throws Exception {
        try (ReloadableProxy proxy = new ReloadableProxy("origin", one.url());
                RawClient client = proxy.client()) {
            client.get("/who", "X-Real-IP: 192.0.2.1");
            assertThat(one.requests.getLast().field("X-Real-IP")).isEmpty();
            taken(proxy.reload("forwarding.pass", "X-Real-IP"), "forwarding.pass");
            client.get("/who", "X-Real-IP: 192.0.2.1");
            assertThat(one.requests.getLast().field("X-Real-IP")).isEqualTo("192.0.2.1");
        }
    }

    @Test
    void accessLog_beginsChangesAndMoves_andNoLineIsLost() throws Exception {
        Path first = directory.resolve("first.log");
        Path second = directory.resolve("second.log");
        try (ReloadableProxy proxy = new ReloadableProxy("origin", one.url());
                RawClient client = proxy.client();
                FrameClient http2 = proxy.http2()) {
            client.get("/who");
            http2.get("/who");
            taken(proxy.reload("log.access", first.toString()), "log.access");
            client.get("/who");
            http2.get("/who");
            taken(proxy.reload("log.format", "json"), "log.format");
            assertThat(Files.readAllLines(first))
                    .hasSize(2)
                    .allMatch(line -> line.contains(" 127.0.0.1 TCP_MISS/200 "));
            client.get("/who");
            taken(proxy.reload("log.access", second.toString()), "log.access");
            assertThat(Files.readAllLines(first))
                    .hasSize(3)
                    .last()
                    .asString()
                    .startsWith("{\"time\":");
            http2.get("/who");
            taken(proxy.reload("log.access", "none"), "log.access");
            client.get("/who");
            assertThat(Files.readAllLines(second)).hasSize(1);
            assertThat(Files.readAllLines(first)).hasSize(3);
        }
    }

    @Test
    void accessLog_thatCannotBeOpened_isAMistake() throws Exception {
        try (ReloadableProxy proxy = new ReloadableProxy("origin", one.url());
                RawClient client = proxy.client()) {
            Report report =
                    proxy.reload("log.access", directory + "/none/access.log", "origin", two.url());
            assertThat(report.problems()).singleElement().asString().startsWith("log.access: ");
            assertThat(client.get("/who").body()).isEqualTo("one");
        }
    }

    @Test
    void authorities_thatAreNone_areAMistake() throws Exception {
        Path file = Files.writeString(directory.resolve("ca.pem"), "no certificate\n");
        try (ReloadableProxy proxy = new ReloadableProxy("origin", one.url())) {
            assertThat(proxy.reload("upstream.tls.ca-file", file.toString()).problems())
                    .containsExactly("upstream.tls.ca-file: " + file
                            + " (expected: a readable PEM file of certificates)");
        }
    }

    @Test
    void http2_isSpokenToTheNextConnectionOrNot() throws Exception {
        try (ReloadableProxy proxy = new ReloadableProxy("origin", one.url());
                FrameClient before = proxy.http2()) {
            assertThat(before.get("/who").body()).isEqualTo("one");
            taken(proxy.reload("http2.enabled", "false"), "http2.enabled");
            assertThat(before.get("/who").body()).isEqualTo("one");
            try (RawClient client = proxy.client()) {
                assertThat(client.send(FrameClient.PREFACE).read(false).status())
                        .isIn(400, 505);
            }
        }
    }

    @Test
    void certificates_areOthersForTheNextConnection() throws Exception {
        Certified first = Certified.make(directory, "EC", "-1d", "one.example");
        Certified second = Certified.make(directory, "EC", "-1d", "one.example");
        try (ReloadableProxy proxy = new ReloadableProxy(
                "origin",
                one.url(),
                "tls.listen",
                "127.0.0.1:0",
                "tls.certificates",
                first.write(directory, "first"))) {
            try (SSLSocket old = connect(proxy);
                    RawClient client = new RawClient(old)) {
                assertThat(shown(old)).isEqualTo(first.certificate());
                taken(
                        proxy.reload(
                                "tls.certificates",
                                second.write(directory, "second"),
                                "tls.versions",
                                "1.3"),
                        "tls.certificates",
                        "tls.versions");
                assertThat(client.get("/who").body()).isEqualTo("one");
                try (SSLSocket next = connect(proxy)) {
                    assertThat(shown(next)).isEqualTo(second.certificate());
                }
            }
        }
    }

    private static SSLSocket connect(ReloadableProxy proxy) throws Exception {
        return Certified.connect(
                Certified.trusting(), proxy.proxy.addresses().getLast(), "one.example", "TLSv1.3");
    }

    private static X509Certificate shown(SSLSocket socket) throws Exception {
        return (X509Certificate) socket.getSession().getPeerCertificates()[0];
    }

    // Rejected changes.

    @Test
    void invalidValues_areReportedTogether_andNothingChanges() throws Exception {
        try (ReloadableProxy proxy = new ReloadableProxy("origin", one.url());
                RawClient client = proxy.client()) {
            Report report = proxy.reload(
                    "origin",
                    two.url(),
                    "cache.grace",
                    "soon",
                    "connections.max",
                    "0",
                    "cahce.memory",
                    "1MB");
            assertThat(report.problems())
                    .hasSize(3)
                    .anyMatch(problem -> problem.startsWith("cache.grace: soon"))
                    .anyMatch(problem -> problem.startsWith("connections.max: 0"))
                    .anyMatch(problem -> problem.startsWith("cahce.memory: unknown setting"));
            assertThat(report.generation()).isOne();
            assertThat(client.get("/who").body()).isEqualTo("one");
            proxy.written.remove("cahce.memory");
            taken(
                    proxy.reload("cache.grace", "1m", "connections.max", "100"),
                    "origin",
                    "cache.grace",
                    "connections.max");
            assertThat(client.get("/who").body()).isEqualTo("two");
        }
    }

    @Test
    void settingsAppliedAtTheStart_areReportedEachTimeAndNotApplied() throws Exception {
        try (ReloadableProxy proxy = new ReloadableProxy("origin", one.url());
                RawClient client = proxy.client()) {
            for (int i = 0; i < 2; i++) {
                Report report =
                        proxy.reload("workers", "3", "cache.memory", "8MB", "origin", two.url());
                assertThat(report.problems()).isEmpty();
                assertThat(report.applied()).isEqualTo(i == 0 ? List.of("origin") : List.of());
                assertThat(report.needsRestart()).containsOnlyKeys("workers", "cache.memory");
                assertThat(report.generation()).isEqualTo(i + 2);
            }
            assertThat(proxy.proxy.settings().workers()).isEqualTo(1);
            assertThat(proxy.proxy.settings().cache().memoryBytes()).isEqualTo(64L << 20);
            assertThat(client.get("/who").body()).isEqualTo("two");
            proxy.written.remove("cache.memory");
            assertThat(proxy.reload("workers", "1").needsRestart()).isEmpty();
        }
    }

    @Test
    void anotherMode_isRefusedAsAWhole() throws Exception {
        try (ReloadableProxy proxy = new ReloadableProxy("origin", one.url());
                RawClient client = proxy.client()) {
            proxy.written.remove("origin");
            Report report = proxy.reload("forward.enabled", "true", "forward.allow", "127.0.0.1");
            assertThat(report.problems()).last().asString().startsWith("forward.enabled: changed");
            assertThat(client.get("/who").body()).isEqualTo("one");
        }
    }

    @Test
    void dryRun_reportsChanges_andAppliesNone() throws Exception {
        try (ReloadableProxy proxy = new ReloadableProxy("origin", one.url());
                RawClient client = proxy.client()) {
            proxy.write("origin", two.url(), "workers", "2");
            Report report = proxy.proxy.reload(true);
            assertThat(report.applied()).containsExactly("origin");
            assertThat(report.needsRestart()).containsOnlyKeys("workers");
            assertThat(report.dryRun()).isTrue();
            assertThat(report.generation()).isOne();
            assertThat(client.get("/who").body()).isEqualTo("one");
        }
    }
}
