package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.komainu.intermediary.connection.CloseReason;
import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import dev.komainu.intermediary.transport.Transport;
import dev.komainu.proxy.connection.ReclaimFigures;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Hundreds of clients that request a large object and do not read it. */
class StalledReadersTest {

    private static final int READERS = 300;
    private static final int LENGTH = 1024 * 1024;

    /** So that the test fills the proxy, not the kernel: buffers of 16 KB each way. */
    @BeforeEach
    void needsBoundedSockets() {
        assumeTrue(
                Transport.EPOLL.isAvailable(),
                "Netty's epoll: not available here (expected: Linux on a processor it is built for)");
    }

    private static void begin(List<RawClient> readers, ProxyFixture proxy, String path)
            throws Exception {
        for (int i = 0; i < READERS; i++) {
            RawClient reader = proxy.client();
            readers.add(reader);
            reader.socket().setReceiveBufferSize(8 * 1024);
            reader.send("GET " + path + " HTTP/1.1\r\nHost: test.example\r\n\r\n");
        }
    }

    private static long bufferBytes(ProxyFixture proxy) {
        return proxy.proxy.figures().clients().reclaim().levels().stream()
                .filter(level -> level.resource() == CloseReason.BUFFERS)
                .mapToLong(ReclaimFigures.Level::used)
                .sum();
    }

    @Test
    void ofWhatIsPassedOn_holdLittle_andGetAllWhenTheyRead() throws Exception {
        String body = "0123456789abcdef".repeat(LENGTH / 16);
        List<RawClient> readers = new ArrayList<>();
        try (ScriptedOrigin origin = new ScriptedOrigin();
                ProxyFixture proxy = new ProxyFixture(
                        "origin",
                        origin.url(),
                        "workers",
                        "2",
                        "transport",
                        "epoll",
                        "buffers.scheme",
                        "fixed",
                        "deliver.read-ahead",
                        "2MB")) {
            origin.on("/passed", (request, socket, out) -> {
                socket.setSendBufferSize(8 * 1024);
                out.write(("HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nContent-Length: " + LENGTH
                                + "\r\n\r\n")
                        .getBytes());
                out.write(body.getBytes());
                return true;
            });
            long before = bufferBytes(proxy);
            begin(readers, proxy, "/passed");
            Awaitility.await().untilAsserted(() -> {
                assertThat(proxy.proxy.figures().origins().readAhead().pairs()).isEqualTo(READERS);
                assertThat(proxy.proxy.figures().origins().readAhead().heldUp()).isEqualTo(READERS);
            });
            assertThat(proxy.proxy.figures().origins().readAhead().reservedBytes())
                    .isLessThanOrEqualTo((2 << 20) + READERS * 2 * 1024);
            // Netty's memory for them at the end, including its rounding up; without limits it
            // would be about 24 MB.
            assertThat(bufferBytes(proxy) - before).isLessThan(6 << 20);
            for (RawClient reader : readers.subList(0, 2)) {
                assertThat(reader.read(false).body()).isEqualTo(body);
            }
            for (RawClient reader : readers) {
                reader.close();
            }
            Awaitility.await().untilAsserted(() -> {
                assertThat(proxy.proxy.figures().origins().readAhead().pairs()).isZero();
                assertThat(proxy.proxy.figures().origins().readAhead().reservedBytes())
                        .isZero();
                assertThat(proxy.proxy.figures().origins().readAhead().heldUp()).isZero();
            });
        }
    }

    @Test
    void ofWhatIsStored_holdNothingBesideTheCache() throws Exception {
        String body = "0123456789abcdef".repeat(LENGTH / 16);
        List<RawClient> readers = new ArrayList<>();
        try (ScriptedOrigin origin =
                        new ScriptedOrigin().ok("/stored", "Cache-Control: max-age=600\r\n", body);
                ProxyFixture proxy = new ProxyFixture(
                        "origin",
                        origin.url(),
                        "workers",
                        "2",
                        "transport",
                        "epoll",
                        "buffers.scheme",
                        "fixed")) {
            long before = bufferBytes(proxy);
            begin(readers, proxy, "/stored");
            Awaitility.await().untilAsserted(() -> {
                assertThat(proxy.proxy.figures().counters().responses).isEqualTo(READERS);
                assertThat(proxy.proxy.figures().cache().cacheObjects()).isOne();
                assertThat(bufferBytes(proxy) - before).isLessThan(4 << 20);
            });
            assertThat(origin.count("/stored")).isOne();
            assertThat(readers.getLast().read(false).body()).isEqualTo(body);
            for (RawClient reader : readers) {
                reader.close();
            }
        }
    }
}
