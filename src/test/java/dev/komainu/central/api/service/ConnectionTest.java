package dev.komainu.central.api.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralClient;
import dev.komainu.central.CentralTest;
import dev.komainu.central.access.Scope;
import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.indices.Told;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.ConnectionState;
import dev.komainu.telemetry.record.DirectionTotals;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.Handshake;
import dev.komainu.telemetry.record.HttpExchange;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.record.TlsFacts;
import dev.komainu.telemetry.wire.RecordJson;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import tools.jackson.databind.JsonNode;

/** Tests from lines of JSON over HTTP to the table of connections. */
class ConnectionTest extends CentralTest {

    private static final String SERVICE = "listed:80";
    private static final String CONNECTIONS = "/api/v1/services/" + SERVICE + "/connections";
    private static final String SUMMARY = "/api/v1/services/" + SERVICE + "/connection-summary";

    @Autowired
    private Assessor assessor;

    /**
     * Five connections, one a second; the third was slow, the fourth reset. Sent again by each
     * test, stored once.
     */
    @BeforeEach
    void setUp() {
        long end = START;
        List<TelemetryRecord> records = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            records.add(connection(i, end - (5 - i) * 1_000_000L));
        }
        records.add(Told.packets(SERVICE, end / 1_000_000 - 1, Map.of("rps", 1.0, "ms", 10.0)));
        machine(Scope.INGEST)
                .withHeader("Content-Type", "application/x-ndjson")
                .withHeader("Komainu-Batch", "agent@listed/1/1")
                .post(
                        "/api/v1/ingest",
                        records.stream().map(RecordJson::write).collect(Collectors.joining("\n")))
                .expect(200);
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(() -> assessor.find(SERVICE).isPresent());
    }

    /** Microseconds; the same for all tests of this class, so that the batch is the same. */
    private static final long START = System.currentTimeMillis() * 1_000;

    @Test
    void list_whole_isNewestFirstWithEveryFigure() {
        JsonNode items = get("").get("items");

        assertThat(items.findValuesAsString("client"))
                .containsExactly(
                        "192.0.2.1:1004",
                        "192.0.2.1:1003",
                        "192.0.2.1:1002",
                        "192.0.2.1:1001",
                        "192.0.2.1:1000");
        JsonNode newest = items.get(0);
        assertThat(newest.get("handshakeMicros").asLong()).isEqualTo(300);
        assertThat(newest.at("/exchanges/0/target").asString()).isEqualTo("/page/4");
        assertThat(newest.at("/tls/sni").asString()).isEqualTo("example.test");
        assertThat(newest.get("transferMicros").isNull()).isTrue();
    }

    @Test
    void list_pageByPage_givesEachOnce() {
        List<String> clients = new ArrayList<>();
        String query = "?limit=2";
        while (query != null) {
            JsonNode page = get(query);
            clients.addAll(page.get("items").findValuesAsString("client"));
            query = page.get("nextCursor").isNull()
                    ? null
                    : "?limit=2&cursor=" + page.get("nextCursor").asString();
        }

        assertThat(clients).hasSize(5).doesNotHaveDuplicates();
    }

    @Test
    void list_filters_leaveOnlyWhatFits() {
        assertThat(get("?state=rst-server").get("items").findValuesAsString("client"))
                .containsExactly("192.0.2.1:1003");
        assertThat(get("?minResponseMillis=500").get("items").findValuesAsString("client"))
                .containsExactly("192.0.2.1:1002");
        assertThat(get("?target=/page/1").get("items")).hasSize(1);
        assertThat(get("?client=192.0.2.9").get("items")).isEmpty();
    }

    @Test
    void list_wrongFilters_areNamed() {
        CentralClient reader = machine(Scope.METRICS_READ);

        assertThat(reader.get(CONNECTIONS + "?state=odd").expect(400).body())
                .contains("state: odd (expected: normal, ");
        assertThat(reader.get(CONNECTIONS + "?from=yesterday").expect(400).body())
                .contains("from: yesterday (expected: an RFC 3339 instant");
        assertThat(reader.get(CONNECTIONS + "?client=example.test").expect(400).body())
                .contains("client: example.test (expected: an IPv4 or IPv6 address");
        assertThat(reader.get(CONNECTIONS + "?cursor=AAAA").expect(400).body())
                .contains("cursor: AAAA");
        reader.get("/api/v1/services/nobody:80/connections").expect(404);
    }

    @Test
    void csv_sameRows_oneLineEach() {
        CentralClient.Answer csv = machine(Scope.METRICS_READ)
                .withHeader("Accept", "text/csv")
                .get(CONNECTIONS)
                .expect(200);

        assertThat(csv.body().lines()).hasSize(6);
        assertThat(csv.body()).contains(",normal,300,").contains(",GET,/page/4,200");
    }

    @Test
    void summary_byTarget_countsEachAndOrdersByTheSlowest() {
        JsonNode summary = summary("?groupBy=target&sort=slowest&groups=2");

        assertThat(summary.get("complete").asBoolean()).isTrue();
        assertThat(summary.at("/total/connections").asInt()).isEqualTo(5);
        assertThat(summary.at("/total/requests").asInt()).isEqualTo(5);
        assertThat(summary.at("/total/failed").asInt()).isEqualTo(1);
        assertThat(summary.at("/total/payloadBytes").asInt()).isEqualTo(5 * 8_900);
        assertThat(summary.at("/total/responseP50Millis").asDouble()).isEqualTo(1);
        assertThat(summary.at("/total/slowestMillis").asDouble()).isEqualTo(700);
        assertThat(summary.get("groups").findValuesAsString("name"))
                .containsExactly("/page/2", "/page/0");
        assertThat(summary.get("otherGroups").asInt()).isEqualTo(3);
        assertThat(summary.get("slowest").findValuesAsString("client").getFirst())
                .isEqualTo("192.0.2.1:1002");
    }

    @Test
    void summary_distribution_hasEachResponseInItsBin() {
        JsonNode bins = summary("").get("distribution");

        assertThat(bin(bins, 0.5)).isEqualTo(4);
        assertThat(bin(bins, 500)).isEqualTo(1);
        assertThat(bins.get(bins.size() - 1).get("toMillis").isNull()).isTrue();
        assertThat(summary("?groupBy=state").get("groups").findValuesAsString("name"))
                .containsExactly("normal", "rst-server");
        assertThat(summary("?minResponseMillis=500").at("/total/connections").asInt())
                .isEqualTo(1);
    }

    @Test
    void summary_wrongParameters_areNamed() {
        CentralClient reader = machine(Scope.METRICS_READ);

        assertThat(reader.get(SUMMARY + "?groupBy=port").expect(400).body())
                .contains("groupBy: port (expected: client, target, state)");
        assertThat(reader.get(SUMMARY + "?sort=name").expect(400).body())
                .contains("sort: name (expected: connections, ");
        assertThat(reader.get(SUMMARY + "?groups=501").expect(400).body())
                .contains("groups: 501 (expected: 1 to 500)");
        reader.get("/api/v1/services/nobody:80/connection-summary").expect(404);
    }

    private static int bin(JsonNode bins, double fromMillis) {
        for (JsonNode each : bins) {
            if (each.get("fromMillis").asDouble() == fromMillis) {
                return each.get("responses").asInt();
            }
        }
        throw new AssertionError("no bin from " + fromMillis);
    }

    private JsonNode summary(String query) {
        return machine(Scope.METRICS_READ).get(SUMMARY + query).expect(200).json();
    }

    private JsonNode get(String query) {
        return machine(Scope.METRICS_READ).get(CONNECTIONS + query).expect(200).json();
    }

    private static ConnectionRecord connection(int number, long endMicros) {
        long start = endMicros - 900_000;
        HttpExchange exchange = new HttpExchange(
                "GET",
                "/page/" + number,
                200,
                start + 1_000,
                start + 2_000,
                start + 3_000,
                number == 2 ? 700_000L : 1_000L,
                1_000L);
        return new ConnectionRecord(
                SERVICE,
                Endpoint.parse("192.0.2.1:" + (1_000 + number)),
                Endpoint.parse("192.0.2.80:80"),
                new ConnectionRecord.Times(start, endMicros, 900_000, null),
                number == 3 ? ConnectionState.RST_SERVER : ConnectionState.NORMAL,
                new Handshake(start, start + 100, 300L, 1, 100L, 200L),
                new DirectionTotals(5, 600, 300, 300, 0, 0, 0),
                new DirectionTotals(6, 9_000, 8_600, 8_600, 0, 0, 0),
                List.of(exchange),
                0,
                number == 4 ? new TlsFacts("1.3", "example.test", "h2", start + 500) : null);
    }
}
