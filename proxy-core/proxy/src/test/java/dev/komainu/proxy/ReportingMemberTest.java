package dev.komainu.proxy;

import static dev.komainu.proxy.CacheCluster.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.organizer.report.ReportSink;
import dev.komainu.settings.Configuration;
import dev.komainu.telemetry.kit.Promtool;
import dev.komainu.telemetry.record.ClusterView;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.report.CentralMetrics;
import dev.komainu.telemetry.report.ReporterStatus;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/**
 * The reports of a proxy that is a member on its cluster, sent to the central service on the way of
 * its own reports.
 */
class ReportingMemberTest {

    private static final ReporterStatus STATUS =
            new ReporterStatus(1, 1, 0, 0, 0, 0, 0, 0, null, "https://centre-2:7600", 3);

    @TempDir
    Path directory;

    private final Queue<TelemetryRecord> told = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean answers = new AtomicBoolean(true);

    private static String metrics(Proxy proxy) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:"
                                            + proxy.controlAddress().getPort() + "/metrics"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
        }
    }

    private List<ClusterView> views() {
        return told.stream()
                .filter(ClusterView.class::isInstance)
                .map(ClusterView.class::cast)
                .toList();
    }

    @Test
    void member_reportsItsView_appliesItsServersState_andSpoolsOnlyEvents() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                CacheCluster names = new CacheCluster(directory)) {
            String address = "127.0.0.1:" + server.getLocalPort();
            Map<String, ?> file = new Yaml()
                    .load(names.organizer(
                            "edge", "{prefix: www.example.com/, server: '" + address + "'}", "{}"));
            ProxySettings settings = ProxySettings.read(GivenSettings.reader(
                    file,
                    Map.of(),
                    Map.of(
                            "listen",
                            "127.0.0.1:0",
                            "control.listen",
                            "127.0.0.1:0",
                            "origin",
                            "http://" + address)));
            try (Proxy proxy = Proxy.start(
                    Configuration.fixed(settings, "a proxy"),
                    ProxyClock.SYSTEM,
                    told::add,
                    Map::of,
                    new ReportSink(
                            "host1",
                            told::add,
                            answers::get,
                            CentralMetrics.of("komainu_proxy_", () -> STATUS)::page),
                    null)) {
                assertThat(metrics(proxy))
                        .containsOnlyOnce(
                                "komainu_proxy_central_address{address=\"https://centre-2:7600\"} 1.0\n")
                        .containsOnlyOnce("komainu_proxy_central_address_changes_total 3.0\n")
                        .doesNotContain("komainu_organizer_central_")
                        .satisfies(page -> assertThat(Promtool.complaints(page)).isEmpty());
                until(() -> views().stream()
                        .anyMatch(view -> !view.peers().members().isEmpty()));
                ClusterView view = views().stream()
                        .filter(one -> !one.peers().members().isEmpty())
                        .findFirst()
                        .orElseThrow();
                assertThat(view.member()).isEqualTo("edge");
                assertThat(view.node()).isEqualTo("host1");
                assertThat(view.routing().routes())
                        .containsExactly(new ClusterView.Route(
                                "www.example.com/", "edge", 1, 64, false, ""));
                proxy.judged(Map.of(address, "saturated/processes"));
                until(() -> views().getLast()
                        .servers()
                        .contains(new ClusterView.Server(address, "saturated")));

                answers.set(false);
                int before = views().size();
                // The recovery is an event, and the next view is the first since.
                proxy.judged(Map.of());
                until(() -> views().getLast()
                        .servers()
                        .contains(new ClusterView.Server(address, "up")));
                assertThat(views().subList(before, views().size()))
                        .as("all but one that was being told already have news")
                        .filteredOn(one -> one.events().isEmpty())
                        .hasSizeLessThan(2);
            }
        }
    }
}
