package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.komainu.intermediary.buffer.BufferFigures;
import dev.komainu.intermediary.buffer.BufferScheme;
import dev.komainu.intermediary.connection.CloseReason;
import dev.komainu.intermediary.connection.ConnectionSide;
import dev.komainu.intermediary.kit.Certified;
import dev.komainu.intermediary.kit.FrameClient;
import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import dev.komainu.intermediary.transport.Transport;
import dev.komainu.proxy.connection.ReclaimFigures;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Connections with shares of a budget: the same bytes in the same order, and no more outstanding
 * than a share.
 */
class SocketBuffersTest {

    private static final int LARGE = 256 * 1024;

    private ScriptedOrigin origin;
    private String body;

    @BeforeEach
    void setUp() throws IOException {
        assumeTrue(
                Transport.EPOLL.isAvailable(),
                "Netty's epoll: not available here (expected: Linux on a processor it is built for)");
        origin = new ScriptedOrigin();
        StringBuilder text = new StringBuilder(LARGE + 16);
        for (int i = 0; text.length() < LARGE; i++) {
            text.append(i).append(',');
        }
        body = text.toString();
        origin.ok("/stored", "Cache-Control: max-age=600\r\n", body);
        origin.ok("/passed", "Cache-Control: no-store\r\n", body);
        origin.ok("/small", "Cache-Control: max-age=600\r\n", "small");
    }

    @AfterEach
    void tearDown() throws IOException {
        if (origin != null) {
            origin.close();
        }
    }

    private ProxyFixture proxy(String... more) throws IOException {
        List<String> settings = new ArrayList<>(
                List.of("origin", origin.url(), "workers", "1", "transport", "epoll"));
        settings.addAll(List.of(more));
        return new ProxyFixture(settings.toArray(String[]::new));
    }

    @ParameterizedTest
    @ValueSource(strings = {"kernel", "fixed", "equation"})
    void answers_areWhole_underEachScheme(String scheme) throws Exception {
        try (ProxyFixture proxy = proxy("buffers.scheme", scheme, "buffers.budget", "64KB");
                RawClient client = proxy.client();
                RawClient other = proxy.client();
                FrameClient http2 = new FrameClient(proxy.proxy.address())) {
            for (int round = 0; round < 3; round++) {
                assertThat(client.get("/stored").body()).isEqualTo(body);
                assertThat(other.get("/passed").body()).isEqualTo(body);
                assertThat(client.get("/small").body()).isEqualTo("small");
                assertThat(http2.get("/stored").body()).isEqualTo(body);
            }
            assertThat(proxy.proxy.figures().clients().buffers().scheme())
                    .isEqualTo(BufferScheme.parse(scheme));
        }
    }

    @Test
    void answers_overTls_areWholeToo(@TempDir Path directory) throws Exception {
        Certified certified = Certified.make(directory, "EC", "-1d", "one.example");
        try (ProxyFixture proxy = proxy(
                        "buffers.scheme",
                        "fixed",
                        "tls.listen",
                        "127.0.0.1:0",
                        "tls.certificates",
                        certified.write(directory, "one"));
                RawClient client = new RawClient(Certified.connect(
                        Certified.trusting(),
                        proxy.proxy.addresses().getLast(),
                        "one.example",
                        "TLSv1.3"))) {
            assertThat(client.get("/passed").body()).isEqualTo(body);
            assertThat(client.get("/stored").body()).isEqualTo(body);
            assertThat(client.get("/stored").body()).isEqualTo(body);
        }
    }

    @Test
    void stalledReader_hasNoMoreOutstandingThanItsShare_andGetsAllWhenItReads() throws Exception {
        try (ProxyFixture proxy = proxy("buffers.scheme", "equation", "buffers.budget", "64KB");
                RawClient stalled = proxy.client();
                RawClient other = proxy.client()) {
            assertThat(other.get("/stored").status()).isEqualTo(200);
            stalled.socket().setReceiveBufferSize(4096);
            stalled.send("GET /stored HTTP/1.1\r\nHost: test.example\r\n\r\n");
            BufferFigures told = Awaitility.await()
                    .until(
                            () -> proxy.proxy.figures().clients().buffers(),
                            now -> now.flows().stream()
                                    .anyMatch(flow -> flow.outstandingBytes() > 2048
                                            && flow.rttMicros() > 0));
            assertThat(told.flows()).allSatisfy(flow -> {
                assertThat(flow.outstandingBytes()).isLessThanOrEqualTo(64 * 1024);
                assertThat(flow.shareBytes()).isBetween(1024L, 64L * 1024);
            });
            assertThat(told.inUse()).isPositive();
            assertThat(told.inUseBytes() + told.idleBytes() + told.freeBytes())
                    .isEqualTo(64 * 1024);
            // The other connections continue.
            assertThat(other.get("/stored").body()).isEqualTo(body);
            assertThat(stalled.read(false).body()).isEqualTo(body);
        }
    }

    @Test
    void connections_afterTheirResponses_areIdleAtOnce_notASecondLater() throws Exception {
        try (ProxyFixture proxy = proxy("buffers.scheme", "equation", "buffers.budget", "64KB");
                RawClient client = proxy.client()) {
            Awaitility.await().untilAsserted(() -> {
                // Between two checks: otherwise it would be idle anyway.
                look(proxy);
                assertThat(client.get("/passed").body()).isEqualTo(body);
                BufferFigures next = look(proxy);
                assertThat(next.inUse()).as("%s", next).isZero();
                assertThat(next.idle())
                        .as("the client's and the origin's: %s", next)
                        .isGreaterThanOrEqualTo(2);
            });
        }
    }

    /** The state at the next check. */
    private static BufferFigures look(ProxyFixture proxy) {
        BufferFigures before = proxy.proxy.figures().clients().buffers();
        return Awaitility.await()
                .until(() -> proxy.proxy.figures().clients().buffers(), now -> now != before);
    }

    @Test
    void idleConnections_thatKeepTheBudget_closeForItsSake() throws Exception {
        List<RawClient> all = new ArrayList<>();
        try (ProxyFixture proxy = proxy(
                "buffers.scheme",
                "equation",
                "buffers.budget",
                "64KB",
                "buffers.idle-decay",
                "off")) {
            // The bytes they keep depend on the connections in use at a check; that the budget runs
            // out does not.
            Awaitility.await().until(() -> {
                RawClient next = proxy.client();
                all.add(next);
                assertThat(next.get("/small").body()).isEqualTo("small");
                return proxy.proxy.figures().clients().reclaim().closed().stream()
                        .anyMatch(closed -> closed.why() == CloseReason.BUFFER_BUDGET
                                && closed.side() == ConnectionSide.CLIENT
                                && closed.count() > 0);
            });
            assertThat(all.getFirst().socket().getInputStream().read())
                    .as("idle for longest")
                    .isEqualTo(-1);
        } finally {
            for (RawClient each : all) {
                each.close();
            }
        }
    }

    @Test
    void idleConnections_withDecayingShares_doNotBlockOthers() throws Exception {
        try (ProxyFixture proxy = proxy("buffers.scheme", "equation", "buffers.budget", "64KB");
                RawClient one = proxy.client();
                RawClient two = proxy.client();
                RawClient three = proxy.client();
                RawClient four = proxy.client()) {
            for (RawClient each : List.of(one, two, three, four)) {
                assertThat(each.get("/small").body()).isEqualTo("small");
            }
            ReclaimFigures.Level bound = Awaitility.await()
                    .until(
                            () -> level(proxy),
                            now -> now != null
                                    && now.used() >= 4 * 1024
                                    && proxy.proxy.figures().clients().buffers().idle() >= 4);
            // Four clients and one to the origin, at most as if all were in use.
            assertThat(bound.used()).isLessThanOrEqualTo(5 * 2304);
            assertThat(bound.limit()).isEqualTo(64 * 1024);
            assertThat(bound.isShort()).isFalse();
            assertThat(one.get("/small").body()).isEqualTo("small");
        }
    }

    @Test
    void budget_withoutOne_isNotChecked() throws Exception {
        try (ProxyFixture proxy = proxy("buffers.scheme", "fixed")) {
            ReclaimFigures.Level unknown =
                    Awaitility.await().until(() -> level(proxy), now -> now != null);
            assertThat(unknown.limit()).isZero();
            assertThat(unknown.isShort()).isFalse();
        }
    }

    private static ReclaimFigures.@Nullable Level level(ProxyFixture proxy) {
        return proxy.proxy.figures().clients().reclaim().levels().stream()
                .filter(level -> level.resource() == CloseReason.BUFFER_BUDGET)
                .findFirst()
                .orElse(null);
    }

    @Test
    void idleConnections_giveUpTheirShares() throws Exception {
        try (ProxyFixture proxy = proxy("buffers.scheme", "equation", "buffers.budget", "64KB");
                RawClient one = proxy.client();
                RawClient two = proxy.client()) {
            one.get("/small");
            two.get("/small");
            BufferFigures later = Awaitility.await()
                    .until(
                            () -> proxy.proxy.figures().clients().buffers(),
                            now -> now.idle() >= 2
                                    && now.inUse() == 0
                                    && now.idleBytes() <= now.idle() * 8L * 1024);
            assertThat(later.freeBytes()).isEqualTo((64 << 10) - later.idleBytes());
            assertThat(one.get("/stored").body()).isEqualTo(body);
        }
    }

    @Test
    void reload_toTheKernel_releasesAll() throws Exception {
        try (ReloadableProxy proxy = new ReloadableProxy(
                        "origin", origin.url(), "transport", "epoll", "buffers.scheme", "fixed");
                RawClient client = proxy.client()) {
            assertThat(client.get("/small").status()).isEqualTo(200);
            client.send("GET /stored HTTP/1.1\r\nHost: test.example\r\n\r\n");
            assertThat(proxy.reload("buffers.scheme", "kernel").problems()).isEmpty();
            assertThat(client.read(false).body()).isEqualTo(body);
            assertThat(proxy.reload("buffers.scheme", "equation").problems()).isEmpty();
            try (RawClient next = proxy.client()) {
                assertThat(next.get("/stored").body()).isEqualTo(body);
                assertThat(client.get("/stored").body()).isEqualTo(body);
            }
        }
    }
}
