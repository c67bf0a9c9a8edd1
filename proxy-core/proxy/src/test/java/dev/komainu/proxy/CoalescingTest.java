package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Many concurrent clients, one object that is not cached, several loops. */
class CoalescingTest {

    private static final int HERD = 200;

    private ScriptedOrigin origin;
    private ProxyFixture proxy;
    private ExecutorService threads;

    @BeforeEach
    void setUp() throws Exception {
        origin = new ScriptedOrigin();
        proxy = new ProxyFixture(
                "origin", origin.url(), "workers", "2", "upstream.response-timeout", "60s");
        threads = Executors.newVirtualThreadPerTaskExecutor();
    }

    @AfterEach
    void tearDown() throws Exception {
        threads.shutdownNow();
        proxy.close();
        origin.close();
    }

    /**
     * All connect and send their requests at once; returns the statuses or bodies as {@code ask}
     * reports them.
     */
    private <T> List<T> herd(int size, java.util.function.Function<RawClient, T> ask)
            throws Exception {
        CyclicBarrier together = new CyclicBarrier(size);
        List<Callable<T>> tasks = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            tasks.add(() -> {
                try (RawClient client = proxy.client()) {
                    together.await(60, TimeUnit.SECONDS);
                    return ask.apply(client);
                }
            });
        }
        List<T> answers = new ArrayList<>();
        for (Future<T> future : threads.invokeAll(tasks)) {
            answers.add(future.get(60, TimeUnit.SECONDS));
        }
        return answers;
    }

    private static RawClient.Answer get(RawClient client, String path) {
        try {
            return client.get(path);
        } catch (java.io.IOException e) {
            return new RawClient.Answer(0, "", e.toString());
        }
    }

    /** Releases the origin's response when all clients wait. */
    private void awaitHerd(int size) {
        Awaitility.await().until(() -> waiting() >= size);
    }

    private long waiting() {
        return proxy.proxy.figures().counters().inFlight;
    }

    @Test
    void herd_onAColdObject_isOneFetch() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        String body = "x".repeat(100_000);
        origin.on("/cold", (request, socket, out) -> {
            go.await();
            out.write(("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: "
                            + body.length() + "\r\n\r\n")
                    .getBytes());
            out.write(body.substring(0, 50_000).getBytes());
            out.flush();
            out.write(body.substring(50_000).getBytes());
            return true;
        });
        threads.submit(() -> {
            awaitHerd(HERD);
            go.countDown();
        });
        List<RawClient.Answer> answers = herd(HERD, client -> get(client, "/cold"));
        assertThat(answers).allMatch(a -> a.status() == 200 && a.body().equals(body));
        assertThat(origin.count("/cold")).isEqualTo(1);
        assertThat(proxy.proxy.figures()).isNotNull();
    }

    @Test
    void herd_onAColdObjectOfUnknownLength_isOneFetch() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        String body = "y".repeat(50_000);
        origin.on("/chunks", (request, socket, out) -> {
            go.await();
            out.write(
                    "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nTransfer-Encoding: chunked\r\n\r\n"
                            .getBytes());
            for (int i = 0; i < 5; i++) {
                out.write(("2710\r\n" + body.substring(0, 10_000) + "\r\n").getBytes());
                out.flush();
            }
            out.write("0\r\n\r\n".getBytes());
            return true;
        });
        threads.submit(() -> {
            awaitHerd(HERD);
            go.countDown();
        });
        assertThat(herd(HERD, client -> get(client, "/chunks")))
                .allMatch(a -> a.body().equals(body));
        assertThat(origin.count("/chunks")).isEqualTo(1);
    }

    /**
     * The first response's head makes all clients send requests at once: the origin responds to
     * none of them before all have arrived.
     */
    @Test
    void herd_onAnUncacheableObject_neverQueues() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch others = new CountDownLatch(HERD - 1);
        AtomicBoolean first = new AtomicBoolean(true);
        origin.on("/private", (request, socket, out) -> {
            String head = "HTTP/1.1 200 OK\r\nCache-Control: private\r\nContent-Length: 2\r\n\r\n";
            if (first.getAndSet(false)) {
                go.await();
                out.write(head.getBytes());
                out.flush();
                // The first response's own body arrives last.
            } else {
                others.countDown();
                others.await();
                out.write(head.getBytes());
            }
            others.await();
            out.write("me".getBytes());
            return true;
        });
        threads.submit(() -> {
            awaitHerd(HERD);
            go.countDown();
        });
        assertThat(herd(HERD, client -> get(client, "/private")))
                .allMatch(a -> a.body().equals("me"));
        assertThat(origin.count("/private")).isEqualTo(HERD);
    }

    @Test
    void waiters_whoseFetchFails_getTheErrorAtOnce() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        origin.on("/fails", (request, socket, out) -> {
            go.await();
            return false;
        });
        threads.submit(() -> {
            awaitHerd(50);
            go.countDown();
        });
        assertThat(herd(50, client -> get(client, "/fails").status()))
                .allMatch(status -> status == 502);
    }

    @Test
    void leader_leavesMidFetch_restCompletes() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        origin.on("/led", (request, socket, out) -> {
            go.await();
            out.write("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 3\r\n\r\nled"
                    .getBytes());
            return true;
        });
        RawClient leader = proxy.client();
        leader.send("GET /led HTTP/1.1\r\nHost: test.example\r\n\r\n");
        Awaitility.await().until(() -> origin.count("/led") == 1);
        Future<List<RawClient.Answer>> rest =
                threads.submit(() -> herd(20, client -> get(client, "/led")));
        awaitHerd(21);
        leader.socket().setSoLinger(true, 0);
        leader.close();
        Awaitility.await().until(() -> waiting() <= 20);
        go.countDown();
        assertThat(rest.get(60, TimeUnit.SECONDS)).allMatch(a -> a.body().equals("led"));
        assertThat(origin.count("/led")).isEqualTo(1);
    }

    @Test
    void workingSet_beyondTheBudget_isEvictedAndStaysCorrect() throws Exception {
        try (ProxyFixture small = new ProxyFixture("origin", origin.url(), "cache.memory", "2MB");
                RawClient client = small.client()) {
            for (int i = 0; i < 600; i++) {
                origin.ok("/o" + i, "Cache-Control: max-age=60\r\n", (i + ";").repeat(2000));
            }
            for (int round = 0; round < 2; round++) {
                for (int i = 0; i < 600; i++) {
                    assertThat(client.get("/o" + i).body()).isEqualTo((i + ";").repeat(2000));
                }
            }
            Awaitility.await().until(() -> small.proxy.figures().cache().evictions() > 0);
            assertThat(small.proxy.figures().cache().cacheBytes()).isLessThanOrEqualTo(2 << 20);
            assertThat(small.proxy.figures().cache().cacheObjects()).isPositive();
        }
    }
}
