package dev.komainu.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.komainu.agent.settings.AgentSettings;
import dev.komainu.agent.settings.GivenSettings;
import dev.komainu.telemetry.kit.Capability;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.ConnectionState;
import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.SourceStatus;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An agent with a real nginx, real clients and real packets. Tests that capture need NET_RAW; the
 * rest runs everywhere.
 */
class RunningAgentTest {

    private final Queue<TelemetryRecord> records = new ConcurrentLinkedQueue<>();

    @Test
    void agent_realConnections_areCountedOnceEach(@TempDir Path directory) throws Exception {
        Capability.need("captures", Capability.NET_RAW);
        try (NginxServer nginx = NginxServer.start(directory)) {
            String service = "here:" + nginx.port();
            AgentSettings settings = GivenSettings.read(
                    Map.of(
                            "print",
                            "true",
                            "interfaces",
                            "lo",
                            "ports",
                            String.valueOf(nginx.port()),
                            "host.interval",
                            "1s"),
                    Map.of(),
                    null,
                    "here");
            try (RunningAgent agent =
                    new RunningAgent(settings, records::add, records::add, List::of, () -> null)) {
                agent.start();
                await("capture").atMost(Duration.ofSeconds(60)).until(() -> isWatching("lo"));
                await("windows")
                        .atMost(Duration.ofSeconds(60))
                        .until(() -> !all(ServiceWindow.class).isEmpty());
                for (int i = 0; i < 50; i++) {
                    assertThat(get(InetAddress.getLoopbackAddress(), nginx.port()))
                            .contains("hello from the guarded server");
                }
                await("host sample")
                        .atMost(Duration.ofSeconds(60))
                        .until(() -> !all(HostSample.class).isEmpty());
            }
            List<ConnectionRecord> connections = all(ConnectionRecord.class);
            assertThat(connections).hasSize(50).allSatisfy(connection -> {
                assertThat(connection.service()).isEqualTo(service);
                assertThat(connection.state()).isEqualTo(ConnectionState.NORMAL);
                assertThat(connection.exchanges()).singleElement().satisfies(exchange -> {
                    assertThat(exchange.status()).isEqualTo(200);
                    assertThat(exchange.target()).isEqualTo("/index.html");
                    assertThat(exchange.responseMicros()).isNotNull();
                });
            });
            List<ServiceWindow> windows = all(ServiceWindow.class);
            assertThat(windows.stream()
                            .mapToLong(window -> window.connections().arrivals())
                            .sum())
                    .isEqualTo(50);
            assertThat(windows.stream()
                            .mapToLong(window -> window.exchanges().responses())
                            .sum())
                    .isEqualTo(50);
            assertThat(windows.stream()
                            .mapToLong(window -> window.packets().droppedPackets())
                            .sum())
                    .isZero();
            assertThat(all(ServiceSighting.class)).singleElement().satisfies(sighting -> {
                assertThat(sighting.service()).isEqualTo(service);
                assertThat(sighting.kind()).isEqualTo("nginx");
            });
            assertThat(all(HostSample.class).getLast().servers())
                    .singleElement()
                    .satisfies(server -> assertThat(server.use().processes()).isEqualTo(3));
            assertThat(all(SourceStatus.class).getLast().drops())
                    .noneMatch(drops -> drops.reason().equals("kernel-drop"));
        }
    }

    /** ab opens a few connections more than it has requests; nginx reports the real number. */
    @Test
    void agent_twentyThousandRequestsAtOnce_losesNoneAndDoublesNone(@TempDir Path directory)
            throws Exception {
        Capability.need("captures", Capability.NET_RAW);
        try (NginxServer nginx = NginxServer.start(directory)) {
            AgentSettings settings = GivenSettings.read(
                    Map.of(
                            "print",
                            "true",
                            "interfaces",
                            "lo",
                            "ports",
                            String.valueOf(nginx.port())),
                    Map.of(),
                    null,
                    "here");
            long before = nginx.accepted();
            try (RunningAgent agent =
                    new RunningAgent(settings, records::add, records::add, List::of, () -> null)) {
                agent.start();
                await("capture").atMost(Duration.ofSeconds(60)).until(() -> isWatching("lo"));
                assertThat(bench(directory, nginx.port(), 20_000))
                        .containsPattern("Complete requests:\\s+20000")
                        .containsPattern("Failed requests:\\s+0");
            }
            // The connection of this query came after the agent's end.
            long accepted = nginx.accepted() - before - 1;
            assertThat(accepted).isGreaterThanOrEqualTo(20_000);
            assertThat((long) all(ConnectionRecord.class).size()).isEqualTo(accepted);
            assertThat(arrivals()).isEqualTo(accepted);
            assertThat(all(ConnectionRecord.class).stream()
                            .flatMap(connection -> connection.exchanges().stream())
                            .filter(exchange -> exchange.responseMicros() != null)
                            .count())
                    .isBetween(20_000L, accepted);
            assertThat(all(ServiceWindow.class).stream()
                            .mapToLong(window -> window.packets().droppedPackets()
                                    + window.packets().unseenSegments())
                            .sum())
                    .isZero();
        }
    }

    /**
     * A client on this host reaches the host's own address over loopback alone, so two interfaces
     * see it once.
     */
    @Test
    void agent_ownAddressOverTwoInterfaces_isCountedOnce(@TempDir Path directory) throws Exception {
        Capability.need("captures", Capability.NET_RAW);
        NetworkInterface nic = outerInterface().orElse(null);
        org.junit.jupiter.api.Assumptions.assumeTrue(nic != null, "no interface besides loopback");
        InetAddress own = nic.inetAddresses()
                .filter(Inet4Address.class::isInstance)
                .findFirst()
                .orElseThrow();
        try (NginxServer nginx = NginxServer.start(directory, own)) {
            AgentSettings settings = GivenSettings.read(
                    Map.of(
                            "print",
                            "true",
                            "interfaces",
                            "lo," + nic.getName(),
                            "ports",
                            String.valueOf(nginx.port())),
                    Map.of(),
                    null,
                    "here");
            try (RunningAgent agent =
                    new RunningAgent(settings, records::add, records::add, List::of, () -> null)) {
                agent.start();
                await("capture")
                        .atMost(Duration.ofSeconds(60))
                        .until(() -> isWatching("lo") && isWatching(nic.getName()));
                for (int i = 0; i < 10; i++) {
                    get(own, nginx.port());
                }
                await("packets").atMost(Duration.ofSeconds(60)).until(() -> arrivals() >= 10);
            }
            assertThat(all(ConnectionRecord.class)).hasSize(10);
            assertThat(arrivals()).isEqualTo(10);
        }
    }

    @Test
    void agent_noSuchInterface_keepsSamplingAndReportsIt() throws Exception {
        AgentSettings settings = GivenSettings.read(
                Map.of("print", "true", "interfaces", "nosuch0", "host.interval", "1s"),
                Map.of(),
                null,
                "here");
        try (RunningAgent agent =
                new RunningAgent(settings, records::add, records::add, List::of, () -> null)) {
            agent.start();
            await("host sample")
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> !all(HostSample.class).isEmpty());
            await("trouble")
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> all(SourceStatus.class).stream()
                            .flatMap(status -> status.troubles().stream())
                            .anyMatch(trouble -> trouble.code().equals("no-such-interface")
                                    && trouble.message().contains("nosuch0")));
        }
    }

    @Test
    void tellAgain_servicesAndStatusAreReportedToTheNewCentralService(@TempDir Path directory)
            throws Exception {
        try (NginxServer nginx = NginxServer.start(directory)) {
            AgentSettings settings = GivenSettings.read(
                    Map.of(
                            "print",
                            "true",
                            "mode",
                            "host-only",
                            "ports",
                            String.valueOf(nginx.port())),
                    Map.of(),
                    null,
                    "here");
            try (RunningAgent agent =
                    new RunningAgent(settings, records::add, records::add, List::of, () -> null)) {
                agent.start();
                await("first status")
                        .atMost(Duration.ofSeconds(60))
                        .until(() -> !all(SourceStatus.class).isEmpty());
                assertThat(all(ServiceSighting.class)).hasSize(1);
                records.clear();

                agent.tellAgain();

                await("reported again")
                        .atMost(Duration.ofSeconds(60))
                        .until(() -> !all(SourceStatus.class).isEmpty());
                assertThat(all(ServiceSighting.class)).singleElement().satisfies(sighting -> {
                    assertThat(sighting.service()).isEqualTo("here:" + nginx.port());
                    assertThat(sighting.kind()).isEqualTo("nginx");
                    assertThat(sighting.addresses()).isNotEmpty();
                });
            }
        }
    }

    private long arrivals() {
        return all(ServiceWindow.class).stream()
                .mapToLong(window -> window.connections().arrivals())
                .sum();
    }

    private boolean isWatching(String name) {
        List<SourceStatus.Trouble> troubles = all(SourceStatus.class).stream()
                .flatMap(status -> status.troubles().stream())
                .toList();
        assertThat(troubles).isEmpty();
        return all(SourceStatus.class).stream()
                .anyMatch(status -> status.watching().contains(name));
    }

    private <T extends TelemetryRecord> List<T> all(Class<T> type) {
        return records.stream().filter(type::isInstance).map(type::cast).toList();
    }

    private static String bench(Path directory, int port, int requests)
            throws IOException, InterruptedException {
        Path output = directory.resolve("ab.txt");
        ProcessBuilder bench = new ProcessBuilder(
                "ab",
                "-q",
                "-n",
                String.valueOf(requests),
                "-c",
                "50",
                "http://127.0.0.1:" + port + "/index.html");
        try {
            bench.redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new AssertionError("ab: not found (expected: apt-get install apache2-utils)", e);
        }
        return Files.readString(output);
    }

    private static Optional<NetworkInterface> outerInterface() throws IOException {
        return NetworkInterface.networkInterfaces()
                .filter(nic -> {
                    try {
                        return nic.isUp()
                                && !nic.isLoopback()
                                && nic.inetAddresses().anyMatch(Inet4Address.class::isInstance);
                    } catch (IOException e) {
                        return false;
                    }
                })
                .findFirst();
    }

    private static String get(InetAddress address, int port) throws IOException {
        try (Socket socket = new Socket(address, port)) {
            socket.getOutputStream()
                    .write("GET /index.html HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
    }
}
