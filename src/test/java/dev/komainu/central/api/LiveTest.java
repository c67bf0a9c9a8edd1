package dev.komainu.central.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralTest;
import dev.komainu.central.OpenApiContract;
import dev.komainu.central.access.Scope;
import dev.komainu.central.api.stream.StreamListener;
import dev.komainu.central.assessment.LiveFeed;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.IndexDefinition;
import dev.komainu.central.indices.Told;
import dev.komainu.telemetry.kit.Promtool;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.SourceStatus;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;

/** Tests that assessments reach browsers and Prometheus without further requests. */
@Timeout(120)
class LiveTest extends CentralTest {

    @Autowired
    private LiveFeed intake;

    @Autowired
    private IndexCatalogue catalogue;

    @Test
    void stream_reportedService_sendsTransitionPointAndOverview() throws Exception {
        try (StreamListener points = StreamListener.open(
                        machine(Scope.METRICS_READ), "service:live-a:80", null);
                StreamListener overview =
                        StreamListener.open(machine(Scope.METRICS_READ), "overview", null)) {
            tell("live-a:80");

            Map<String, String> transition = points.next("evidence");
            assertThat(transition.get("event")).isEqualTo("transition");
            OpenApiContract.get().checkSchema("Transition", transition.get("data"));
            Map<String, String> point = points.next("\"values\"");
            assertThat(point.get("event")).isEqualTo("point");
            OpenApiContract.get().checkSchema("LivePoint", point.get("data"));
            Map<String, String> whole = overview.next("live-a:80");
            assertThat(whole.get("event")).isEqualTo("overview");
            OpenApiContract.get().checkSchema("Overview", whole.get("data"));
        }
    }

    @Test
    void stream_services_sendsTheFleetOnce_thenWhatChanged() throws Exception {
        tell("live-c:80");
        try (StreamListener fleet =
                StreamListener.open(machine(Scope.METRICS_READ), "services", null)) {
            Map<String, String> whole = fleet.next("\"full\":true");
            OpenApiContract.get().checkSchema("FleetUpdate", whole.get("data"));
            Map<String, String> change = fleet.next("\"full\":false");
            OpenApiContract.get().checkSchema("FleetUpdate", change.get("data"));

            tell("live-d:80");

            Map<String, String> added = fleet.next("\"id\":\"live-d:80\",\"name\"");
            OpenApiContract.get().checkSchema("FleetUpdate", added.get("data"));
            assertThat(added.get("data"))
                    .contains("\"full\":false")
                    .doesNotContain("\"id\":\"live-c:80\"");
        }
    }

    @Test
    void stream_versionOfTheRows_beginsWithTheChangesSince() throws Exception {
        tell("live-e:80");
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(machine(Scope.METRICS_READ)
                                .get("/api/v1/overview/rows")
                                .expect(200)
                                .body())
                        .contains("live-e:80"));
        String version = machine(Scope.METRICS_READ)
                .get("/api/v1/overview/rows")
                .expect(200)
                .json()
                .get("version")
                .asString();
        try (StreamListener fleet = StreamListener.open(
                machine(Scope.METRICS_READ), "services&version=" + version, null)) {
            assertThat(fleet.next("version").get("data")).contains("\"full\":false");
        }
    }

    @Test
    void sparklines_knownServices_haveTheLinesThatAreAskedFor() {
        tell("live-f:80");
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(machine(Scope.METRICS_READ)
                                .get(
                                        "/api/v1/sparklines?service=live-f:80&service=gone:1&line=arrival")
                                .expect(200)
                                .json()
                                .findPath("arrival")
                                .size())
                        .isEqualTo(60));
        assertThat(machine(Scope.METRICS_READ)
                        .get("/api/v1/sparklines?service=a&line=arrival&line=depth")
                        .expect(400)
                        .json()
                        .get("detail")
                        .asString())
                .isEqualTo(
                        "line[1]: depth (expected: one of arrival, processed, response, concurrent)");
    }

    @Test
    void metrics_selection_hasTheseServicesAndIndicesOnly() {
        tell("live-g1:80");
        tell("live-h:80");
        String query = "/metrics?service=live-g*&index=arrivalPerSecond";
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(machine(Scope.METRICS_READ)
                                .get(query)
                                .expect(200)
                                .body())
                        .contains("komainu_service_arrival_per_second{service=\"live-g1:80\"}")
                        .doesNotContain("komainu_service_response")
                        .doesNotContain("live-h:80"));
        assertThat(machine(Scope.METRICS_READ)
                        .get("/metrics?index=arrivalPerSecond&index=speed")
                        .expect(400)
                        .body())
                .contains("index[1]: speed (expected: name from /api/v1/indices)");
    }

    @Test
    void metrics_reportedService_areGaugesInBaseUnits() {
        tell("live-b:80");

        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(machine(Scope.METRICS_READ)
                                .get("/metrics")
                                .expect(200)
                                .body())
                        .contains(
                                "komainu_service_response_p50_seconds{service=\"live-b:80\"} 0.1",
                                "komainu_service_state{service=\"live-b:80\",state=",
                                "# HELP komainu_service_arrival_per_second ",
                                "komainu_stream_clients ",
                                "jvm_memory_used_bytes"));
    }

    @Test
    void metrics_ofServicesAndSources_satisfyPromtool() throws Exception {
        tell("live-c:80");

        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(
                        () -> assertThat(metrics())
                                .contains(
                                        "komainu_service_state{service=\"live-c:80\"",
                                        "komainu_source_up{kind=\"agent\",source=\"agent@live\"} 1.0\n",
                                        "komainu_source_dropped_total{kind=\"agent\",reason=\"kernel-drop\",source=\"agent@live\"} 3.0\n"));
        assertThat(Promtool.complaints(metrics())).isEmpty();
    }

    private String metrics() {
        return machine(Scope.METRICS_READ).get("/metrics").expect(200).body();
    }

    @Test
    void metricNames_wholeCatalogue_areDistinctAndInBaseUnits() {
        assertThat(catalogue.all().stream().map(ServiceFigures::name))
                .doesNotHaveDuplicates()
                .allMatch(name -> name.matches("komainu_service_[a-z0-9_]+"))
                .noneMatch(name -> name.contains("millis") || name.contains("percent"));
        assertThat(catalogue.all()).extracting(IndexDefinition::name).contains("responseP95Millis");
    }

    private void tell(String service) {
        long now = System.currentTimeMillis() / 1_000;
        List<TelemetryRecord> records = new ArrayList<>();
        for (long second = now - 20; second < now; second++) {
            records.add(Told.packets(service, second, Map.of("rps", 20.0, "ms", 150.0)));
        }
        records.add(new SourceStatus(
                "live",
                SourceStatus.Kind.AGENT,
                "0.1",
                (now - 60) * 1_000_000,
                now * 1_000_000,
                new SourceStatus.Use(50_000_000, 0.01),
                List.of("lo"),
                List.of(new SourceStatus.Drops("kernel-drop", 3)),
                List.of()));
        intake.stored(new Batch(new BatchId("agent@live", 1, now), records));
    }
}
