package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** SIGTERM while exchanges are in progress. */
class DrainTest {

    private static final int CLIENTS = 20;

    @Test
    void drain_underLoad_failsNoRequestThatWasBegun() throws Exception {
        AtomicInteger answered = new AtomicInteger();
        AtomicInteger told = new AtomicInteger();
        Queue<String> broken = new ConcurrentLinkedQueue<>();
        CountDownLatch busy = new CountDownLatch(CLIENTS * 20);
        try (ScriptedOrigin origin = new ScriptedOrigin();
                ProxyFixture proxy = new ProxyFixture("origin", origin.url(), "workers", "2")) {
            // Not storable: the origin sees, and counts, every fetch of the proxy.
            origin.ok("/x", "Cache-Control: no-store\r\n", "y".repeat(5000));
            List<Thread> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                RawClient client = proxy.client();
                clients.add(Thread.ofVirtual().start(() -> {
                    try (client) {
                        boolean last = false;
                        while (!last) {
                            RawClient.Answer answer = client.get("/x");
                            assertThat(answer.body()).hasSize(5000);
                            answered.incrementAndGet();
                            busy.countDown();
                            last = answer.field("Connection").equals("close");
                        }
                        told.incrementAndGet();
                    } catch (EOFException e) {
                        if (!"head: ".equals(e.getMessage())) {
                            broken.add("half an answer: " + e.getMessage());
                        }
                    } catch (IOException closed) {
                        // Closed before any byte of the request was read; otherwise the counts
                        // below would differ.
                    } catch (AssertionError | RuntimeException e) {
                        broken.add(e.toString());
                    }
                }));
            }
            assertThat(busy.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(proxy.proxy.drain()).isZero();
            for (Thread client : clients) {
                client.join();
            }
            assertThat(broken).isEmpty();
            assertThat(origin.count("/x")).isEqualTo(answered.get());
            assertThat(told.get()).as("clients told by Connection: close").isPositive();
        }
    }

    @Test
    void drain_requestOnAnIdleConnection_isAnsweredWithClose() throws Exception {
        // Half a second may pass without progress on a busy host; then the close was correct.
        boolean answered = false;
        for (int attempt = 0; attempt < 5 && !answered; attempt++) {
            answered = isAnsweredWithClose();
        }
        assertThat(answered).isTrue();
    }

    private static boolean isAnsweredWithClose() throws Exception {
        try (ScriptedOrigin origin = new ScriptedOrigin();
                ProxyFixture proxy = new ProxyFixture("origin", origin.url());
                RawClient client = proxy.client();
                RawClient silent = proxy.client()) {
            origin.ok("/x", "Cache-Control: max-age=60\r\n", "body");
            assertThat(client.get("/x").field("Connection")).isEmpty();
            assertThat(silent.get("/x").field("Connection")).isEmpty();
            Thread drain = Thread.ofVirtual().start(() -> {
                try {
                    proxy.proxy.drain();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            Awaitility.await().pollInterval(Duration.ofMillis(5)).until(() -> {
                try (RawClient late = proxy.client()) {
                    return late.closedByPeer();
                } catch (ConnectException refused) {
                    return true;
                }
            });
            try {
                RawClient.Answer answer = client.get("/x");
                // The listener closes a moment before the loops are notified.
                while (answer.field("Connection").isEmpty()) {
                    answer = client.get("/x");
                }
                assertThat(answer.body()).isEqualTo("body");
                assertThat(client.closedByPeer()).isTrue();
            } catch (EOFException | SocketException closedBefore) {
                return false;
            } finally {
                assertThat(silent.closedByPeer()).isTrue();
                drain.join();
            }
            return true;
        }
    }
}
