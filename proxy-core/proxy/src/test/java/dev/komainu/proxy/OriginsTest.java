package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedDns;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import dev.komainu.intermediary.upstream.ServerFigures;
import dev.komainu.telemetry.record.ProxyExchange;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/**
 * Several servers of one route, names that change their address, and the queue of a full server.
 */
class OriginsTest {

    private static final String UNSTORED = "Cache-Control: no-store\r\n";

    private static ScriptedOrigin serving(String name) throws IOException {
        return new ScriptedOrigin().ok("/who", UNSTORED, name);
    }

    @Test
    void servers_thatAreWell_takeTurns() throws IOException {
        try (ScriptedOrigin a = serving("a");
                ScriptedOrigin b = serving("b");
                ProxyFixture proxy =
                        new ProxyFixture("origin", a.url() + "," + b.url(), "workers", "1");
                RawClient client = proxy.client()) {
            for (int i = 0; i < 20; i++) {
                assertThat(client.get("/who").status()).isEqualTo(200);
            }
            assertThat(a.count("/who")).isEqualTo(10);
            assertThat(b.count("/who")).isEqualTo(10);
        }
    }

    @Test
    void exchange_ofOneServerOfTwo_namesTheOneThatAnswered() throws IOException {
        try (ScriptedOrigin a = serving("a");
                ScriptedOrigin b = serving("b");
                ProxyFixture proxy =
                        new ProxyFixture("origin", a.url() + "," + b.url(), "workers", "1");
                RawClient client = proxy.client()) {
            List<String> answered = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                answered.add("127.0.0.1:" + (client.get("/who").body().equals("a") ? a : b).port());
            }
            Awaitility.await()
                    .untilAsserted(() -> assertThat(proxy.records.stream()
                                    .filter(ProxyExchange.class::isInstance)
                                    .map(record -> ((ProxyExchange) record).origin()))
                            .containsExactlyElementsOf(answered));
        }
    }

    @Test
    void server_thatRefuses_isNoticedByNoClientAndLeftOut() throws IOException {
        ScriptedOrigin gone = serving("gone");
        try (ScriptedOrigin well = serving("well")) {
            try (ProxyFixture proxy = new ProxyFixture(
                            "origin", gone.url() + "," + well.url(), "workers", "1");
                    RawClient client = proxy.client()) {
                gone.close();
                for (int i = 0; i < 20; i++) {
                    assertThat(client.get("/who").body()).isEqualTo("well");
                }
                // Three attempts failed, then it was left out for at least a second.
                assertThat(proxy.proxy.figures().counters().origin.failures).isLessThan(8);
            }
        }
    }

    @Test
    void server_thatDropsEveryRequest_isRepeatedElsewhereForGetButNotForPost() throws IOException {
        try (ScriptedOrigin drops =
                        new ScriptedOrigin().on("/who", (request, socket, out) -> false);
                ScriptedOrigin well = serving("well");
                ProxyFixture proxy = new ProxyFixture(
                        "origin",
                        drops.url() + "," + well.url(),
                        "workers",
                        "1",
                        "upstream.eject.after",
                        "0");
                RawClient client = proxy.client()) {
            for (int i = 0; i < 6; i++) {
                assertThat(client.get("/who").body()).isEqualTo("well");
            }
            int before = drops.count("/who") + well.count("/who");
            List<Integer> statuses = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                statuses.add(client.request("POST", "/who", "Content-Length: 0").status());
            }
            assertThat(statuses).contains(502).contains(200);
            assertThat(drops.count("/who") + well.count("/who") - before).isEqualTo(6);
        }
    }

    @Test
    void server_thatHangs_delaysOnlyItsOwnRequests() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        try (ScriptedOrigin hangs = new ScriptedOrigin().on("/who", (request, socket, out) -> {
                    end.await();
                    return false;
                });
                ScriptedOrigin quick = serving("quick");
                ProxyFixture proxy = new ProxyFixture(
                        "origin", hangs.url() + "," + quick.url(), "workers", "1");
                RawClient stuck = proxy.client();
                RawClient other = proxy.client()) {
            RawClient[] first = {stuck, other};
            for (RawClient client : first) {
                client.send("OPTIONS /who HTTP/1.1\r\nHost: test.example\r\n\r\n");
            }
            Awaitility.await()
                    .until(() -> hangs.count("/who") == 1
                            && quick.count("/who") == 1
                            && proxy.proxy.figures().counters().inFlight == 1);
            // The balancing chooses which of the two hangs; new clients get the server with the
            // fewest requests in progress.
            try (RawClient third = proxy.client()) {
                for (int i = 0; i < 20; i++) {
                    assertThat(third.request("OPTIONS", "/who").body()).isEqualTo("quick");
                }
            }
            assertThat(hangs.count("/who")).isEqualTo(1);
            end.countDown();
        }
    }

    @Test
    void requests_beyondTheCap_waitTheirTurn() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        try (ScriptedOrigin origin = new ScriptedOrigin();
                ProxyFixture proxy = new ProxyFixture(
                        "origin", origin.url(), "workers", "1", "upstream.max-open", "2");
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            origin.on("/slow", (request, socket, out) -> {
                go.await();
                out.write(("HTTP/1.1 200 OK\r\n" + UNSTORED + "Content-Length: 2\r\n\r\nok")
                        .getBytes());
                return true;
            });
            List<Future<Integer>> answers = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                Callable<Integer> ask = () -> {
                    try (RawClient client = proxy.client()) {
                        return client.request("OPTIONS", "/slow").status();
                    }
                };
                answers.add(threads.submit(ask));
            }
            Awaitility.await().until(() -> proxy.proxy.figures().counters().inFlight == 10);
            assertThat(origin.count("/slow")).isLessThanOrEqualTo(2);
            go.countDown();
            for (Future<Integer> answer : answers) {
                assertThat(answer.get()).isEqualTo(200);
            }
            assertThat(proxy.proxy.figures().counters().origin.connections).isLessThanOrEqualTo(2);
        }
    }

    @Test
    void request_thatWaitsTooLong_is503WithTheNumbers() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        try (ScriptedOrigin origin = new ScriptedOrigin().on("/hangs", (request, socket, out) -> {
                    end.await();
                    return false;
                });
                ProxyFixture proxy = new ProxyFixture(
                        "origin",
                        origin.url(),
                        "workers",
                        "1",
                        "upstream.max-open",
                        "1",
                        "upstream.wait-timeout",
                        "100ms",
                        "upstream.max-waiting",
                        "1");
                RawClient first = proxy.client();
                RawClient second = proxy.client();
                RawClient third = proxy.client()) {
            first.send("OPTIONS /hangs HTTP/1.1\r\nHost: test.example\r\n\r\n");
            Awaitility.await().until(() -> origin.count("/hangs") == 1);
            second.send("OPTIONS /hangs HTTP/1.1\r\nHost: test.example\r\n\r\n");
            RawClient.Answer told = second.read(false);
            assertThat(told.status()).isEqualTo(503);
            assertThat(told.body()).contains("open=1, idle=0, waiting=0");
            assertThat(third.request("OPTIONS", "/hangs").status()).isEqualTo(503);
            end.countDown();
        }
    }

    @Test
    void name_thatMoves_isFollowedWhenItsTimeToLiveIsOver() throws Exception {
        try (ScriptedOrigin origin = serving("here");
                ScriptedDns dns = new ScriptedDns();
                ProxyFixture proxy = new ProxyFixture(
                        "origin",
                        "http://moving.example:" + origin.port(),
                        "workers",
                        "1",
                        "upstream.dns.servers",
                        "127.0.0.1:" + dns.port(),
                        "upstream.dns.min-ttl",
                        "0s",
                        "upstream.dns.negative-ttl",
                        "5s");
                RawClient client = proxy.client()) {
            assertThat(client.get("/who").status()).isEqualTo(502);
            int asked = dns.queries();
            assertThat(client.get("/who").status()).isEqualTo(502);
            assertThat(dns.queries())
                    .as("that there is no such name is remembered")
                    .isEqualTo(asked);
            dns.resolve("moving.example", 1, "127.0.0.1");
            Awaitility.await().until(() -> client.get("/who").body().equals("here"));
            // Moved to an address without a listener: the parked connection to the old address must
            // not be used for ever.
            dns.resolve("moving.example", 1, "127.0.0.77");
            Awaitility.await().until(() -> client.get("/who").status() == 502);
        }
    }

    @Test
    void name_withADeadAddress_isServedByTheOther() throws Exception {
        try (ScriptedOrigin origin = serving("here");
                ScriptedDns dns = new ScriptedDns();
                ProxyFixture proxy = new ProxyFixture(
                        "origin",
                        "http://two.example:" + origin.port(),
                        "workers",
                        "1",
                        "upstream.dns.servers",
                        "127.0.0.1:" + dns.port());
                RawClient client = proxy.client()) {
            dns.resolve("two.example", 60, "127.0.0.78", "127.0.0.1");
            for (int i = 0; i < 5; i++) {
                assertThat(client.get("/who").body()).isEqualTo("here");
            }
        }
    }

    @Test
    void server_whoseChecksFail_isLeftOutUntilTheyAreGoodAgain() throws Exception {
        AtomicBoolean well = new AtomicBoolean();
        try (ScriptedOrigin checked = serving("checked").on("/health", (request, socket, out) -> {
                    String status = well.get() ? "200 OK" : "503 Service Unavailable";
                    out.write(("HTTP/1.1 " + status + "\r\nContent-Length: 0\r\n\r\n").getBytes());
                    return true;
                });
                ScriptedOrigin other = serving("other").ok("/health", UNSTORED, "");
                ProxyFixture proxy = new ProxyFixture(
                        "origin",
                        checked.url() + "," + other.url(),
                        "workers",
                        "2",
                        "upstream.check.path",
                        "/health",
                        "upstream.check.interval",
                        "100ms");
                RawClient client = proxy.client()) {
            Awaitility.await().until(() -> checked.count("/health") > 4);
            for (int i = 0; i < 10; i++) {
                assertThat(client.get("/who").body()).isEqualTo("other");
            }
            well.set(true);
            Awaitility.await().until(() -> client.get("/who").body().equals("checked"));
        }
    }

    @Test
    void name_withASilentAddress_isServedByTheOtherLongBeforeTheTimeOut() throws Exception {
        try (ScriptedOrigin origin = serving("here");
                // Linux drops connections to a listener whose queue is full, as a dead host would.
                ServerSocket silent =
                        new ServerSocket(origin.port(), 1, InetAddress.ofLiteral("127.0.0.79"));
                Socket one = new Socket(silent.getInetAddress(), silent.getLocalPort());
                Socket two = new Socket(silent.getInetAddress(), silent.getLocalPort());
                ScriptedDns dns =
                        new ScriptedDns().resolve("half.example", 60, "127.0.0.79", "127.0.0.1");
                ProxyFixture proxy = new ProxyFixture(
                        "origin",
                        "http://half.example:" + origin.port(),
                        "workers",
                        "1",
                        "upstream.connect-timeout",
                        "60s",
                        "upstream.dns.servers",
                        "127.0.0.1:" + dns.port());
                RawClient client = proxy.client();
                RawClient other = proxy.client()) {
            assertThat(one.isConnected() && two.isConnected()).isTrue();
            assertThat(client.get("/who").body()).isEqualTo("here");
            assertThat(other.get("/who").body()).isEqualTo("here");
        }
    }

    @Test
    void figures_haveEachServersQueueFailuresAndHealth() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        ScriptedOrigin gone = serving("gone");
        try (ScriptedOrigin well = serving("well").on("/hangs", (request, socket, out) -> {
                    end.await();
                    out.write("HTTP/1.1 204 No Content\r\n\r\n".getBytes());
                    return true;
                });
                ProxyFixture proxy = new ProxyFixture(
                        "origin",
                        gone.url() + "," + well.url(),
                        "workers",
                        "1",
                        "upstream.max-open",
                        "1",
                        "upstream.eject.base",
                        "1h",
                        "upstream.eject.most",
                        "1h");
                RawClient first = proxy.client();
                RawClient second = proxy.client()) {
            gone.close();
            for (int i = 0; i < 8; i++) {
                assertThat(first.get("/who").body()).isEqualTo("well");
            }
            first.send("OPTIONS /hangs HTTP/1.1\r\nHost: test.example\r\n\r\n");
            Awaitility.await().until(() -> well.count("/hangs") == 1);
            second.send("OPTIONS /hangs HTTP/1.1\r\nHost: test.example\r\n\r\n");
            Awaitility.await().until(() -> of(proxy, well).waiting() == 1);
            end.countDown();
            assertThat(first.read(false).status()).isEqualTo(204);
            assertThat(second.read(false).status()).isEqualTo(204);
            Awaitility.await().untilAsserted(() -> {
                assertThat(of(proxy, well).up()).isTrue();
                assertThat(of(proxy, well).open()).isEqualTo(1);
                assertThat(of(proxy, well).waiting()).isZero();
                assertThat(of(proxy, well).requests()).isEqualTo(10);
                assertThat(of(proxy, well).failures()).isZero();
                assertThat(of(proxy, well).waits()).isEqualTo(1);
                assertThat(of(proxy, well).waitedMicros()).isPositive();
                assertThat(of(proxy, gone).up()).isFalse();
                assertThat(of(proxy, gone).failures()).isEqualTo(3);
                assertThat(of(proxy, gone).ejections()).isEqualTo(1);
                assertThat(of(proxy, gone).open()).isZero();
            });
        }
    }

    private static ServerFigures of(ProxyFixture proxy, ScriptedOrigin origin) {
        return proxy.proxy.figures().origins().servers().stream()
                .filter(figures -> figures.server().endsWith(":" + origin.port()))
                .findFirst()
                .orElseThrow();
    }
}
