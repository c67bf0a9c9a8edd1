package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import java.io.IOException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Slow peers: others on the same loop must not be delayed, and none may stay for ever. */
class SlowPeersTest {

    private static final String FRESH = "Cache-Control: max-age=60\r\n";
    private static final int LARGE = 32 * 1024 * 1024;

    private ScriptedOrigin origin;

    @BeforeEach
    void setUp() throws IOException {
        origin = new ScriptedOrigin();
        origin.ok("/small", "Cache-Control: no-store\r\n", "small");
        origin.on("/large", (request, socket, out) -> {
            out.write(("HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nContent-Length: " + LARGE
                            + "\r\n\r\n")
                    .getBytes());
            byte[] part = new byte[64 * 1024];
            for (int sent = 0; sent < LARGE; sent += part.length) {
                out.write(part);
            }
            return true;
        });
    }

    @AfterEach
    void tearDown() throws IOException {
        origin.close();
    }

    /** The longest pause of the test itself, as a busy machine may cause it. */
    private static final class Stillness {
        private long last = System.nanoTime();
        private long longest;

        void ends() {
            long now = System.nanoTime();
            longest = Math.max(longest, now - last);
            last = now;
        }
    }

    @FunctionalInterface
    private interface Attempt {
        void with(long timeOutMillis, Stillness own) throws Exception;
    }

    /**
     * A peer that was itself silent for half the timeout was cut off correctly: this proves
     * nothing, so the test repeats with more time.
     */
    private static void withTimeEnough(long timeOutMillis, Attempt attempt) throws Exception {
        for (long millis = timeOutMillis; ; millis *= 3) {
            Stillness own = new Stillness();
            try {
                attempt.with(millis, own);
                return;
            } catch (IOException | AssertionError e) {
                own.ends();
                if (TimeUnit.NANOSECONDS.toMillis(own.longest) < millis / 2 || millis > 30_000) {
                    throw e;
                }
            }
        }
    }

    @Test
    void client_thatNeverReads_isResetAndCounted() throws IOException {
        try (ProxyFixture proxy = new ProxyFixture(
                        "origin", origin.url(), "workers", "1", "deliver.stall-timeout", "300ms");
                RawClient deaf = proxy.client();
                RawClient other = proxy.client()) {
            deaf.send("GET /large HTTP/1.1\r\nHost: test.example\r\n\r\n");
            Awaitility.await().untilAsserted(() -> {
                assertThat(other.get("/small").body()).isEqualTo("small");
                assertThat(proxy.proxy.figures().counters().stalledWrites).isEqualTo(1);
                assertThat(proxy.proxy.figures().counters().inFlight).isZero();
            });
            assertThatThrownBy(() -> deaf.read(false)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void client_thatNeverReadsHits_isResetAndCounted() throws IOException {
        origin.ok("/stored", FRESH, "x".repeat(1024 * 1024));
        try (ProxyFixture proxy = new ProxyFixture(
                        "origin", origin.url(), "workers", "1", "deliver.stall-timeout", "300ms");
                RawClient deaf = proxy.client();
                RawClient other = proxy.client()) {
            assertThat(other.get("/stored").status()).isEqualTo(200);
            deaf.send("GET /stored HTTP/1.1\r\nHost: test.example\r\n\r\n".repeat(64));
            Awaitility.await()
                    .untilAsserted(() -> assertThat(proxy.proxy.figures().counters().stalledWrites)
                            .isEqualTo(1));
            assertThat(other.get("/stored").field("Cache-Status")).startsWith("komainu; hit");
        }
    }

    @Test
    void client_thatReadsSlowly_isLeftAlone() throws Exception {
        withTimeEnough(2_000, this::readSlowly);
    }

    private void readSlowly(long stallMillis, Stillness own) throws Exception {
        try (ProxyFixture proxy = new ProxyFixture(
                        "origin",
                        origin.url(),
                        "workers",
                        "1",
                        "deliver.stall-timeout",
                        stallMillis + "ms");
                RawClient slow = proxy.client();
                RawClient other = proxy.client()) {
            slow.send("GET /large HTTP/1.1\r\nHost: test.example\r\n\r\n");
            var in = slow.socket().getInputStream();
            byte[] part = new byte[64 * 1024];
            long got = 0;
            // Accepts bytes for longer than the timeout in total, but never pauses nearly so long.
            // Each read is larger than the threshold at
            // which a kernel opens the window again: smaller reads are progress that it does not
            // report.
            for (int sip = 1; sip <= 50; sip++) {
                for (long upTo = sip * (256 * 1024L); got < upTo; ) {
                    int read = in.read(part);
                    assertThat(read).isPositive();
                    got += read;
                    own.ends();
                }
                long pause =
                        System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(stallMillis * 3 / 100);
                while (System.nanoTime() - pause < 0) {
                    assertThat(other.get("/small").body()).isEqualTo("small");
                }
            }
            while (got < LARGE) {
                int read = in.read(part);
                assertThat(read).isPositive();
                got += read;
                own.ends();
            }
            assertThat(proxy.proxy.figures().counters().stalledWrites).isZero();
        }
    }

    @Test
    void origin_thatSendsSlowly_delaysNoOtherAndEndsByItsSilence() throws Exception {
        withTimeEnough(1_500, this::drip);
    }

    private void drip(long silenceMillis, Stillness own) throws Exception {
        int before = origin.count("/drip");
        Semaphore drops = new Semaphore(0);
        origin.on("/drip", (request, socket, out) -> {
            out.write(
                    ("HTTP/1.1 200 OK\r\n" + FRESH + "Content-Length: 100000\r\n\r\n").getBytes());
            while (true) {
                drops.acquire();
                out.write('d');
                out.flush();
            }
        });
        try (ProxyFixture proxy = new ProxyFixture(
                        "origin",
                        origin.url(),
                        "workers",
                        "1",
                        "upstream.response-timeout",
                        silenceMillis + "ms");
                RawClient patient = proxy.client();
                RawClient other = proxy.client()) {
            patient.send("GET /drip HTTP/1.1\r\nHost: test.example\r\n\r\n");
            var in = patient.socket().getInputStream();
            int last4 = 0;
            while (last4 != 0x0d0a0d0a) {
                int read = in.read();
                assertThat(read).isNotNegative();
                last4 = last4 << 8 | read;
            }
            // Longer than the timeout for silence: each byte restarts that timeout.
            long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(silenceMillis * 4 / 3);
            while (System.nanoTime() - until < 0) {
                drops.release();
                assertThat(in.read()).isEqualTo('d');
                own.ends();
                assertThat(other.get("/small").body()).isEqualTo("small");
            }
            assertThat(patient.closedByPeer()).isTrue();
            assertThat(other.get("/small").body()).isEqualTo("small");
            Awaitility.await()
                    .untilAsserted(() -> assertThat(proxy.proxy.figures().counters().inFlight)
                            .isZero());
            assertThat(origin.count("/drip") - before).isEqualTo(1);
        }
    }

    @Test
    void origin_thatDripsBelowItsRate_isCutOffAndNothingIsStored() throws Exception {
        Semaphore drops = new Semaphore(0);
        origin.on("/drip", (request, socket, out) -> {
            out.write(
                    ("HTTP/1.1 200 OK\r\n" + FRESH + "Content-Length: 100000\r\n\r\n").getBytes());
            while (true) {
                drops.acquire();
                out.write('d');
                out.flush();
            }
        });
        try (ProxyFixture proxy = new ProxyFixture(
                        "origin",
                        origin.url(),
                        "workers",
                        "1",
                        "upstream.min-body-rate",
                        "100000",
                        "upstream.body-window",
                        "500ms");
                RawClient client = proxy.client();
                RawClient other = proxy.client()) {
            client.send("GET /drip HTTP/1.1\r\nHost: test.example\r\n\r\n");
            Thread dripping = Thread.ofVirtual().start(() -> {
                while (proxy.proxy.figures().counters().origin.failures == 0) {
                    drops.release();
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
                }
            });
            assertThatThrownBy(() -> client.read(false)).isInstanceOf(IOException.class);
            dripping.join();
            // A faster upload passes whole.
            assertThat(other.get("/large").body()).hasSize(LARGE);
            assertThat(proxy.proxy.figures().cache().cacheObjects()).isZero();
        }
    }

    @Test
    void client_thatReadsBelowItsRate_isResetAndCounted() throws Exception {
        try (ProxyFixture proxy = new ProxyFixture(
                        "origin",
                        origin.url(),
                        "workers",
                        "1",
                        "deliver.stall-timeout",
                        "1s",
                        "deliver.min-rate",
                        "1000000");
                RawClient slow = proxy.client();
                RawClient other = proxy.client()) {
            slow.socket().setReceiveBufferSize(16 * 1024);
            slow.send("GET /large HTTP/1.1\r\nHost: test.example\r\n\r\n");
            Thread sipping = Thread.ofVirtual().start(() -> {
                byte[] sip = new byte[4 * 1024];
                try {
                    while (slow.socket().getInputStream().read(sip) >= 0) {
                        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
                    }
                } catch (IOException reset) {
                    // This is expected.
                }
            });
            Awaitility.await()
                    .untilAsserted(() -> assertThat(proxy.proxy.figures().counters().stalledWrites)
                            .isEqualTo(1));
            sipping.join();
            assertThat(other.get("/small").body()).isEqualTo("small");
        }
    }
}
