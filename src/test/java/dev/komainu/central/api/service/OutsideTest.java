package dev.komainu.central.api.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.komainu.central.CentralClient;
import dev.komainu.central.CentralTest;
import dev.komainu.central.access.Scope;
import dev.komainu.central.assessment.LiveFeed;
import dev.komainu.central.indices.Told;
import dev.komainu.central.store.RecordStore;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import tools.jackson.databind.JsonNode;

/**
 * Tests of a proxy observed on both sides, and of a log compared with the packets. Responses are
 * checked against the contract.
 */
class OutsideTest extends CentralTest {

    private static final String PROXY = "outside:7680";
    private static final String ORIGIN = "outside:7680>origin";

    @Autowired
    private LiveFeed intake;

    @Autowired
    private RecordStore store;

    /**
     * The first second without records. It is set when the service is up, since the last seconds
     * are requested.
     */
    private static long now;

    private CentralClient reader;

    @BeforeEach
    void setUp() throws Exception {
        if (now == 0) {
            now = System.currentTimeMillis() / 1_000;
            report();
        }
        reader = machine(Scope.METRICS_READ, Scope.SERVERS_READ);
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(() -> reader.get("/api/v1/services/" + PROXY + "/outside")
                                        .status()
                                == 200
                        && reader.get("/api/v1/services/" + escaped(ORIGIN)).status() == 200);
    }

    private void report() throws InterruptedException {
        List<TelemetryRecord> records = new ArrayList<>();
        records.add(sighting(PROXY, "komainu", null));
        records.add(sighting(ORIGIN, "origin", PROXY));
        for (long second = now - 90; second < now; second++) {
            records.add(Told.packets(
                    PROXY,
                    second,
                    Map.of(
                            "rps",
                            100.0,
                            "ms",
                            second % 2 == 0 ? 2.0 : 120.0,
                            "unique",
                            1_000_000.0)));
            records.add(Told.packets(
                    ORIGIN,
                    second,
                    Map.of(
                            "rps",
                            45.0,
                            "unique",
                            400_000.0,
                            "lost",
                            second == now - 60 ? 3.0 : 0.0)));
            records.add(Told.proxy(PROXY, second, Map.of("rps", 100.0, "hits", 55.0)));
        }
        records.add(Told.log(PROXY, (now - 50) / 10 * 10, 1.5, 900));
        Batch batch = new Batch(new BatchId("agent@outside", System.nanoTime(), 1), records);
        store.append(batch);
        intake.stored(batch);
    }

    @Test
    void outside_proxyWithBothSides_isShownWithItsOwnCountersAndLog() {
        JsonNode outside = reader.get("/api/v1/services/" + PROXY + "/outside?seconds=30")
                .expect(200)
                .json();

        assertThat(outside.get("originService").asString()).isEqualTo(ORIGIN);
        assertThat(outside.get("hitRatio").asDouble()).isCloseTo(0.55, within(0.001));
        assertThat(outside.get("trafficSaved").asDouble()).isCloseTo(0.6, within(0.001));
        assertThat(outside.get("counted").asString()).isEqualTo("requests");
        assertThat(outside.get("own").get("hitRatio").asDouble()).isCloseTo(0.55, within(0.001));
        assertThat(outside.get("own").get("notAskedRatio").asDouble())
                .isCloseTo(0.55, within(0.001));
        assertThat(outside.get("log").get("concurrentMean").asDouble()).isEqualTo(1.5);
        assertThat(outside.get("underLoss").asBoolean()).isFalse();
        assertThat(reader.get("/api/v1/services/" + PROXY + "/outside?seconds=110")
                        .expect(200)
                        .json()
                        .get("underLoss")
                        .asBoolean())
                .isTrue();
        reader.get("/api/v1/services/" + PROXY + "/outside?seconds=0").expect(400);
        reader.get("/api/v1/services/nobody:80/outside").expect(404);
    }

    @Test
    void services_originSide_namesItsProxy() {
        JsonNode origin =
                reader.get("/api/v1/services/" + escaped(ORIGIN)).expect(200).json();

        assertThat(origin.get("originSideOf").asString()).isEqualTo(PROXY);
        assertThat(origin.get("kind").asString()).isEqualTo("origin");
    }

    @Test
    void responseTransfer_hitsAndMisses_areTwoClusters() {
        JsonNode grid = reader.get("/api/v1/services/" + PROXY + "/response-transfer?from="
                        + Instant.ofEpochSecond(now - 80) + "&to=" + Instant.ofEpochSecond(now))
                .expect(200)
                .json();

        assertThat(grid.get("cells").size()).isEqualTo(2);
        assertThat(grid.get("answers").asLong()).isGreaterThanOrEqualTo(8_000);
        assertThat(grid.get("stepsPerDecade").asInt()).isEqualTo(8);
        reader.get("/api/v1/services/" + PROXY + "/response-transfer?from="
                        + Instant.ofEpochSecond(now) + "&to=" + Instant.ofEpochSecond(now - 5))
                .expect(400);
    }

    @Test
    void series_bothSidesLogAndLoss_areColumnsFromMemoryAndFromTheStore() {
        for (String path :
                List.of("", "&from=" + Instant.ofEpochSecond(now - 7_200) + "&stepSeconds=60")) {
            JsonNode series = reader.get("/api/v1/services/" + PROXY
                            + "/series?index=outsideHitRatio&index=logConcurrentMean" + path)
                    .expect(200)
                    .json();

            assertThat(numbers(series.get("columns").get("outsideHitRatio")))
                    .isNotEmpty()
                    .allMatch(ratio -> Math.abs(ratio - 0.55) < 0.001);
            assertThat(numbers(series.get("columns").get("logConcurrentMean"))).contains(1.5);
            assertThat(series.get("underLoss").size())
                    .isEqualTo(series.get("times").size());
            assertThat(series.get("underLoss")
                            .valueStream()
                            .filter(JsonNode::asBoolean)
                            .count())
                    .isBetween(1L, 2L);
        }
    }

    private static List<Double> numbers(JsonNode column) {
        return column.valueStream()
                .filter(JsonNode::isNumber)
                .map(JsonNode::asDouble)
                .toList();
    }

    private static String escaped(String id) {
        return id.replace(">", "%3E");
    }

    private ServiceSighting sighting(String service, String kind, String proxy) {
        return new ServiceSighting(
                service,
                "outside",
                service,
                kind,
                null,
                List.of(),
                new ServiceSighting.ServerProcess(null, null),
                List.of(),
                now * 1_000_000,
                proxy);
    }
}
