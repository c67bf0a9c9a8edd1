package dev.komainu.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.komainu.agent.settings.AgentSettings;
import dev.komainu.agent.settings.GivenSettings;
import dev.komainu.settings.SettingMistakesException;
import dev.komainu.telemetry.kit.Capability;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.EpochMicros;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Capturing over steps of the clock. Packets are real and keep their real times, since no test sets
 * this host's clock; only the task sees the step.
 */
class CaptureTaskTest {

    private static final long SECOND = 1_000_000;
    private static final int EACH = 20;

    @TempDir
    private Path directory;

    private final Queue<TelemetryRecord> records = new ConcurrentLinkedQueue<>();
    private long wall = 1_795_262_400L * SECOND;
    private long nanos;

    @ParameterizedTest
    @ValueSource(longs = {-3_600, 3_600})
    void clockIsSet_openConnectionsAreReportedAtOnce_andWindowsContinue(long seconds)
            throws Exception {
        Capability.need("captures", Capability.NET_RAW);
        try (NginxServer nginx = NginxServer.start(directory);
                CaptureTask round = round(nginx.port())) {
            begin(round);
            ask(nginx.port());
            await("packets").atMost(Duration.ofSeconds(60)).until(() -> connections() == EACH);

            // Within the second that is not over yet.
            ask(nginx.port());
            wall += seconds * SECOND;
            long steppedAt = EpochMicros.now();
            round.ensureRunning();

            assertThat(arrivals()).isEqualTo(2 * EACH);
            assertThat(connections()).isEqualTo(2 * EACH);
            assertThat(round.interfaces()).containsExactly("lo");

            records.clear();
            ask(nginx.port());
            await("packets after it")
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> arrivals() == EACH);
            round.close();

            List<ServiceWindow> after = all(ServiceWindow.class);
            assertThat(after.getFirst().fromMicros())
                    .as("it reports the start of the capture")
                    .isGreaterThanOrEqualTo(steppedAt);
            assertThat(after.getFirst().lengthMicros()).isLessThan(SECOND);
            assertThat(after.stream()
                            .mapToLong(window -> window.exchanges().responses())
                            .sum())
                    .isEqualTo(EACH);
            assertThat(connections()).isEqualTo(EACH);
            assertThat(after)
                    .allSatisfy(window ->
                            assertThat(window.packets().droppedPackets()).isZero());
        }
    }

    @Test
    void clockPasses_capturingGoesOn() throws Exception {
        Capability.need("captures", Capability.NET_RAW);
        try (NginxServer nginx = NginxServer.start(directory);
                CaptureTask round = round(nginx.port())) {
            begin(round);
            records.clear();
            for (int look = 0; look < 3; look++) {
                wall += 5 * SECOND;
                nanos += 5_000_000_000L;
                round.ensureRunning();
            }
            ask(nginx.port());
            await("packets").atMost(Duration.ofSeconds(60)).until(() -> arrivals() == EACH);

            assertThat(all(ServiceWindow.class))
                    .allSatisfy(window -> assertThat(window.lengthMicros()).isEqualTo(SECOND));
        }
    }

    private CaptureTask round(int port) throws SettingMistakesException {
        AgentSettings settings = GivenSettings.read(
                Map.of("print", "true", "interfaces", "lo"), Map.of(), null, "here");
        Endpoint server = Endpoint.parse("127.0.0.1:" + port);
        return new CaptureTask(
                settings,
                records::add,
                new WatchedServices(List.of(server), Set.of()),
                new TaskProblems(),
                Set::of,
                new ClockSteps(() -> wall, () -> nanos));
    }

    private void begin(CaptureTask round) {
        round.ensureRunning();
        await("windows")
                .atMost(Duration.ofSeconds(60))
                .until(() -> all(ServiceWindow.class).size() >= 2);
    }

    private long arrivals() {
        return all(ServiceWindow.class).stream()
                .mapToLong(window -> window.connections().arrivals())
                .sum();
    }

    private int connections() {
        return all(ConnectionRecord.class).size();
    }

    private <T extends TelemetryRecord> List<T> all(Class<T> type) {
        return records.stream().filter(type::isInstance).map(type::cast).toList();
    }

    private static void ask(int port) throws IOException {
        for (int i = 0; i < EACH; i++) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                socket.getOutputStream()
                        .write("GET /index.html HTTP/1.0\r\n\r\n"
                                .getBytes(StandardCharsets.US_ASCII));
                assertThat(socket.getInputStream().readAllBytes()).isNotEmpty();
            }
        }
    }
}
