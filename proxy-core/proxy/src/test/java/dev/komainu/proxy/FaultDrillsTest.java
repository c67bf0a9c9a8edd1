package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import java.io.EOFException;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults of origins and clocks, with the results for clients. */
class FaultDrillsTest {

    private static final int HERD = 1000;

    private ScriptedOrigin origin;
    private ExecutorService threads;

    @BeforeEach
    void setUp() throws IOException {
        origin = new ScriptedOrigin();
        threads = Executors.newVirtualThreadPerTaskExecutor();
    }

    @AfterEach
    void tearDown() throws IOException {
        threads.shutdownNow();
        origin.close();
    }

    /**
     * The connections on which an origin delays a request, without those that the proxy has closed.
     * The proxy closes one before it opens another: so at each arrival the ends of the earlier ones
     * can be read already.
     */
    private static final class HeldConnections {
        private final List<Socket> sockets = new ArrayList<>();
        private int most;

        synchronized void add(Socket socket) {
            if (sockets.size() >= 50) {
                sockets.removeIf(HeldConnections::isEnded);
            }
            sockets.add(socket);
            most = Math.max(most, sockets.size());
        }

        synchronized int most() {
            return most;
        }

        private static boolean isEnded(Socket socket) {
            try {
                socket.setSoTimeout(1);
                return socket.getInputStream().read() < 0;
            } catch (SocketTimeoutException open) {
                return false;
            } catch (IOException reset) {
                return true;
            }
        }
    }

    private List<Future<RawClient.Answer>> herd(ProxyFixture proxy, int size, String path) {
        List<Future<RawClient.Answer>> answers = new ArrayList<>();
        Callable<RawClient.Answer> ask = () -> {
            try (RawClient client = proxy.client()) {
                client.socket().setSoTimeout(60_000);
                return client.get(path);
            }
        };
        for (int i = 0; i < size; i++) {
            answers.add(threads.submit(ask));
        }
        return answers;
    }

    private static long waiting(ProxyFixture proxy) {
        return proxy.proxy.figures().counters().inFlight;
    }

    @Test
    void herd_ofAThousandOnAColdObject_isExactlyOneFetch() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        origin.on("/cold", (request, socket, out) -> {
            go.await();
            out.write(
                    "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 4\r\n\r\ncold"
                            .getBytes());
            return true;
        });
        try (ProxyFixture proxy = new ProxyFixture("origin", origin.url(), "workers", "2")) {
            List<Future<RawClient.Answer>> answers = herd(proxy, HERD, "/cold");
            Awaitility.await().until(() -> waiting(proxy) == HERD);
            go.countDown();
            for (Future<RawClient.Answer> answer : answers) {
                assertThat(answer.get(60, TimeUnit.SECONDS).body()).isEqualTo("cold");
            }
            assertThat(origin.count("/cold")).isEqualTo(1);
        }
    }

    @Test
    void herd_ofAThousandOnAnObjectKnownAsUncacheable_isAtTheOriginAllAtOnce() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        AtomicInteger there = new AtomicInteger();
        origin.on("/private", (request, socket, out) -> {
            if (there.getAndIncrement() > 0) {
                go.await();
            }
            out.write("HTTP/1.1 200 OK\r\nCache-Control: private\r\nContent-Length: 2\r\n\r\nme"
                    .getBytes());
            return true;
        });
        try (ProxyFixture proxy = new ProxyFixture("origin", origin.url(), "workers", "2");
                RawClient first = proxy.client()) {
            assertThat(first.get("/private").body()).isEqualTo("me");
            List<Future<RawClient.Answer>> answers = herd(proxy, HERD, "/private");
            // No request queues: the origin delays them all before it responds to the first.
            Awaitility.await().until(() -> there.get() == HERD + 1);
            go.countDown();
            for (Future<RawClient.Answer> answer : answers) {
                assertThat(answer.get(60, TimeUnit.SECONDS).body()).isEqualTo("me");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"Content-Length: 100", "Transfer-Encoding: chunked", "Connection: close"})
    void origin_resetsMidBody_clientSeesTheBreakAndNothingIsStored(String framing)
            throws Exception {
        origin.on("/rst", (request, socket, out) -> {
            String half = framing.contains("chunked") ? "4\r\nhalf\r\n" : "half";
            out.write(("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\n" + framing + "\r\n\r\n"
                            + half)
                    .getBytes());
            out.flush();
            socket.setSoLinger(true, 0);
            return false;
        });
        try (ProxyFixture proxy = new ProxyFixture("origin", origin.url(), "workers", "1")) {
            for (int i = 1; i <= 2; i++) {
                try (RawClient client = proxy.client()) {
                    assertThatThrownBy(() -> {
                                RawClient.Answer answer = client.get("/rst");
                                // A reset before the head was read leaves no response; it is
                                // reported as 502.
                                if (answer.status() == 502) {
                                    throw new EOFException("502");
                                }
                            })
                            .isInstanceOfAny(EOFException.class, SocketException.class);
                }
                assertThat(origin.count("/rst")).isEqualTo(i);
            }
        }
    }

    @Test
    void origin_thatHangsWithTwoHundredWaiting_slowsNeitherHitsNorOtherOrigins() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        try (ScriptedOrigin hangs = new ScriptedOrigin();
                ScriptedOrigin bystander = new ScriptedOrigin()) {
            bystander.ok("/b/n", "Cache-Control: no-store\r\n", "other");
            bystander.ok("/b/x", "Cache-Control: max-age=60\r\n", "stored");
            String routes = "/=" + hangs.url() + ",/b=" + bystander.url();
            try (ProxyFixture proxy = new ProxyFixture(
                            "routes",
                            routes,
                            "workers",
                            "1",
                            "upstream.response-timeout",
                            "3s",
                            "upstream.max-open",
                            "50",
                            "upstream.wait-timeout",
                            "1s");
                    RawClient other = proxy.client()) {
                assertThat(other.get("/b/x").body()).isEqualTo("stored");
                List<Future<RawClient.Answer>> stuck = new ArrayList<>();
                HeldConnections held = new HeldConnections();
                for (int i = 0; i < 200; i++) {
                    String path = "/hang" + i;
                    hangs.on(path, (request, socket, out) -> {
                        held.add(socket);
                        end.await();
                        return false;
                    });
                    stuck.addAll(herd(proxy, 1, path));
                }
                Awaitility.await().until(() -> waiting(proxy) >= 50);
                for (int i = 0; i < 50; i++) {
                    assertThat(other.get("/b/x").field("Cache-Status")).startsWith("komainu; hit");
                    assertThat(other.get("/b/n").body()).isEqualTo("other");
                }
                List<Integer> statuses = new ArrayList<>();
                for (Future<RawClient.Answer> answer : stuck) {
                    statuses.add(answer.get(60, TimeUnit.SECONDS).status());
                }
                assertThat(statuses)
                        .contains(504)
                        .contains(503)
                        .allMatch(status -> status == 503 || status == 504);
                assertThat(held.most()).as("with the origin at once").isLessThanOrEqualTo(50);
            } finally {
                end.countDown();
            }
        }
    }

    @Test
    void origin_thatComesBack_isUsedAtOnce() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        try (ProxyFixture proxy =
                        new ProxyFixture("origin", "http://127.0.0.1:" + port, "workers", "1");
                RawClient client = proxy.client()) {
            for (int i = 0; i < 10; i++) {
                assertThat(client.get("/back").status()).isEqualTo(502);
            }
            try (ServerSocket back =
                    new ServerSocket(port, 50, java.net.InetAddress.getLoopbackAddress())) {
                threads.submit(() -> {
                    try (var socket = back.accept()) {
                        socket.getInputStream().read(new byte[4096]);
                        socket.getOutputStream()
                                .write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nback"
                                        .getBytes());
                    }
                    return null;
                });
                assertThat(client.get("/back").body()).isEqualTo("back");
            }
        }
    }

    @Test
    void wallClock_jumpsAnHourBothWays_keepsObjectsAndSendsNoNegativeAge() throws Exception {
        AtomicLong jump = new AtomicLong();
        ProxyClock clock = new ProxyClock() {
            @Override
            public long steadyMillis() {
                return ProxyClock.SYSTEM.steadyMillis();
            }

            @Override
            public long wallMillis() {
                return ProxyClock.SYSTEM.wallMillis() + jump.get();
            }
        };
        ProxySettings settings = ProxySettings.read(GivenSettings.reader(
                Map.of(),
                Map.of(),
                Map.of(
                        "listen",
                        "127.0.0.1:0",
                        "control.listen",
                        "none",
                        "origin",
                        origin.url(),
                        "workers",
                        "1")));
        for (int i = 0; i < 20; i++) {
            origin.ok("/t" + i, "Cache-Control: max-age=600\r\n", "t" + i);
        }
        try (Proxy proxy = Proxy.start(settings, clock, record -> {}, Map::of);
                RawClient client = new RawClient(proxy.address())) {
            for (int i = 0; i < 20; i++) {
                assertThat(client.get("/t" + i).status()).isEqualTo(200);
            }
            for (long hours : new long[] {1, -1, 0}) {
                jump.set(hours * 3_600_000);
                for (int i = 0; i < 20; i++) {
                    RawClient.Answer answer = client.get("/t" + i);
                    assertThat(answer.field("Cache-Status")).startsWith("komainu; hit");
                    assertThat(Long.parseLong(answer.field("Age"))).isBetween(0L, 60L);
                }
            }
        }
    }
}
