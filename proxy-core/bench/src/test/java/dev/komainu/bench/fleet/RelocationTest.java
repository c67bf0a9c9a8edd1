package dev.komainu.bench.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.wire.MalformedBatchException;
import dev.komainu.telemetry.wire.RecordJson;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Tests of the change of names, addresses and times. */
class RelocationTest {

    private static final String EXTRACT = """
            {"arrivedMicros":1795849200000000,"source":"agent@vm","record":{"type":"serviceSighting","service":"vm:8081","node":"vm","name":"nginx :8081","kind":"nginx","addresses":["127.0.0.1:8081","10.98.1.1:8081","[fe80::1]:8081"],"settings":[{"name":"proxy_pass","value":"http://10.98.1.1:8082","source":"/etc/nginx.conf:3"},{"name":"proxy_pass","value":"http://127.0.0.1:8083","source":"/etc/nginx.conf:4"}],"atMicros":1795849199000001}}
            {"arrivedMicros":1795849200000000,"source":"probe@edge","record":{"type":"sourceStatus","node":"edge","kind":"agent","version":"1","startedMicros":1795849100000000,"atMicros":1795849199000000,"residentBytes":94232576,"cpuCores":0.5}}
            {"arrivedMicros":1795849201100000,"source":"agent@vm","record":{"type":"serviceWindow","service":"vm:8081","fromMicros":1795849200000000,"lengthMicros":1000000,"arrivals":20,"payloadBytes":999999999999999}}
            """;

    private final RecordedLines recorded = RecordedLines.of(EXTRACT);
    private final Relocation relocation =
            new Relocation(recorded, "vm:8081", "incident-07", 120, 5_000_000);
    private final List<JsonNode> moved = recorded.lines().stream()
            .map(line -> relocation.record(line.record()))
            .toList();

    @Test
    void names_ofHostServiceAndSource_areNew() {
        assertThat(relocation.name("agent@vm")).isEqualTo("agent@incident-07");
        assertThat(relocation.name("proxy@vm:8081")).isEqualTo("proxy@incident-07:8081");
        assertThat(relocation.name("probe@edge")).isEqualTo("probe@incident-07-edge");
        assertThat(relocation.name("vm:8081>origin")).isEqualTo("incident-07:8081>origin");
        assertThat(relocation.name("vmlinux")).isEqualTo("vmlinux");
        assertThat(moved.getFirst().get("service").asString()).isEqualTo("incident-07:8081");
        assertThat(moved.getFirst().get("node").asString()).isEqualTo("incident-07");
        assertThat(moved.get(1).get("node").asString()).isEqualTo("incident-07-edge");
    }

    @Test
    void addresses_exceptLoopback_areNewEverywhere() {
        assertThat(moved.getFirst().get("addresses").valueStream().map(JsonNode::asString))
                .containsExactly("127.0.0.1:8081", "10.120.1.1:8081", "[fd00:120::2]:8081");
        assertThat(moved.getFirst()
                        .get("settings")
                        .valueStream()
                        .map(each -> each.get("value").asString()))
                .containsExactly("http://10.120.1.1:8082", "http://127.0.0.1:8083");
        // Another network only looks like it.
        assertThat(relocation.name("110.98.1.1:8081")).isEqualTo("110.98.1.1:8081");
    }

    @Test
    void service_knownByItsAddress_getsAnother() {
        Relocation far = new Relocation(recorded, "10.98.1.1:8081", "incident-08", 130, 0);

        assertThat(far.name("10.98.1.1:8081")).isEqualTo("10.130.1.1:8081");
        assertThat(far.name("vm:8081")).isEqualTo("incident-08-vm:8081");
        assertThat(far.record(recorded.lines().getFirst().record())
                        .get("addresses")
                        .get(1)
                        .asString())
                .isEqualTo("10.130.1.1:8081");
    }

    @Test
    void instants_moveAndCountsStay() {
        JsonNode window = moved.get(2);
        assertThat(window.get("fromMicros").asLong()).isEqualTo(1_795_849_205_000_000L);
        assertThat(window.get("lengthMicros").asLong()).isEqualTo(1_000_000);
        assertThat(window.get("payloadBytes").asLong()).isEqualTo(999_999_999_999_999L);
        assertThat(moved.get(1).get("startedMicros").asLong()).isEqualTo(1_795_849_105_000_000L);
    }

    @Test
    void moved_isStillARecord() throws MalformedBatchException {
        for (JsonNode each : moved) {
            assertThat(RecordJson.read(each.toString(), 1)).isNotNull();
        }
        assertThat(RecordJson.typeOf(RecordJson.read(moved.get(2).toString(), 1)))
                .isEqualTo("serviceWindow");
    }
}
