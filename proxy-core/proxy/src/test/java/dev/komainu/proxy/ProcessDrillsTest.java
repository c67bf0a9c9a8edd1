package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.komainu.intermediary.kit.Certified;
import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.RunningProxy;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import java.io.EOFException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Faults of a whole process: killed, terminated, out of descriptors, flooded by slow clients. */
class ProcessDrillsTest {

    private ScriptedOrigin origin;

    @BeforeEach
    void setUp() throws IOException {
        origin = new ScriptedOrigin();
        origin.ok("/x", "Cache-Control: max-age=600\r\n", "stored");
        origin.ok("/last", "Cache-Control: no-store\r\nConnection: close\r\n", "closed");
        origin.ok("/n", "Cache-Control: no-store\r\n", "y".repeat(5000));
    }

    @AfterEach
    void tearDown() throws IOException {
        origin.close();
    }

    @Test
    void usr1_beginsTheAccessLogAnew_andLosesNoLine(@TempDir Path directory) throws Exception {
        Path log = directory.resolve("access.log");
        Path config =
                Files.writeString(directory.resolve("proxy.yaml"), "log:\n  access: " + log + "\n");
        try (RunningProxy proxy = new RunningProxy(
                        0, 0, "--origin", origin.url(), "--config", config.toString());
                RawClient client = proxy.client()) {
            client.get("/x");
            proxy.signal("USR1");
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() ->
                            Files.exists(directory.resolve("access.log.0")) && Files.exists(log));
            client.get("/x");
            assertThat(proxy.terminate().waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(Files.readString(directory.resolve("access.log.0")) + Files.readString(log))
                    .contains("TCP_MISS/200")
                    .contains("TCP_MEM_HIT/200");
            assertThat(Files.readString(log)).contains("TCP_MEM_HIT/200");
        }
    }

    @Test
    void hup_readsTheConfigurationAgain_andSurvivesMistakes(@TempDir Path directory)
            throws Exception {
        Path config = directory.resolve("proxy.yaml");
        try (ScriptedOrigin other =
                new ScriptedOrigin().ok("/n", "Cache-Control: no-store\r\n", "other")) {
            Files.writeString(config, "origin: " + origin.url() + "\n");
            try (RunningProxy proxy = new RunningProxy(0, 0, "--config", config.toString());
                    RawClient client = proxy.client()) {
                assertThat(client.get("/n").body()).hasSize(5000);
                Files.writeString(config, "origin: " + other.url() + "\n");
                proxy.signal("HUP");
                Awaitility.await()
                        .atMost(Duration.ofSeconds(30))
                        .until(() -> client.get("/n").body().equals("other"));
                Files.writeString(config, "origin: nowhere\nworkers: many\n");
                proxy.signal("HUP");
                // Signals of one kind may merge, so the invalid value must be read before the
                // correction is written.
                Awaitility.await()
                        .atMost(Duration.ofSeconds(30))
                        .until(() -> proxy.hasLogged("workers: many"));
                assertThat(client.get("/n").body()).isEqualTo("other");
                Files.writeString(config, "origin: " + origin.url() + "\n");
                proxy.signal("HUP");
                Awaitility.await()
                        .atMost(Duration.ofSeconds(30))
                        .until(() -> client.get("/n").body().length() == 5000);
            }
        }
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

    /**
     * A JVM without our options refuses Netty its preferred memory access; bodies must not depend
     * on it.
     */
    @Test
    void startedWithoutAnySwitchOfTheJvm_storesAndServesLongBodies() throws Exception {
        origin.ok("/long", "Cache-Control: max-age=600\r\n", "z".repeat(300_000));
        try (RunningProxy proxy = new RunningProxy(List.of(), 0, 0, "--origin", origin.url());
                RawClient client = proxy.client()) {
            for (int i = 0; i < 2; i++) {
                RawClient.Answer answer = client.get("/long");
                assertThat(answer.status()).isEqualTo(200);
                assertThat(answer.body()).isEqualTo("z".repeat(300_000));
            }
            assertThat(client.get("/long").field("Cache-Status")).contains("hit");
        }
    }

    @Test
    void startedWithLessDirectMemoryThanItsCap_saysSoAndEnds() {
        List<String> switches = List.of("-XX:MaxDirectMemorySize=64m");
        assertThatThrownBy(() -> new RunningProxy(
                                switches, 0, 0, "--origin", origin.url(), "--memory", "1GB")
                        .close())
                .hasMessageContaining(
                        "cache.memory: 1073741824 (expected: at most 50331648 with the direct memory");
    }

    @Test
    void sigterm_underLoad_failsNoRequestThatWasBegun() throws Exception {
        try (RunningProxy proxy = new RunningProxy(0, 0, "--origin", origin.url())) {
            endUnderLoad(proxy, proxy::client);
        }
    }

    @Test
    void sigterm_underLoadOverTls_failsNoRequestThatWasBegun(@TempDir Path directory)
            throws Exception {
        Certified certified = Certified.make(directory, "EC", "-1d", "one.example");
        String[] files = certified.write(directory, "one").split("=");
        Path config = Files.writeString(
                directory.resolve("proxy.yaml"),
                "tls:\n  listen: 127.0.0.1:0\n  certificates:\n    - {certificate: " + files[0]
                        + ", key: " + files[1] + "}\n");
        try (RunningProxy proxy =
                new RunningProxy(0, 0, "--origin", origin.url(), "--config", config.toString())) {
            SSLContext context = Certified.trusting();
            // Its last line has the address for TLS.
            endUnderLoad(
                    proxy,
                    () -> new RawClient(
                            Certified.connect(context, proxy.address(), "one.example", "TLSv1.3")));
        }
    }

    private void endUnderLoad(RunningProxy proxy, Callable<RawClient> connect) throws Exception {
        AtomicInteger answered = new AtomicInteger();
        Queue<String> broken = new ConcurrentLinkedQueue<>();
        CountDownLatch busy = new CountDownLatch(400);
        List<Thread> clients = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            RawClient client = connect.call();
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
                    // Closed before any byte of the request was read; otherwise the counts below
                    // would differ.
                }
            }));
        }
        assertThat(busy.await(60, TimeUnit.SECONDS)).isTrue();
        Process ending = proxy.terminate();
        assertThat(ending.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(ending.exitValue()).isZero();
        for (Thread client : clients) {
            client.join();
        }
        assertThat(broken).isEmpty();
        assertThat(origin.count("/n")).isEqualTo(answered.get());
    }

    @Test
    void descriptors_exhausted_acceptPausesAndRecovers(@TempDir Path directory) throws Exception {
        List<Socket> crowd = new ArrayList<>();
        // Otherwise idle connections would be closed here.
        Path config = Files.writeString(
                directory.resolve("proxy.yaml"), "connections:\n  reclaim: off\n");
        try (RunningProxy proxy = new RunningProxy(
                        0, 160, "--origin", origin.url(), "--config", config.toString());
                RawClient early = proxy.client()) {
            assertThat(early.get("/x").body()).isEqualTo("stored");
            // Once while classes can still be loaded: from a directory each takes a descriptor,
            // from the product's jars none.
            assertThat(early.get("/x").field("Cache-Status")).startsWith("komainu; hit");
            assertThat(early.get("/n").status()).isEqualTo(200);
            assertThat(early.get("/last").body()).isEqualTo("closed");
            for (int i = 0; i < 300; i++) {
                crowd.add(
                        new Socket(proxy.address().getAddress(), proxy.address().getPort()));
            }
            // Connected clients are still served from memory.
            assertThat(early.get("/x").field("Cache-Status")).startsWith("komainu; hit");
            // The origin is not blamed for a connection that cannot be begun.
            assertThat(early.get("/n").status()).isEqualTo(503);
            for (Socket one : crowd) {
                one.close();
            }
            Awaitility.await().atMost(Duration.ofSeconds(60)).ignoreExceptions().until(() -> {
                try (RawClient late = proxy.client()) {
                    late.socket().setSoTimeout(10_000);
                    return late.get("/x").body().equals("stored")
                            && late.get("/n").status() == 200;
                }
            });
        }
    }

    @Test
    void descriptors_ofIdleClients_areFreedForNewClients() throws Exception {
        List<RawClient> crowd = new ArrayList<>();
        try (RunningProxy proxy = new RunningProxy(0, 160, "--origin", origin.url())) {
            for (int i = 0; i < 600; i++) {
                RawClient client = proxy.client();
                crowd.add(client);
                assertThat(client.get("/x").body()).isEqualTo("stored");
            }
            assertThat(crowd.getFirst().closedByPeer()).isTrue();
            assertThat(crowd.getLast().get("/x").body()).isEqualTo("stored");
        } finally {
            for (RawClient client : crowd) {
                client.close();
            }
        }
    }

    @Test
    void tenThousandSlowHeads_areCutInTimeAndCostLittle() throws Exception {
        int crowd = 10_000;
        long most = ManagementFactory.getOperatingSystemMXBean()
                        instanceof UnixOperatingSystemMXBean system
                ? system.getMaxFileDescriptorCount()
                : 0;
        assumeTrue(
                most > crowd + 1000,
                () -> "descriptors: " + most + " (expected: more than " + (crowd + 1000)
                        + "; ulimit -n)");
        List<Socket> slow = new ArrayList<>(crowd);
        try (RunningProxy proxy = new RunningProxy(0, 0, "--origin", origin.url());
                RawClient good = proxy.client()) {
            assertThat(good.get("/x").status()).isEqualTo(200);
            long before = proxy.residentBytes();
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
                // Far more than the ten seconds it needs; src/bench/flood.py measures the speed.
                one.setSoTimeout(60_000);
                while (one.getInputStream().read() >= 0) {
                    // Perhaps a 408 first; the end is what counts.
                }
            }
            assertThat(good.get("/x").status()).isEqualTo(200);
        } finally {
            for (Socket one : slow) {
                one.close();
            }
        }
    }

    /** A smaller flood than that of src/bench/flood.py, which measures. */
    @Test
    void floodsOfEveryKind_besideDrippingHeads_failNoGoodRequest() throws Exception {
        Map<Integer, String> floods = Map.of(
                431, "GET / HTTP/1.1\r\nHost: a\r\n" + "X: y\r\n".repeat(20_000) + "\r\n",
                414, "GET /" + "a".repeat(1 << 20) + " HTTP/1.1\r\nHost: a\r\n\r\n",
                400,
                        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;"
                                + "a".repeat(1 << 20) + "\r\nx\r\n0\r\n\r\n",
                200, "GET /x HTTP/1.1\r\nHost: a\r\n\r\n" + "\0garbage".repeat(1 << 16));
        List<Socket> slow = new ArrayList<>();
        Queue<String> unexpected = new ConcurrentLinkedQueue<>();
        Queue<Integer> told = new ConcurrentLinkedQueue<>();
        try (RunningProxy proxy = new RunningProxy(0, 0, "--origin", origin.url());
                RawClient good = proxy.client()) {
            for (int i = 0; i < 300; i++) {
                Socket one =
                        new Socket(proxy.address().getAddress(), proxy.address().getPort());
                one.getOutputStream().write("GET / HTTP/1.1\r\nX-Slow: ".getBytes());
                slow.add(one);
            }
            List<Thread> flooding = new ArrayList<>();
            floods.forEach((status, bytes) -> flooding.add(Thread.ofVirtual().start(() -> {
                for (int i = 0; i < 10; i++) {
                    int answered = flood(proxy, bytes);
                    told.add(answered);
                    if (answered != 0 && answered != status) {
                        unexpected.add(answered + " for the flood of " + status);
                    }
                }
            })));
            int open = slow.size();
            for (int round = 0; open > 0 || flooding.stream().anyMatch(Thread::isAlive); round++) {
                assertThat(good.get("/x").body()).isEqualTo("stored");
                assertThat(good.get("/n").body()).hasSize(5000);
                open = 0;
                for (Socket one : slow) {
                    open += drips(one) ? 1 : 0;
                }
                assertThat(round).as("rounds until the slow ones are cut").isLessThan(1_000_000);
            }
            assertThat(unexpected).isEmpty();
            assertThat(told).contains(431, 414, 400, 200);
        } finally {
            for (Socket one : slow) {
                one.close();
            }
        }
    }

    /**
     * Reads the response.
     *
     * @return the first status; 0 when a reset destroyed it
     */
    private static int flood(RunningProxy proxy, String bytes) {
        try (RawClient client = proxy.client()) {
            try {
                client.send(bytes);
            } catch (IOException refusedMeanwhile) {
                // The response may have arrived nevertheless.
            }
            return client.read(false).status();
        } catch (IOException reset) {
            return 0;
        }
    }

    /**
     * Sends one more byte.
     *
     * @return false when the proxy has closed
     */
    private static boolean drips(Socket one) throws IOException {
        if (one.isClosed()) {
            return false;
        }
        try {
            one.getOutputStream().write('x');
            return true;
        } catch (IOException cut) {
            one.close();
            return false;
        }
    }
}
