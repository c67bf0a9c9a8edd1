package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.komainu.proxy.kit.RawClient;
import dev.komainu.proxy.kit.RunningProxy;
import dev.komainu.proxy.kit.ScriptedOrigin;
import java.io.EOFException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Misfortunes that befall a whole process: killed, told to end, out of descriptors, besieged by slow clients. */
class ProcessDrillsTest {

    private ScriptedOrigin origin;

    @BeforeEach
    void start() throws IOException {
        origin = new ScriptedOrigin();
        origin.ok("/x", "Cache-Control: max-age=600\r\n", "stored");
        origin.ok("/n", "Cache-Control: no-store\r\n", "y".repeat(5000));
    }

    @AfterEach
    void stop() throws IOException {
        origin.close();
    }

    @Test
    void kill9_thenStartedAgainAtTheSamePort_serves() throws Exception {
        int port;
        try (RunningProxy first = new RunningProxy(0, 0, "--origin", origin.url());
                RawClient client = first.client()) {
            assertThat(client.get("/x").body()).isEqualTo("stored");
            port = first.address().getPort();
            first.kill();
            try (RunningProxy second = new RunningProxy(port, 0, "--origin", origin.url());
                    RawClient again = second.client()) {
                assertThat(again.get("/x").body()).isEqualTo("stored");
            }
        }
    }

    @Test
    void sigterm_underLoad_failsNoRequestThatWasBegun() throws Exception {
        AtomicInteger answered = new AtomicInteger();
        Queue<String> broken = new ConcurrentLinkedQueue<>();
        CountDownLatch busy = new CountDownLatch(400);
        try (RunningProxy proxy = new RunningProxy(0, 0, "--origin", origin.url())) {
            List<Thread> clients = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                RawClient client = proxy.client();
                clients.add(Thread.ofVirtual().start(() -> {
                    try (client) {
                        while (true) {
                            RawClient.Answer answer = client.get("/n");
                            if (answer.status() != 200 || answer.body().length() != 5000) {
                                broken.add(answer.head());
                            }
                            answered.incrementAndGet();
                            busy.countDown();
                            if (answer.field("Connection").equals("close")) {
                                return;
                            }
                        }
                    } catch (EOFException e) {
                        if (!"head: ".equals(e.getMessage())) {
                            broken.add("half an answer: " + e.getMessage());
                        }
                    } catch (IOException closed) {
                        // Closed before any byte of the request was read: the counts below would tell otherwise.
                    }
                }));
            }
            assertThat(busy.await(20, TimeUnit.SECONDS)).isTrue();
            Process ending = proxy.terminate();
            assertThat(ending.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(ending.exitValue()).isZero();
            for (Thread client : clients) {
                client.join();
            }
            assertThat(broken).isEmpty();
            assertThat(origin.count("/n")).isEqualTo(answered.get());
        }
    }

    @Test
    void descriptors_exhausted_acceptPausesAndRecovers() throws Exception {
        List<Socket> crowd = new ArrayList<>();
        try (RunningProxy proxy = new RunningProxy(0, 160, "--origin", origin.url());
                RawClient early = proxy.client()) {
            assertThat(early.get("/x").body()).isEqualTo("stored");
            // Once while classes can still be read: from a directory each takes a descriptor, from the product's jars
            // none.
            assertThat(early.get("/x").field("Cache-Status")).startsWith("komainu; hit");
            assertThat(early.get("/n").status()).isEqualTo(200);
            for (int i = 0; i < 300; i++) {
                crowd.add(
                        new Socket(proxy.address().getAddress(), proxy.address().getPort()));
            }
            // Who is in is served, from memory even now.
            assertThat(early.get("/x").field("Cache-Status")).startsWith("komainu; hit");
            for (Socket one : crowd) {
                one.close();
            }
            Awaitility.await().atMost(Duration.ofSeconds(15)).ignoreExceptions().until(() -> {
                try (RawClient late = proxy.client()) {
                    late.socket().setSoTimeout(2000);
                    return late.get("/x").body().equals("stored")
                            && late.get("/n").status() == 200;
                }
            });
        }
    }

    @Test
    void tenThousandSlowHeads_areCutInTimeAndCostLittle() throws Exception {
        int crowd = 10_000;
        assumeThat(ManagementFactory.getOperatingSystemMXBean())
                .asInstanceOf(InstanceOfAssertFactories.type(UnixOperatingSystemMXBean.class))
                .extracting(UnixOperatingSystemMXBean::getMaxFileDescriptorCount)
                .as("descriptors this test may open (ulimit -n)")
                .matches(most -> most > crowd + 1000);
        List<Socket> slow = new ArrayList<>(crowd);
        try (RunningProxy proxy = new RunningProxy(0, 0, "--origin", origin.url());
                RawClient good = proxy.client()) {
            assertThat(good.get("/x").status()).isEqualTo(200);
            long before = proxy.residentBytes();
            long begun = System.nanoTime();
            for (int i = 0; i < crowd; i++) {
                Socket one =
                        new Socket(proxy.address().getAddress(), proxy.address().getPort());
                one.getOutputStream().write("GET / HTTP/1.1\r\nX-Slow: ".getBytes());
                slow.add(one);
                if (i % 100 == 0) {
                    assertThat(good.get("/x").field("Cache-Status")).startsWith("komainu; hit");
                }
            }
            long added = proxy.residentBytes() - before;
            assertThat(added / slow.size()).as("bytes for each slow client").isLessThan(10 * 1024);
            for (Socket one : slow) {
                one.setSoTimeout(30_000);
                while (one.getInputStream().read() >= 0) {
                    // Perhaps a 408 first; the end is what counts.
                }
            }
            assertThat(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun))
                    .isLessThan(40);
            assertThat(good.get("/x").status()).isEqualTo(200);
        } finally {
            for (Socket one : slow) {
                one.close();
            }
        }
    }
}
