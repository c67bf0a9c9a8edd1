package dev.komainu.central.api.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.komainu.central.CentralClient;
import dev.komainu.central.CentralTest;
import dev.komainu.central.access.Role;
import dev.komainu.central.access.Scope;
import dev.komainu.central.assessment.LiveFeed;
import dev.komainu.central.indices.Told;
import dev.komainu.central.store.RecordStore;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import tools.jackson.databind.JsonNode;

/**
 * Tests with ten minutes of a server of two CPUs under six loads; responses are checked against the
 * contract.
 */
class CapacityTest extends CentralTest {

    private static final String SERVICE = "capacity:80";
    private static final String QUIET = "quiet-capacity:80";
    private static final String PATH = "/api/v1/services/" + SERVICE + "/capacity";

    /** Requests a second that exhaust both CPUs. */
    private static final double FULL = 400;

    /** A time shortly after the six loads ended; set when the service is up. */
    private static long end;

    @Autowired
    private LiveFeed intake;

    @Autowired
    private RecordStore store;

    private CentralClient reader;

    @BeforeEach
    void setUp() throws Exception {
        reader = machine(Scope.METRICS_READ);
        if (end == 0) {
            end = System.currentTimeMillis() / 1_000 / 10 * 10;
            List<TelemetryRecord> records = new ArrayList<>();
            records.add(sighting(SERVICE));
            records.add(sighting(QUIET));
            for (long from = end - 640; from < end - 40; from += 10) {
                double rate = 40 * (1 + (from - end + 640) / 100);
                double rho = rate / FULL;
                // Two servers in one queue, 5 ms a request.
                double millis = 5 / (1 - rho * rho);
                for (long second = from; second < from + 10; second++) {
                    records.add(Told.packets(SERVICE, second, Map.of("rps", rate, "ms", millis)));
                }
                records.add(Told.host(
                        "capacity", SERVICE, from + 10, Map.of("idle", 1 - rho, "cores", 2 * rho)));
            }
            Batch batch = new Batch(new BatchId("agent@capacity", System.nanoTime(), 1), records);
            store.append(batch);
            intake.stored(batch);
        }
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(() ->
                        reader.get("/api/v1/services/" + QUIET + "/capacity").status() == 200);
    }

    private static ServiceSighting sighting(String service) {
        return new ServiceSighting(
                service,
                "capacity",
                service,
                "nginx",
                null,
                List.of(),
                new ServiceSighting.ServerProcess(null, null),
                List.of(),
                end * 1_000_000,
                null);
    }

    @Test
    void capacity_sixLoads_tellTheKneeAndItsEvidence() {
        JsonNode capacity = reader.get(PATH).expect(200).json();

        JsonNode knee = capacity.at("/summary/knee");
        assertThat(knee.get("rate").asDouble()).isCloseTo(FULL * Math.sqrt(2.0 / 3), within(40.0));
        assertThat(knee.get("low").asDouble())
                .isLessThanOrEqualTo(knee.get("rate").asDouble());
        assertThat(capacity.at("/curve/kind").asString()).isEqualTo("queue");
        assertThat(capacity.at("/curve/restMillis").asDouble()).isCloseTo(5, within(0.5));
        assertThat(capacity.at("/cpuMillis/value").asDouble()).isCloseTo(5, within(0.2));
        assertThat(capacity.at("/little/agrees").asBoolean()).isTrue();
        assertThat(capacity.get("steps").size()).isBetween(5, 7);
        assertThat(capacity.get("drawn").size()).isGreaterThan(20);
        assertThat(capacity.get("rhythm").size()).isEqualTo(168);
        assertThat(capacity.get("resources")
                        .valueStream()
                        .filter(each -> each.get("bounding").asBoolean())
                        .map(each -> each.get("resource").asString()))
                .containsExactly("cpu");
        assertThat(capacity.at("/users/basis").asString()).isEqualTo("connections");
        assertThat(reader.get("/api/v1/capacity")
                        .expect(200)
                        .json()
                        .valueStream()
                        .filter(each -> each.get("service").asString().equals(SERVICE))
                        .findFirst()
                        .orElseThrow()
                        .at("/knee/rate")
                        .asDouble())
                .isEqualTo(knee.get("rate").asDouble());
    }

    @Test
    void capacity_noTraffic_listsTheMissingInputs() {
        JsonNode capacity = reader.get("/api/v1/services/" + QUIET + "/capacity")
                .expect(200)
                .json();

        assertThat(capacity.at("/summary/knee").isNull()).isTrue();
        assertThat(capacity.at("/summary/missing/0/what").asString()).isEqualTo("traffic");
        assertThat(reader.post("/api/v1/services/" + QUIET + "/capacity/what-if", Map.of())
                        .expect(409)
                        .problem())
                .isEqualTo("not-enough-data");
    }

    @Test
    void whatIf_twiceTheLoad_namesWhatIsNeeded() {
        JsonNode now =
                reader.post(PATH + "/what-if", Map.of("rate", 200)).expect(200).json();
        assertThat(now.get("needs")).isEmpty();
        assertThat(now.get("headroom").asDouble()).isBetween(0.2, 0.6);
        assertThat(now.at("/resources/0/use/value").asDouble()).isCloseTo(0.5, within(0.03));

        JsonNode twice = reader.post(
                        PATH + "/what-if",
                        Map.of(
                                "rate",
                                300,
                                "growthPercent",
                                100,
                                "workers",
                                10,
                                "bandwidthFactor",
                                2))
                .expect(200)
                .json();
        assertThat(twice.get("rate").asDouble()).isEqualTo(600);
        assertThat(twice.at("/needs/0/resource").asString()).isEqualTo("cpu");
        assertThat(twice.get("headroom").asDouble()).isNegative();
        assertThat(twice.get("assumptions").valueStream().map(JsonNode::asString))
                .contains("workers-not-known", "network-does-not-follow-the-load");
        double factor = twice.at("/needs/0/factor").asDouble();
        JsonNode bought = reader.post(
                        PATH + "/what-if", Map.of("rate", 600, "cpuFactor", factor * 1.001))
                .expect(200)
                .json();
        assertThat(bought.get("needs")).isEmpty();
        assertThat(bought.at("/knee/rate").asDouble()).isGreaterThanOrEqualTo(599);
    }

    @Test
    void whatIf_wrongFields_areRefusedFieldByField() {
        assertThat(reader.post(PATH + "/what-if", Map.of("cpuFactor", 0, "responseRatio", 99))
                        .expect(400)
                        .body())
                .contains("cpuFactor: 0")
                .contains("responseRatio: 99")
                .contains("0.05 to 64");
        reader.post("/api/v1/services/nobody:80/capacity/what-if", Map.of()).expect(404);
    }

    @Test
    void upgrade_markedChange_storesTheKneeBeforeAndCounts() {
        CentralClient operator = browser(Role.OPERATOR);
        String id = operator.post(
                        "/api/v1/changes", Map.of("service", SERVICE + "0", "title", "Faster CPU"))
                .expect(201)
                .json()
                .get("id")
                .asString();
        String path = "/api/v1/changes/" + id + "/upgrade";

        JsonNode marked = operator.put(path, Map.of("cost", 120.5, "currency", "EUR"))
                .expect(200)
                .json();

        assertThat(marked.get("cost").asDouble()).isEqualTo(120.5);
        assertThat(marked.get("before").isNull()).isTrue();
        assertThat(marked.get("certain").asBoolean()).isFalse();
        operator.put(path, Map.of("cost", -1)).expect(400);
        operator.put("/api/v1/changes/999999999/upgrade", Map.of()).expect(404);
        operator.put("/api/v1/changes/x/upgrade", Map.of()).expect(404);
        operator.delete(path).expect(204);
        operator.delete(path).expect(404);
    }
}
