package dev.komainu.central.api.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralTest;
import dev.komainu.central.access.Role;
import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.assessment.LiveFeed;
import dev.komainu.central.indices.Told;
import dev.komainu.central.indices.ToldParts;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import tools.jackson.databind.JsonNode;

/** The parts of a host in the answer that the console's tab Host shows. */
class HostPartsViewTest extends CentralTest {

    @Autowired
    private LiveFeed intake;

    @Autowired
    private Assessor assessor;

    private JsonNode host(String node, Map<String, Double> told) {
        String service = node + ":80";
        long now = System.currentTimeMillis() / 1_000;
        List<TelemetryRecord> records = new ArrayList<>();
        records.add(new ServiceSighting(
                service,
                node,
                "apache :80",
                "apache",
                "2.4.62",
                List.of(),
                new ServiceSighting.ServerProcess(100L, null),
                List.of(),
                now * 1_000_000));
        HostSample sample = Told.host(node, service, now, Map.of("idle", 0.8));
        records.add(sample.withParts(ToldParts.of(now, told)));
        intake.stored(new Batch(new BatchId("agent@" + node, System.nanoTime(), 1), records));
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(() -> assessor.find(service).isPresent());
        return browser(Role.VIEWER)
                .get("/api/v1/services/" + service)
                .expect(200)
                .json()
                .get("host");
    }

    @Test
    void parts_areToldWithWhatIsAtFault() {
        JsonNode parts = host(
                        "parts-a",
                        Map.of(
                                "missingDisks",
                                1.0,
                                "cardErrors",
                                7.0,
                                "clock",
                                1.0,
                                "cpuSoftirqs",
                                500.0))
                .get("parts");

        assertThat(parts.get("board").asString()).isEqualTo("Maker Board");
        assertThat(parts.get("clockSynchronised").asBoolean()).isTrue();
        assertThat(parts.get("faults").size()).isEqualTo(2);
        assertThat(parts.get("faults").get(0).get("kind").asString()).isEqualTo("array-degraded");
        assertThat(parts.get("faults").get(0).get("part").asString()).isEqualTo("md0");
        JsonNode card = parts.get("cards").get(0);
        assertThat(card.get("errors").get(0).get("kind").asString()).isEqualTo("rx_crc_errors");
        assertThat(card.get("dropsPerSecond").asDouble()).isZero();
        assertThat(parts.get("cpus").get(1).get("softirqsPerSecond").asDouble()).isEqualTo(50);
        JsonNode image = parts.get("volumes").get(1);
        assertThat(image.get("readOnly").asBoolean()).isTrue();
        assertThat(image.get("turnedReadOnly").asBoolean()).isFalse();
        assertThat(parts.get("sensors").get(0).get("limitCelsius").asDouble()).isEqualTo(100);
    }

    @Test
    void agentThatDoesNotLookAtParts_tellsNone() {
        assertThat(host("parts-b", Map.of()).get("parts").isNull()).isTrue();
    }
}
