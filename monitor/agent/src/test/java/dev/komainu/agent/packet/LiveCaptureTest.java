package dev.komainu.agent.packet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.komainu.agent.NginxServer;
import dev.komainu.agent.connection.AnalyzerConfig;
import dev.komainu.agent.connection.ServiceNames;
import dev.komainu.agent.summary.CaptureSession;
import dev.komainu.telemetry.kit.Capability;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.ConnectionState;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Capture of real packets. Needs NET_RAW, libpcap and nginx. */
class LiveCaptureTest {

    private static final int CONNECTIONS = 200;

    /**
     * An action of one second takes ten and more where twenty other processes use the processor.
     */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path directory;

    private final Queue<TelemetryRecord> records = new ConcurrentLinkedQueue<>();
    private final Queue<Throwable> thrown = new ConcurrentLinkedQueue<>();

    /** Fails when a reading thread threw: no test sees its exception otherwise. */
    @AfterEach
    void tearDown() {
        assertThat(thrown).isEmpty();
    }

    @Test
    void run_realClientsOfARealServer_everyConnectionOnceWithItsTimes() throws Exception {
        try (NginxServer server = NginxServer.start(directory);
                LiveCapture capture = capture(server.port(), 8 << 20)) {
            Thread thread = watch(capture, server.port());
            Map<Integer, Long> waitedMicros = new HashMap<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                get(server.port(), waitedMicros);
            }
            await().atMost(Duration.ofSeconds(60)).until(() -> connections().size() >= CONNECTIONS);
            capture.stop();
            assertThat(thread.join(PATIENCE)).isTrue();
            assertThat(connections()).hasSize(CONNECTIONS);
            assertThat(connections()).allSatisfy(it -> {
                assertThat(it.state()).isEqualTo(ConnectionState.NORMAL);
                assertThat(it.handshake().synCount()).isEqualTo(1);
                assertThat(it.up().retransmissions()).as("loopback seen twice").isZero();
                assertThat(it.exchanges()).hasSize(1);
                assertThat(it.exchanges().getFirst().target()).isEqualTo("/index.html");
                assertThat(it.exchanges().getFirst().status()).isEqualTo(200);
                assertThat(it.exchanges().getFirst().responseMicros())
                        .as("within what the client waited, whose clock is another")
                        .isBetween(1L, waitedMicros.get(it.client().port()) + 1_000);
            });
            assertThat(windows().stream()
                            .mapToLong(window -> window.connections().arrivals())
                            .sum())
                    .isEqualTo(CONNECTIONS);
            assertThat(windows().stream()
                            .mapToLong(window -> window.connections().ended())
                            .sum())
                    .isEqualTo(CONNECTIONS);
            assertThat(windows().stream()
                            .mapToLong(window -> window.exchanges().responses())
                            .sum())
                    .isEqualTo(CONNECTIONS);
            assertThat(capture.dropped()).isZero();
        }
    }

    @Test
    void run_anyDevice_readsCookedFrames() throws Exception {
        Capability.need("captures", Capability.NET_RAW);
        try (NginxServer server = NginxServer.start(directory);
                LiveCapture capture = LiveCapture.open(new LiveCaptureConfig(
                        List.of("any"), Set.of(server.port()), 2_048, 8 << 20))) {
            Thread thread = watch(capture, server.port());
            get(server.port());
            await().atMost(Duration.ofSeconds(60)).until(() -> !connections().isEmpty());
            capture.stop();
            assertThat(thread.join(PATIENCE)).isTrue();
            assertThat(connections()).hasSize(1);
            assertThat(connections().getFirst().up().retransmissions()).isZero();
            assertThat(connections().getFirst().exchanges()).hasSize(1);
        }
    }

    @Test
    void run_silentLink_windowsContinueAndStopEndsTheRun() throws Exception {
        try (LiveCapture capture = capture(1, 1 << 20)) {
            Thread thread = watch(capture, 1);
            await().atMost(Duration.ofSeconds(60)).until(() -> windows().size() >= 2);
            capture.stop();
            assertThat(thread.join(PATIENCE)).isTrue();
            assertThat(windows().getFirst().service()).isEqualTo("here:1");
            assertThat(windows().getFirst().connections().arrivals()).isZero();
            List<ServiceWindow> all = windows();
            for (int i = 1; i < all.size(); i++) {
                assertThat(all.get(i).fromMicros())
                        .isEqualTo(all.get(i - 1).fromMicros() + 1_000_000);
            }
        }
    }

    /** The first reported second is marked as partial; a window before it would hide that. */
    @Test
    void run_begunEarlyInASecond_firstWindowIsThatSecond() throws Exception {
        try (LiveCapture capture = capture(1, 1 << 20)) {
            await().pollInterval(Duration.ofMillis(1))
                    .until(() -> Instant.now().getNano() < 50_000_000);
            long second = Instant.now().getEpochSecond();
            Thread thread = watch(capture, 1);
            await().atMost(Duration.ofSeconds(60)).until(() -> !windows().isEmpty());
            capture.stop();
            assertThat(thread.join(PATIENCE)).isTrue();
            assertThat(windows().getFirst().fromMicros())
                    .isGreaterThanOrEqualTo(second * 1_000_000);
        }
    }

    /** As for a probe of two links that had to wait for the processor. */
    @Test
    void run_ringsThatFilledForASecond_areReadInOrderOfTime() throws Exception {
        Capability.need("captures", Capability.NET_RAW);
        try (NginxServer server = NginxServer.start(directory);
                LiveCapture capture = LiveCapture.open(new LiveCaptureConfig(
                        List.of("lo", "any"), Set.of(server.port()), 2_048, 8 << 20))) {
            // Fewer packets than are read from one ring at once.
            long begun = System.nanoTime();
            await().pollInterval(Duration.ofMillis(30)).atMost(PATIENCE).until(() -> {
                get(server.port());
                return System.nanoTime() - begun > 1_000_000_000;
            });
            capture.finish();
            long[] newestAndStep = {0, 0};
            int[] interfaces = {0};
            capture.run(new FrameSink() {
                @Override
                public void frame(
                        long micros,
                        LinkType link,
                        MemorySegment memory,
                        long offset,
                        int length,
                        int wireLength) {
                    newestAndStep[1] = Math.max(newestAndStep[1], newestAndStep[0] - micros);
                    newestAndStep[0] = Math.max(newestAndStep[0], micros);
                }

                @Override
                public void setInterface(int networkInterface) {
                    interfaces[0] |= 1 << networkInterface;
                }
            });

            assertThat(interfaces[0]).isEqualTo(3);
            assertThat(newestAndStep[0]).isPositive();
            // The kernel delivers the last blocks within 100 ms of each other.
            assertThat(newestAndStep[1]).isLessThan(400_000);
        }
    }

    @Test
    void watch_anotherPort_takesItsConnectionsFromThenOn() throws Exception {
        try (NginxServer server = NginxServer.start(directory);
                LiveCapture capture = capture(1, 8 << 20)) {
            Thread thread = watch(capture, server.port());
            capture.watch(Set.of(server.port()));
            await().atMost(Duration.ofSeconds(60)).until(() -> {
                get(server.port());
                return !connections().isEmpty();
            });
            capture.stop();
            assertThat(thread.join(PATIENCE)).isTrue();
        }
    }

    /**
     * The ring is not read while it fills, so it loses packets at any speed of the machine. The
     * awaited events also come at any speed, once the reader runs.
     */
    @Test
    void run_ringOverflowed_windowsCountDroppedPacketsAndUnseenSegments() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                LiveCapture capture = capture(server.getLocalPort(), 1 << 20);
                Socket client =
                        new Socket(InetAddress.getLoopbackAddress(), server.getLocalPort());
                Socket accepted = server.accept()) {
            client.setTcpNoDelay(true);
            send(client, accepted, 4_000);
            Thread thread = watch(capture, server.getLocalPort());
            await("what the ring held")
                    .atMost(PATIENCE)
                    .until(() -> capture.delivered() > 0 && capture.dropped() > 0);
            // The same connection continues: once the ring is read, its
            // sequence numbers show the hole.
            await("a window with the hole").atMost(PATIENCE).until(() -> {
                send(client, accepted, 1);
                return unseenSegments() > 0;
            });
            capture.stop();
            // The reader reports the last window before it ends.
            assertThat(thread.join(PATIENCE)).isTrue();

            assertThat(windows().stream()
                            .mapToLong(window -> window.packets().droppedPackets())
                            .sum())
                    .isPositive()
                    .isEqualTo(capture.dropped());
        }
    }

    private long unseenSegments() {
        return windows().stream()
                .mapToLong(window -> window.packets().unseenSegments())
                .sum();
    }

    private static void send(Socket from, Socket to, int pieces) throws Exception {
        byte[] piece = new byte[1_000];
        for (int i = 0; i < pieces; i++) {
            from.getOutputStream().write(piece);
            to.getInputStream().readNBytes(piece.length);
        }
    }

    @Test
    void close_whileRead_readerEndsFirst() throws Exception {
        Thread thread;
        try (LiveCapture capture = capture(1, 1 << 20)) {
            thread = watch(capture, 1);
            await().atMost(Duration.ofSeconds(60)).until(() -> !windows().isEmpty());
        }
        assertThat(thread.join(PATIENCE)).isTrue();
    }

    @Test
    void open_unknownInterface_namesThoseThereAre() {
        assertThatThrownBy(() ->
                        LiveCapture.open(new LiveCaptureConfig(List.of("nowhere0"), Set.of(80))))
                .isInstanceOfSatisfying(CaptureProblemException.class, problem -> {
                    assertThat(problem.code()).isEqualTo("no-such-interface");
                    assertThat(problem)
                            .hasMessageContaining("nowhere0 (expected: one of ")
                            .hasMessageContaining("lo");
                });
    }

    private static LiveCapture capture(int port, int bufferBytes) throws CaptureProblemException {
        Capability.need("captures", Capability.NET_RAW);
        return LiveCapture.open(
                new LiveCaptureConfig(List.of("lo"), Set.of(port), 2_048, bufferBytes));
    }

    private Thread watch(LiveCapture capture, int port) {
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
        CaptureSession session = new CaptureSession(
                capture,
                AnalyzerConfig.live(Set.of(port)),
                names,
                Duration.ofSeconds(1),
                records::add);
        return Thread.ofPlatform().daemon().start(() -> {
            try {
                session.run();
            } catch (Throwable e) {
                thrown.add(e);
            }
        });
    }

    private static void get(int port) throws Exception {
        get(port, new HashMap<>());
    }

    /**
     * Sends one request.
     *
     * @param waitedMicros receives the waiting time of this client, by its port
     */
    private static void get(int port, Map<Integer, Long> waitedMicros) throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            long startedNanos = System.nanoTime();
            socket.getOutputStream()
                    .write(
                            "GET /index.html?secret=1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                                    .getBytes(StandardCharsets.US_ASCII));
            try (InputStream in = socket.getInputStream()) {
                in.readAllBytes();
            }
            waitedMicros.put(socket.getLocalPort(), (System.nanoTime() - startedNanos) / 1_000);
        }
    }

    private List<ConnectionRecord> connections() {
        return records.stream()
                .filter(ConnectionRecord.class::isInstance)
                .map(ConnectionRecord.class::cast)
                .toList();
    }

    private List<ServiceWindow> windows() {
        return records.stream()
                .filter(ServiceWindow.class::isInstance)
                .map(ServiceWindow.class::cast)
                .toList();
    }
}
