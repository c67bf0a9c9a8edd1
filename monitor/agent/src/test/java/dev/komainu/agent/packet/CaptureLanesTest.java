package dev.komainu.agent.packet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.komainu.agent.NginxServer;
import dev.komainu.agent.connection.AnalyzerConfig;
import dev.komainu.agent.connection.ServiceNames;
import dev.komainu.agent.lab.Records;
import dev.komainu.agent.summary.CaptureSession;
import dev.komainu.agent.summary.WindowJoin;
import dev.komainu.telemetry.kit.Capability;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Distribution of packets to threads by the kernel. Needs NET_RAW, libpcap and nginx. */
class CaptureLanesTest {

    private static final int CONNECTIONS = 100;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /**
     * Largest difference between the timestamps: each socket stamps a packet when it receives it.
     */
    private static final long BETWEEN_MICROS = 50_000;

    @TempDir
    Path directory;

    @BeforeEach
    void setUp() {
        Capability.need("captures", Capability.NET_RAW);
    }

    /** One thread and two threads watch the same traffic at the same time. */
    @ParameterizedTest
    @ValueSource(strings = {"lo", "any"})
    void lanes_realClients_reportTheSameAsOneThread(String name) throws Exception {
        try (NginxServer server = NginxServer.start(directory);
                Watch alone = new Watch(name, server.port(), 1);
                Watch shared = new Watch(name, server.port(), 2)) {
            assertThat(shared.lanes.refusal()).isNull();
            for (int i = 0; i < CONNECTIONS; i++) {
                get(server.port(), 1 + i % 3);
            }
            alone.finish();
            shared.finish();

            assertThat(shared.lanes.lanes()).hasSize(2).allMatch(lane -> lane.delivered() > 100);
            assertThat(alone.connections())
                    .hasSize(CONNECTIONS)
                    .allSatisfy(connection ->
                            assertThat(connection.handshake().synCount()).isEqualTo(1));
            assertThat(Records.differences(
                            alone.connections(), shared.connections(), BETWEEN_MICROS, Set.of()))
                    .isEmpty();
            for (ToLongFunction<ServiceWindow> count : List.<ToLongFunction<ServiceWindow>>of(
                    window -> window.connections().arrivals(),
                    window -> window.connections().ended(),
                    window -> window.exchanges().requests(),
                    window -> window.exchanges().responses(),
                    window -> window.packets().capturedPackets(),
                    window -> window.packets().up().packets(),
                    window -> window.packets().down().uniqueBytes(),
                    window -> window.times().response().count())) {
                assertThat(shared.sum(count)).isEqualTo(alone.sum(count)).isPositive();
            }
            assertThat(shared.windows())
                    .extracting(ServiceWindow::fromMicros)
                    .doesNotHaveDuplicates()
                    .isSorted();
            // One client after the other.
            assertThat(shared.windows())
                    .extracting(window -> window.concurrency().concurrentMax())
                    .allMatch(highest -> highest <= 2);
        }
    }

    @Test
    void lanes_silentLink_windowsContinue_andAllEndSoon() throws Exception {
        try (Watch shared = new Watch("lo", 1, 3)) {
            await().atMost(PATIENCE).until(() -> shared.windows().size() >= 2);
            shared.finish();
            List<ServiceWindow> windows = shared.windows();
            for (int i = 1; i < windows.size(); i++) {
                assertThat(windows.get(i).fromMicros())
                        .isEqualTo(windows.get(i - 1).fromMicros() + 1_000_000);
            }
        }
    }

    private static final class Watch implements AutoCloseable {

        private final CaptureLanes lanes;
        private final Queue<TelemetryRecord> records = new ConcurrentLinkedQueue<>();
        private final List<Thread> threads = new ArrayList<>();

        Watch(String name, int port, int number) throws CaptureProblemException {
            lanes = CaptureLanes.open(
                    new LiveCaptureConfig(List.of(name), Set.of(port), 2_048, 4 << 20)
                            .withThreads(number));
            ServiceNames names = new ServiceNames() {
                @Override
                public String nameOf(Endpoint server) {
                    return server.port() == port ? "here:" + port : null;
                }

                @Override
                public List<String> always() {
                    return List.of("here:" + port);
                }
            };
            WindowJoin join = new WindowJoin(records::add);
            List<CaptureSession> sessions = lanes.lanes().stream()
                    .map(lane -> new CaptureSession(
                            lane,
                            AnalyzerConfig.live(Set.of(port)).sharedBy(number),
                            names,
                            Duration.ofSeconds(1),
                            records::add,
                            number == 1 ? null : join.part()))
                    .toList();
            sessions.forEach(session -> threads.add(Thread.ofPlatform().start(() -> {
                try {
                    session.run();
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            })));
        }

        void finish() throws InterruptedException {
            lanes.finish();
            for (Thread thread : threads) {
                assertThat(thread.join(PATIENCE)).isTrue();
            }
        }

        List<ConnectionRecord> connections() {
            return records.stream()
                    .filter(ConnectionRecord.class::isInstance)
                    .map(ConnectionRecord.class::cast)
                    .sorted(Comparator.comparingInt(it -> it.client().port()))
                    .toList();
        }

        List<ServiceWindow> windows() {
            return records.stream()
                    .filter(ServiceWindow.class::isInstance)
                    .map(ServiceWindow.class::cast)
                    .toList();
        }

        long sum(ToLongFunction<ServiceWindow> count) {
            return windows().stream().mapToLong(count).sum();
        }

        @Override
        public void close() {
            lanes.close();
        }
    }

    private static void get(int port, int requests) throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            for (int i = 1; i <= requests; i++) {
                String close = i == requests ? "Connection: close\r\n" : "";
                socket.getOutputStream()
                        .write(("GET /index.html HTTP/1.1\r\nHost: a\r\n" + close + "\r\n")
                                .getBytes(StandardCharsets.US_ASCII));
                if (i < requests) {
                    assertThat(socket.getInputStream().read(new byte[8_192])).isPositive();
                }
            }
            socket.getInputStream().readAllBytes();
        }
    }
}
