package dev.komainu.central.api.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralClient;
import dev.komainu.central.CentralTest;
import dev.komainu.central.access.Role;
import dev.komainu.central.access.Scope;
import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.assessment.LiveFeed;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.Told;
import dev.komainu.central.state.Judgement;
import dev.komainu.central.state.ServiceState;
import dev.komainu.central.state.ThresholdOverride;
import dev.komainu.central.state.ThresholdTable;
import dev.komainu.central.state.Thresholds;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import tools.jackson.databind.JsonNode;

/**
 * Tests of the thresholds of one service: listed, set with a reason, used at once, shown in the
 * evidence, stored, and reset.
 */
class ThresholdsTest extends CentralTest {

    private static final String NODE = "own";
    private static final String SERVICE = "own:80";
    private static final String PATH = "/api/v1/services/" + SERVICE + "/thresholds";
    private static final String RULE = "memory/available";
    private static final String MEASURE = "hostMemoryAvailableShare";

    @Autowired
    private LiveFeed intake;

    @Autowired
    private Assessor assessor;

    @Autowired
    private Thresholds thresholds;

    @Autowired
    private ThresholdTable table;

    @Autowired
    private IndexCatalogue catalogue;

    private long sequence;

    /**
     * Half a minute of a healthy server whose host has 30 % free memory, and the following seconds.
     */
    @BeforeEach
    void sendRecords() {
        long now = System.currentTimeMillis() / 1_000;
        List<TelemetryRecord> records = new ArrayList<>();
        records.add(new ServiceSighting(
                SERVICE,
                NODE,
                "apache :80",
                "apache",
                "2.4.62",
                List.of(),
                new ServiceSighting.ServerProcess(100L, null),
                List.of(new Setting("MaxRequestWorkers", "10", "/etc/apache2/mpm.conf:7")),
                now * 1_000_000));
        for (long second = now - 40; second < now; second++) {
            records.add(Told.packets(SERVICE, second, Map.of("rps", 20.0, "ms", 15.0)));
            if ((now - second) % 10 == 0) {
                records.add(Told.host(
                        NODE,
                        SERVICE,
                        second + 10,
                        Map.of("idle", 0.8, "available", 0.3, "processes", 11.0)));
            }
        }
        intake.stored(
                new Batch(new BatchId("agent@" + NODE, System.nanoTime(), ++sequence), records));
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(() -> assessor.find(SERVICE).isPresent());
    }

    @Test
    void list_hasEveryConditionWithItsSourceAndValue() {
        JsonNode rules = awaited(PATH, list -> condition(list).get("value").isNumber());

        assertThat(rules.size()).isGreaterThan(25);
        JsonNode condition = condition(rules);
        assertThat(condition.get("standard").asDouble()).isEqualTo(0.05);
        assertThat(condition.get("threshold").asDouble()).isEqualTo(0.05);
        assertThat(condition.get("comparison").asString()).isEqualTo("<");
        assertThat(condition.get("source").asString()).contains("thesis");
        assertThat(condition.get("value").asDouble()).isEqualTo(0.3);
        assertThat(condition.get("met").asBoolean()).isFalse();
        assertThat(condition.get("override").isNull()).isTrue();
        assertThat(rules.toString())
                .as("rules for proxies alone")
                .contains("cpu/busy")
                .doesNotContain("upstream/errors");
    }

    @Test
    void set_isUsedReportedAndStored_andResetRestoresTheStandard() {
        CentralClient operator = browser(Role.OPERATOR);

        JsonNode set = operator.put(
                        PATH,
                        Map.of(
                                "rule",
                                RULE,
                                "measure",
                                MEASURE,
                                "value",
                                0.4,
                                "reason",
                                "its heap must fit"))
                .expect(200)
                .json();
        JsonNode own = set.get("conditions").get(0);
        assertThat(own.get("threshold").asDouble()).isEqualTo(0.4);
        assertThat(own.get("standard").asDouble()).isEqualTo(0.05);
        assertThat(own.get("override").get("by").asString()).isEqualTo("test-operator");

        // The rule holds for every present second: the next ticks report it.
        Judgement named = Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(
                        () -> {
                            sendRecords();
                            return assessor.find(SERVICE).orElseThrow().judgement();
                        },
                        judgement -> judgement.state() == ServiceState.SATURATED_MEMORY);
        assertThat(named.evidence().getFirst().thresholdSource())
                .isEqualTo("own: set by test-operator, its heap must fit");

        assertThat(new Thresholds(thresholds.ruleSet(), catalogue, table)
                        .find(SERVICE, RULE, MEASURE)
                        .map(ThresholdOverride::value))
                .as("after a restart")
                .contains(0.4);
        assertThat(browser(Role.ADMINISTRATOR)
                        .get("/api/v1/audit?limit=100")
                        .expect(200)
                        .body())
                .contains("threshold.set", "0.4: its heap must fit");

        operator.delete(PATH + "?rule=" + RULE + "&measure=" + MEASURE).expect(204);
        operator.delete(PATH + "?rule=" + RULE + "&measure=" + MEASURE).expect(204);
        assertThat(condition(operator.get(PATH).expect(200).json())
                        .get("threshold")
                        .asDouble())
                .isEqualTo(0.05);
        assertThat(new Thresholds(thresholds.ruleSet(), catalogue, table)
                        .find(SERVICE, RULE, MEASURE))
                .isEmpty();
    }

    @Test
    void set_wrongValues_areNamedWithWhatIsExpected() {
        CentralClient operator = browser(Role.OPERATOR);
        assertThat(operator.put(
                                PATH,
                                Map.of(
                                        "rule", RULE, "measure", MEASURE, "value", 40, "reason",
                                        " "))
                        .expect(400)
                        .body())
                .contains("value: 40.0 (expected: 0 to 1", "reason", "1 to 500 characters");
        assertThat(operator.put(
                                PATH,
                                Map.of(
                                        "rule",
                                        RULE,
                                        "measure",
                                        "hostLoad1",
                                        "value",
                                        1,
                                        "reason",
                                        "r"))
                        .expect(400)
                        .body())
                .contains("measure: hostLoad1 (expected: a measurement of that rule)");
        assertThat(operator.put(PATH, Map.of("rule", "cpu/none", "value", 1, "reason", "r"))
                        .expect(400)
                        .body())
                .contains("rule: cpu/none (expected: the id of a rule)");
        operator.put(
                        "/api/v1/services/nobody:1/thresholds",
                        Map.of("rule", RULE, "measure", MEASURE, "value", 0.4, "reason", "r"))
                .expect(404);
        operator.delete(PATH + "?rule=cpu/none&measure=x").expect(400);
        browser(Role.VIEWER)
                .put(PATH, Map.of("rule", RULE, "measure", MEASURE, "value", 0.4, "reason", "r"))
                .expect(403);
    }

    @Test
    void service_itsBlindStates_areReportedWithTheCommand() {
        // Packets, host, processes and settings are all present.
        JsonNode detail = awaited(
                "/api/v1/services/" + SERVICE,
                found -> !found.get("blind").toString().contains("saturated"));
        assertThat(detail.get("blind").isArray()).isTrue();
    }

    /**
     * Returns the first response that matches. The records are sent again each time, since they
     * become old on a busy machine.
     */
    private JsonNode awaited(String path, Predicate<JsonNode> expected) {
        CentralClient reader = machine(Scope.SERVERS_READ);
        return Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(
                        () -> {
                            sendRecords();
                            return reader.get(path).expect(200).json();
                        },
                        expected);
    }

    private static JsonNode condition(JsonNode rules) {
        for (JsonNode rule : rules) {
            if (rule.get("rule").asString().equals(RULE)) {
                return rule.get("conditions").get(0);
            }
        }
        throw new AssertionError(RULE + " is not listed");
    }
}
