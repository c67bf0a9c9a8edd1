package dev.komainu.central.api.alert;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.komainu.central.CentralClient;
import dev.komainu.central.CentralTest;
import dev.komainu.central.access.Role;
import dev.komainu.central.access.Scope;
import dev.komainu.central.assessment.LiveFeed;
import dev.komainu.central.indices.Told;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Tests of the running service with its own threads: records come in, a webhook is called, and
 * called again at the end.
 */
class AlertedTest extends CentralTest {

    private static final String NODE = "alerted";
    private static final String SERVICE = "alerted:80";

    @Autowired
    private LiveFeed intake;

    private final List<JsonNode> got = new CopyOnWriteArrayList<>();

    @Test
    void saturation_ofAWatchedServer_reachesTheWebhookAndSoDoesItsEnd() throws Exception {
        HttpServer hook =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        hook.createContext("/", exchange -> {
            got.add(JsonMapper.shared().readTree(exchange.getRequestBody().readAllBytes()));
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        hook.start();
        CentralClient administrator = browser(Role.ADMINISTRATOR);
        String url = "http://127.0.0.1:" + hook.getAddress().getPort() + "/";
        String receiver = id(administrator
                .post(
                        "/api/v1/receivers",
                        Map.of(
                                "name",
                                "hook",
                                "type",
                                "webhook",
                                "url",
                                url,
                                "secret",
                                "sixteen-characters"))
                .expect(201));
        try {
            String rule = id(administrator
                    .post(
                            "/api/v1/alert-rules",
                            Map.of(
                                    "name",
                                    "Alerted",
                                    "kind",
                                    "service",
                                    "service",
                                    SERVICE,
                                    "states",
                                    List.of("saturated"),
                                    "receivers",
                                    List.of(receiver)))
                    .expect(201));
            saturate();
            await("firing");
            assertThat(machine(Scope.SERVERS_READ)
                            .get("/api/v1/alerts?service=" + SERVICE)
                            .expect(200)
                            .body())
                    .contains("\"Alerted\"", "saturated/processes");
            incidentIsListedWithItsCourse();

            administrator.delete("/api/v1/alert-rules/" + rule).expect(204);
            await("resolved");

            assertThat(machine(Scope.SERVERS_READ)
                            .get("/api/v1/alerts?status=ended&service=" + SERVICE)
                            .expect(200)
                            .body())
                    .contains("\"Alerted\"", "\"rule\"");
            assertThat(machine(Scope.METRICS_READ).get("/metrics").expect(200).body())
                    .contains("komainu_alerts_notices_total{outcome=\"delivered\"}");
        } finally {
            administrator.delete("/api/v1/receivers/" + receiver).expect(204);
            hook.stop(0);
        }
    }

    private void incidentIsListedWithItsCourse() throws Exception {
        CentralClient reader = machine(Scope.SERVERS_READ);
        JsonNode listed =
                reader.get("/api/v1/incidents?service=" + SERVICE).expect(200).json();
        JsonNode incident = listed.get("items").get(0);
        assertThat(incident.get("root").asString()).isEqualTo(SERVICE);
        String path = "/api/v1/incidents/" + incident.get("id").asString();
        JsonNode course = reader.get(path).expect(200).json().get("events");
        assertThat(course.valueStream().map(each -> each.get("kind").asString()))
                .contains("transition", "notice");
        assertThat(reader.get(path + "/report").expect(200).body())
                .contains("# Incident", "saturated/processes", "| notice |");
        reader.get("/api/v1/incidents/0000000000000000").expect(404);
        reader.get("/api/v1/incidents?status=ended&service=" + SERVICE).expect(200);
    }

    private void await(String status) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(120))
                .until(() -> got.stream()
                        .anyMatch(each -> each.at("/groupLabels/alertname")
                                        .asString()
                                        .equals("Alerted")
                                && each.at("/groupLabels/service").asString().equals(SERVICE)
                                && each.get("status").asString().equals(status)));
    }

    private static String id(CentralClient.Answer made) {
        return made.json().get("id").asString();
    }

    /** A minute of a healthy Apache, then half a minute with all ten workers busy. */
    private void saturate() {
        long now = System.currentTimeMillis() / 1_000;
        List<TelemetryRecord> records = new ArrayList<>();
        records.add(new ServiceSighting(
                SERVICE,
                NODE,
                "apache :80",
                "apache",
                "2.4.62",
                List.of(Endpoint.parse("192.0.2.81:80")),
                new ServiceSighting.ServerProcess(100L, "/usr/sbin/apache2"),
                List.of(new Setting("MaxRequestWorkers", "10", "/etc/apache2/mpm.conf:7")),
                now * 1_000_000));
        for (long second = now - 90; second < now; second++) {
            boolean busy = second >= now - 30;
            records.add(Told.packets(
                    SERVICE,
                    second,
                    busy
                            ? Map.of("rps", 70.0, "done", 66.0, "ms", 450.0, "waiting", 30.0)
                            : Map.of("rps", 20.0, "ms", 150.0)));
            // In doubt the agent samples its host every second.
            if (busy || (now - second) % 10 == 0) {
                records.add(Told.host(
                        NODE,
                        SERVICE,
                        second + 1,
                        Map.of("idle", busy ? 0.55 : 0.8, "processes", 11.0)));
            }
        }
        intake.stored(new Batch(new BatchId("agent@" + NODE, System.nanoTime(), 1), records));
    }
}
