package dev.komainu.organizer;

import static dev.komainu.telemetry.kit.FreePort.freePort;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import dev.komainu.organizer.route.ServedRoute;
import dev.komainu.organizer.route.ServerState;
import dev.komainu.organizer.route.UrlPrefix;
import dev.komainu.settings.kit.WrittenSettings;
import dev.komainu.telemetry.record.ClusterView;
import dev.komainu.telemetry.record.SourceStatus;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.wire.BatchCodec;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The reports of an organizer to a central service, and the effect of the responses. */
class ReportingOrganizerTest {

    @TempDir
    Path directory;

    private final Queue<TelemetryRecord> told = new ConcurrentLinkedQueue<>();
    private final HttpServer centre =
            HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 5);
    private volatile String judged = "{}";

    ReportingOrganizerTest() throws IOException {
        centre.createContext("/api/v1/ingest", exchange -> {
            try (exchange) {
                told.addAll(BatchCodec.decode(exchange.getRequestBody().readAllBytes())
                        .batch()
                        .records());
                byte[] answer =
                        ("{\"batch\":\"a/1/1\",\"records\":1,\"duplicate\":false,\"judged\":"
                                        + judged + "}")
                                .getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(200, answer.length);
                exchange.getResponseBody().write(answer);
            } catch (dev.komainu.telemetry.wire.MalformedBatchException e) {
                throw new IllegalStateException(e);
            }
        });
        centre.start();
    }

    @AfterEach
    void tearDown() {
        centre.stop(0);
    }

    private OrganizerSettings settings(int server) throws Exception {
        Path secret =
                Files.writeString(directory.resolve("secret"), "kf83Lq0ZxW7vTn2RbYc5Dm9JhGs1UePa");
        Path token = Files.writeString(directory.resolve("token"), "a-token");
        int port = freePort();
        return OrganizerSettings.read(WrittenSettings.reader(String.format(
                Locale.ROOT,
                """
                        member: web1
                        cluster: shop
                        listen: 127.0.0.1:%d
                        line: 127.0.0.1:%d
                        secret-file: %s
                        meet: {seeds: ["127.0.0.1:%d"]}
                        control: {listen: none}
                        node: host1
                        central: {url: "http://127.0.0.1:%d", token-file: %s}
                        data: %s
                        serve: [{prefix: www.example.com/, server: "127.0.0.1:%d"}]
                        """,
                port,
                freePort(),
                secret,
                port,
                centre.getAddress().getPort(),
                token,
                directory.resolve("data"),
                server)));
    }

    private List<ClusterView> views() {
        return told.stream()
                .filter(ClusterView.class::isInstance)
                .map(ClusterView.class::cast)
                .toList();
    }

    @Test
    void report_clusterAndItself_andWhatIsThoughtOfItsServerIsWhatItTellsTheOthers()
            throws Exception {
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                Organizer organizer = Organizer.start(settings(server.getLocalPort()))) {
            String address = "127.0.0.1:" + server.getLocalPort();
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> views().stream()
                            .anyMatch(view -> !view.peers().members().isEmpty()));
            ClusterView view = views().stream()
                    .filter(one -> !one.peers().members().isEmpty())
                    .findFirst()
                    .orElseThrow();
            assertThat(view.cluster()).isEqualTo("shop");
            assertThat(view.member()).isEqualTo("web1");
            assertThat(view.node()).isEqualTo("host1");
            assertThat(view.routing().digest())
                    .isEqualTo(organizer.membership().table().digest());
            assertThat(view.peers().members()).singleElement().satisfies(member -> {
                assertThat(member.name()).isEqualTo("web1");
                assertThat(member.startedMicros()).isEqualTo(view.startedMicros());
            });
            assertThat(view.routing().routes())
                    .containsExactly(
                            new ClusterView.Route("www.example.com/", "web1", 1, 64, false, ""));
            assertThat(view.servers()).containsExactly(new ClusterView.Server(address, "up"));
            assertThat(told)
                    .anySatisfy(record -> assertThat(record)
                            .isInstanceOfSatisfying(SourceStatus.class, status -> {
                                assertThat(status.kind()).isEqualTo(SourceStatus.Kind.ORGANIZER);
                                assertThat(status.watching()).containsExactly("shop/web1");
                            }));

            judged = "{\"" + address + "\":\"saturated/processes\"}";
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> views().stream()
                            .anyMatch(one -> one.peers().members().stream()
                                    .anyMatch(member -> member.state().equals("saturated"))));
            judged = "{}";
            await().atMost(Duration.ofSeconds(30)).until(() -> {
                ClusterView last = views().getLast();
                return last.peers().members().getFirst().state().equals("up");
            });
            assertThat(views().stream()
                            .flatMap(one -> one.events().stream())
                            .filter(event -> event.kind().equals("joined")))
                    .as("each event is reported once")
                    .hasSize(1);
        }
    }

    @Test
    void monitorState_countsOnlyForTheServerItself_andExpiresWithoutACentralService()
            throws Exception {
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            OwnServers servers = new OwnServers(List.of(new OrganizerSettings.Serve(
                    new ServedRoute(UrlPrefix.parse("h/"), 1, 64, false, ""),
                    "127.0.0.1",
                    server.getLocalPort())));
            String address = "127.0.0.1:" + server.getLocalPort();
            long now = System.nanoTime();
            servers.applyMonitorStates(Map.of(address, "saturated/cpu"), now);
            assertThat(servers.load().state()).isEqualTo(ServerState.SATURATED);
            servers.applyMonitorStates(Map.of(address, "upstream-fault"), now);
            assertThat(servers.load().state()).isEqualTo(ServerState.UP);
            servers.applyMonitorStates(Map.of(address, "stopped/crashed"), now);
            assertThat(servers.load().state())
                    .as("it responds here: avoided, not excluded")
                    .isEqualTo(ServerState.SATURATED);
            servers.expireMonitorStates(now + Duration.ofSeconds(9).toNanos());
            assertThat(servers.load().state()).isEqualTo(ServerState.SATURATED);
            servers.expireMonitorStates(now + Duration.ofSeconds(11).toNanos());
            assertThat(servers.load().state()).isEqualTo(ServerState.UP);
        }
    }
}
