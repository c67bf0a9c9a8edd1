package dev.komainu.central.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralClient;
import dev.komainu.central.CentralTest;
import dev.komainu.central.access.Scope;
import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.assessment.LiveFeed;
import dev.komainu.central.control.ControlEngine;
import dev.komainu.central.diagnosis.Diagnosis;
import dev.komainu.central.diagnosis.DiagnosisArchive;
import dev.komainu.central.diagnosis.DiagnosisWhatIf;
import dev.komainu.central.incident.CurrentDiagnosis;
import dev.komainu.central.indices.Told;
import dev.komainu.central.store.RecordStore;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import dev.komainu.telemetry.record.SourceStatus;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/** Tests from records to responses: every route about assessments, checked against the contract. */
class JudgementApiTest extends CentralTest {

    private static final String NODE = "judged";
    private static final String SERVICE = "judged:80";
    private static final String SOURCE = "agent@judged";

    @Autowired
    private LiveFeed intake;

    @Autowired
    private Assessor assessor;

    @Autowired
    private RecordStore store;

    @Autowired
    private CurrentDiagnosis current;

    /** Shared by all tests here: records sent twice for one second count twice. */
    private static long toldUntil;

    private long sequence;
    private long toldAtNanos;

    /** A minute of a healthy Apache, then half a minute with all ten workers busy. */
    @BeforeEach
    void sendRecords() {
        toldAtNanos = System.nanoTime();
        long now = System.currentTimeMillis() / 1_000;
        List<TelemetryRecord> records = new ArrayList<>();
        records.add(sighting("10", now * 1_000_000));
        records.add(status(now * 1_000_000));
        for (long second = Math.max(toldUntil, now - 90); second < now; second++) {
            boolean busy = second >= now - 30;
            Map<String, Double> packets = busy
                    ? Map.of("rps", 70.0, "done", 66.0, "ms", 450.0, "waiting", 30.0)
                    : Map.of("rps", 20.0, "ms", 150.0);
            records.add(Told.packets(SERVICE, second, packets));
            // By the clock: records that are sent later continue the interval.
            if (second % 10 == 0) {
                records.add(Told.host(
                        NODE,
                        SERVICE,
                        second + 1,
                        Map.of("idle", busy ? 0.55 : 0.8, "processes", 11.0)));
            }
        }
        toldUntil = now;
        send(records);
    }

    @Test
    void services_saturatedOne_isNamedWithCauseEvidenceAndFigures() {
        saturated();

        JsonNode found = machine(Scope.SERVERS_READ)
                .get("/api/v1/services/" + SERVICE)
                .expect(200)
                .json();
        assertThat(found.get("state").asString()).isEqualTo("saturated/processes");
        assertThat(found.get("cause").get("ja").asString()).isNotBlank();
        assertThat(found.get("evidence").get(0).get("thresholdSource").asString())
                .contains("thesis");
        assertThat(found.get("summary").get("processedPerSecond").asDouble()).isGreaterThan(0);
        assertThat(found.get("host").get("server").get("processes").asInt()).isEqualTo(11);
        assertThat(found.get("settings").get(0).get("name").asString())
                .isEqualTo("MaxRequestWorkers");
        CentralClient reader = machine(Scope.SERVERS_READ, Scope.METRICS_READ);
        assertThat(reader.get("/api/v1/services")
                        .expect(200)
                        .json()
                        .get("items")
                        .size())
                .isPositive();
        assertThat(reader.get("/api/v1/overview")
                        .expect(200)
                        .json()
                        .get("counts")
                        .get("saturated")
                        .asInt())
                .isPositive();
        assertThat(reader.get("/api/v1/sources").expect(200).body()).contains(SOURCE);
        assertThat(reader.get("/api/v1/indices").expect(200).json().size()).isGreaterThan(50);
        assertThat(reader.get("/api/v1/services/" + SERVICE + "/transitions")
                        .expect(200)
                        .json()
                        .get("items")
                        .size())
                .isPositive();
    }

    @Test
    void series_ofTheLastMinutes_hasColumnsAsLongAsTimesAndNullForGaps() {
        saturated();

        JsonNode series = machine(Scope.METRICS_READ)
                .get("/api/v1/services/" + SERVICE + "/series?stepSeconds=10")
                .expect(200)
                .json();

        int points = series.get("times").size();
        assertThat(points).isBetween(90, 92);
        series.get("columns").forEach(column -> assertThat(column.size()).isEqualTo(points));
        assertThat(series.get("columns").get("processedPerSecond").get(0).isNull())
                .isTrue();
        assertThat(series.get("columns").get("processedPerSecond").toString()).contains("66");
        assertThat(series.get("states").size()).isPositive();
    }

    @Test
    void series_rangeWithinOneSecond_isRefused() {
        saturated();

        machine(Scope.METRICS_READ)
                .get("/api/v1/services/" + SERVICE
                        + "/series?from=2026-11-22T20:00:00.100Z&to=2026-11-22T20:00:00.900Z")
                .expect(400);
    }

    @Test
    void series_lastSeconds_comeFromMemoryAndAgreeWithTheStore() {
        saturated();
        CentralClient reader = machine(Scope.METRICS_READ);
        String path = "/api/v1/services/" + SERVICE
                + "/series?index=processedPerSecond&stepSeconds=10&from=";
        Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);

        assertThat(reader.get(path + now.minusSeconds(90)).expect(200).body()).contains("66");
        assertThat(reader.get(path + now.minusSeconds(7_200)).expect(200).body())
                .contains("66");
    }

    @Test
    void series_unknownIndex_isAProblemThatNamesIt() {
        saturated();

        CentralClient.Answer answer = machine(Scope.METRICS_READ)
                .get("/api/v1/services/" + SERVICE + "/series?index=loadAverage")
                .expect(400);

        assertThat(answer.body()).contains("loadAverage");
    }

    @Test
    void diagnosis_run_isStoredUnchanged() {
        saturated();
        CentralClient operator = machine(Scope.METRICS_READ, Scope.TUNING_RUN);

        CentralClient.Answer now =
                operator.get("/api/v1/services/" + SERVICE + "/diagnosis").expect(200);
        assertThat(now.json().get("leaves").toString()).contains("set-processes");
        assertThat(now.json().get("advice").toString()).contains("MaxRequestWorkers");

        CentralClient.Answer kept = operator.post(
                        "/api/v1/services/" + SERVICE + "/diagnosis", null)
                .expect(201);
        JsonNode again = operator.get(kept.header("Location")).expect(200).json();
        assertThat(again).isEqualTo(kept.json());
        assertThat(operator.get("/api/v1/diagnoses?service=" + SERVICE)
                        .expect(200)
                        .json()
                        .get("items")
                        .get(0)
                        .get("id"))
                .isEqualTo(again.get("id"));
        assertThat(operator.get("/api/v1/flowchart")
                        .expect(200)
                        .json()
                        .get("nodes")
                        .size())
                .isGreaterThan(20);
        operator.get("/api/v1/diagnoses/none").expect(404);
        operator.get("/api/v1/services/nobody:1/diagnosis").expect(404);
    }

    @Test
    void entryIntoABadState_keepsItsDiagnosisByItself() {
        saturated();

        JsonNode entry = entry();

        assertThat(entry.get("by").asString()).isEqualTo("komainu");
        assertThat(entry.get("state").asString()).isEqualTo("saturated/processes");
        assertThat(entry.get("advice").toString()).contains("MaxRequestWorkers");
        assertThat(entries("2000-01-01T00:00:00Z").size()).isZero();
    }

    @Test
    void entriesAboveTheLimits_theOldestAreDeletedAndKeptRunsStay() {
        saturated();
        Diagnosis diagnosis =
                current.of(assessor.find(SERVICE).orElseThrow(), DiagnosisWhatIf.NOTHING);
        // Not the service's own, whose entry another test here waits for.
        DiagnosisArchive archive =
                new DiagnosisArchive(JdbcClient.create(ControlEngine.ofThisRun().fresh()));
        String kept = String.valueOf(archive.keep(diagnosis, "operator").id());
        for (int hour = 0; hour < 4; hour++) {
            archive.keepEntry(diagnosis, Instant.EPOCH.plusSeconds(hour * 3_600L));
        }
        archive.keepEntry(diagnosis, Instant.EPOCH); // the same entry again
        assertThat(entered(archive)).hasSize(4);

        assertThat(archive.deleteOldEntries(SERVICE, 2, Long.MAX_VALUE)).isPositive();
        assertThat(entered(archive))
                .containsExactly(
                        Instant.EPOCH.plusSeconds(10_800), Instant.EPOCH.plusSeconds(7_200));
        archive.deleteOldEntries(SERVICE, 2, 1);
        assertThat(entered(archive)).isEmpty();
        assertThat(archive.find(kept)).isPresent();
    }

    /** Returns when the entries began whose diagnoses are kept, newest first. */
    private static List<Instant> entered(DiagnosisArchive archive) {
        return archive.list(SERVICE, Instant.now(), Long.MAX_VALUE, 100).stream()
                .map(Diagnosis::entered)
                .toList();
    }

    private JsonNode entry() {
        return Awaitility.await("the diagnosis of the entry")
                .atMost(Duration.ofSeconds(60))
                .until(() -> entries(Instant.now().toString()), found -> found.size() > 0)
                .get(0);
    }

    private JsonNode entries(String until) {
        return machine(Scope.METRICS_READ)
                .get("/api/v1/diagnoses?service=" + SERVICE + "&enteredBy=" + until)
                .expect(200)
                .json()
                .get("items");
    }

    @Test
    void override_untilATime_setsThePathIsReportedAndEnds() {
        saturated();
        CentralClient operator = machine(Scope.METRICS_READ, Scope.TUNING_RUN);
        String diagnosis = "/api/v1/services/" + SERVICE + "/diagnosis";
        String override = "/api/v1/services/" + SERVICE + "/overrides/workers-short";
        Instant tomorrow = Instant.now().plus(Duration.ofDays(1)).truncatedTo(ChronoUnit.SECONDS);

        operator.put(
                        override,
                        Map.of(
                                "verdict",
                                "no",
                                "reason",
                                "Ten are enough here",
                                "until",
                                tomorrow.toString()))
                .expect(200);

        JsonNode led = operator.get(diagnosis).expect(200).json();
        assertThat(led.get("leaves").toString()).doesNotContain("set-processes");
        JsonNode decision = decision(led, "workers-short");
        assertThat(decision.get("verdict").asString()).isEqualTo("overridden");
        assertThat(decision.get("measured").asString()).isEqualTo("yes");
        assertThat(decision.get("override").get("reason").asString())
                .isEqualTo("Ten are enough here");
        assertThat(decision.get("override").get("until").asString())
                .startsWith(tomorrow.toString().substring(0, 19));
        assertThat(operator.post(diagnosis, null).expect(201).body())
                .contains("Ten are enough here");
        assertThat(operator.get("/api/v1/services/" + SERVICE + "/overrides")
                        .expect(200)
                        .json()
                        .size())
                .isEqualTo(1);
        operator.delete(override).expect(204);
        operator.delete(override).expect(404);
        assertThat(operator.get(diagnosis).expect(200).json().get("leaves").toString())
                .contains("set-processes");
    }

    @Test
    void override_withoutReasonOrForTooLong_namesBoth() {
        saturated();
        CentralClient operator = machine(Scope.METRICS_READ, Scope.TUNING_RUN);
        String late = Instant.now().plus(Duration.ofDays(31)).toString();

        CentralClient.Answer answer = operator.put(
                        "/api/v1/services/" + SERVICE + "/overrides/money",
                        Map.of("verdict", "perhaps", "reason", " ", "until", late))
                .expect(400);

        assertThat(answer.body()).contains("verdict", "reason", "until", "30 days");
        operator.put(
                        "/api/v1/services/" + SERVICE + "/overrides/set-processes",
                        Map.of("verdict", "yes", "reason", "r", "until", late))
                .expect(404);
    }

    @Test
    void whatIf_otherThresholdAndAnswer_changeThePathAndStoreNothing() {
        saturated();
        CentralClient reader = machine(Scope.METRICS_READ);
        String path = "/api/v1/services/" + SERVICE + "/diagnosis";

        JsonNode supposed = reader.post(
                        path + "/what-if",
                        Map.of(
                                "thresholds",
                                List.of(Map.of(
                                        "node",
                                        "limit-reached",
                                        "measurement",
                                        "hostCpuIdleShare",
                                        "threshold",
                                        0.9)),
                                "answers",
                                Map.of("money", "yes")))
                .expect(200)
                .json();

        assertThat(decision(supposed, "limit-reached").get("verdict").asString())
                .isEqualTo("yes");
        assertThat(decision(supposed, "limit-reached").get("evidence").toString())
                .contains("what if");
        assertThat(supposed.get("leaves").toString())
                .contains("bigger-system")
                .doesNotContain("set-processes");
        assertThat(reader.get(path).expect(200).json().get("leaves").toString())
                .contains("set-processes");
        assertThat(reader.post(
                                path + "/what-if",
                                Map.of(
                                        "thresholds",
                                        List.of(Map.of(
                                                "node",
                                                "money",
                                                "measurement",
                                                "loadAverage",
                                                "threshold",
                                                1)),
                                        "answers",
                                        Map.of("start", "perhaps")))
                        .expect(400)
                        .body())
                .contains("thresholds[0]", "answers.start");
    }

    @Test
    void service_apache_isReportedWithItsArchitecture() {
        saturated();

        JsonNode architecture = machine(Scope.SERVERS_READ)
                .get("/api/v1/services/" + SERVICE)
                .expect(200)
                .json()
                .get("architecture");

        assertThat(architecture.get("servedBy").asString()).isEqualTo("workers");
        assertThat(architecture.get("manyProcesses").asBoolean()).isTrue();
        assertThat(architecture.get("evidence").size()).isPositive();
    }

    private static JsonNode decision(JsonNode diagnosis, String node) {
        for (JsonNode each : diagnosis.get("decisions")) {
            if (each.get("node").asString().equals(node)) {
                return each;
            }
        }
        throw new AssertionError(node + " was not asked: " + diagnosis.get("path"));
    }

    @Test
    void sighting_settingChanged_isRecordedAsAChangeByTheAgent() {
        saturated();

        send(List.of(sighting("40", System.currentTimeMillis() * 1_000)));

        assertThat(machine(Scope.SERVERS_READ)
                        .get("/api/v1/changes?service=" + SERVICE)
                        .expect(200)
                        .body())
                .contains("MaxRequestWorkers: 10 → 40")
                .contains("\"agent\"");
        send(List.of(sighting("10", System.currentTimeMillis() * 1_000)));
    }

    private void saturated() {
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> {
            // On a busy machine the records become old.
            if (System.nanoTime() - toldAtNanos > 5_000_000_000L) {
                sendRecords();
            }
            return assessor.find(SERVICE)
                    .filter(s -> s.judgement().state().label().equals("saturated/processes"))
                    .isPresent();
        });
    }

    private void send(List<TelemetryRecord> records) {
        Batch batch = new Batch(new BatchId(SOURCE, System.nanoTime(), ++sequence), records);
        try {
            store.append(batch);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        intake.stored(batch);
    }

    private static ServiceSighting sighting(String workers, long atMicros) {
        return new ServiceSighting(
                SERVICE,
                NODE,
                "apache :80",
                "apache",
                "2.4.62",
                List.of(Endpoint.parse("192.0.2.80:80"), Endpoint.parse("127.0.0.1:80")),
                new ServiceSighting.ServerProcess(100L, "/usr/sbin/apache2"),
                List.of(new Setting(
                        "MaxRequestWorkers",
                        workers,
                        "/etc/apache2/mods-enabled/mpm_event.conf:7")),
                atMicros);
    }

    private static SourceStatus status(long atMicros) {
        return new SourceStatus(
                NODE,
                SourceStatus.Kind.AGENT,
                "0.1.0",
                atMicros,
                atMicros,
                new SourceStatus.Use(60_000_000, 0.02),
                List.of("lo"),
                List.of(new SourceStatus.Drops("kernel-drop", 0)),
                List.of(new SourceStatus.Trouble(
                        "no-psi", "The kernel keeps no pressure figures", null)));
    }
}
