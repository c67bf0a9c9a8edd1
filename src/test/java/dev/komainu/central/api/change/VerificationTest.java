package dev.komainu.central.api.change;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralClient;
import dev.komainu.central.CentralTest;
import dev.komainu.central.access.Role;
import dev.komainu.central.access.Scope;
import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.assessment.LiveFeed;
import dev.komainu.central.change.Change;
import dev.komainu.central.change.Changes;
import dev.komainu.central.diagnosis.DiagnosisArchive;
import dev.komainu.central.diagnosis.Diagnostician;
import dev.komainu.central.indices.LiveIndices;
import dev.komainu.central.indices.LocalizedText;
import dev.komainu.central.indices.SeriesReader;
import dev.komainu.central.indices.Told;
import dev.komainu.central.state.ServiceState;
import dev.komainu.central.state.StateHistory;
import dev.komainu.central.state.Transition;
import dev.komainu.central.store.RecordStore;
import dev.komainu.central.verify.Verification;
import dev.komainu.central.verify.Verifications;
import dev.komainu.central.verify.Verifier;
import dev.komainu.central.verify.VerifySettings;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/** Tests from a recorded change to its verdict over REST. */
class VerificationTest extends CentralTest {

    private static final String RUNS = "/api/v1/verifications";

    @Autowired
    private LiveFeed intake;

    @Autowired
    private RecordStore store;

    @Autowired
    private Assessor assessor;

    @Autowired
    private Changes changes;

    @Autowired
    private VerifySettings settings;

    @Autowired
    private SeriesReader series;

    @Autowired
    private LiveIndices live;

    @Autowired
    private Diagnostician diagnostician;

    @Autowired
    private DiagnosisArchive archive;

    @Autowired
    private Verifications runs;

    @Autowired
    private StateHistory history;

    @Autowired
    private JdbcClient jdbc;

    @Test
    void recordedChange_ofAKnownService_startsARun() {
        String service = "begins:80";
        tell(service, 60, 0, 100);
        judged(service);

        String change = record(service, "MaxRequestWorkers");

        JsonNode run = browser(Role.VIEWER)
                .get(RUNS + "?service=" + service)
                .expect(200)
                .json()
                .at("/items/0");
        assertThat(run.get("changeId").asString()).isEqualTo(change);
        assertThat(run.get("phase").asString()).isIn("settling", "measuring");
        assertThat(run.get("secondsLeft").asLong()).isBetween(1L, 150L);
        assertThat(browser(Role.VIEWER)
                        .get(RUNS + "/" + run.get("id").asString())
                        .expect(200)
                        .json()
                        .at("/diagnosis/flowchart")
                        .asString())
                .isNotBlank();
    }

    /** A restart that is part of the change must not count as the fault that the change ended. */
    @Test
    void stateBefore_whenTheStateHasChangedSince_isThatAtTheChange() {
        String service = "restarted:80";
        tell(service, 60, 0, 100);
        judged(service);
        history.keep(new Transition(
                service,
                System.currentTimeMillis() / 1_000 + 60,
                ServiceState.SATURATED_PROCESSES,
                ServiceState.STOPPED_RESTARTING,
                "restart",
                LocalizedText.of("t", "t"),
                List.of()));

        String change = record(service, "ServerLimit");

        assertThat(browser(Role.VIEWER)
                        .get(RUNS + "?change=" + change)
                        .expect(200)
                        .json()
                        .at("/items/0/stateBefore")
                        .asString())
                .isEqualTo("saturated/processes");
    }

    /** A lowered quota caused the fault; raising it is another change of the same setting. */
    @Test
    void agentObservedTheChangeBefore_isTheSameChangeOnlyWithTheSameValue() {
        for (String observed : List.of("2", "0.1")) {
            String service = "seen-" + observed + ":80";
            tell(service, 60, 0, 100);
            judged(service);
            Instant earlier = Instant.now().minusSeconds(90).truncatedTo(ChronoUnit.SECONDS);
            changes.record(
                    new Change.Wish(
                            service, "t", "cgroup:cpu.max", "9", observed, null, null, null),
                    Change.AGENT,
                    null);
            jdbc.sql("update changes set at = ? where service = ?")
                    .params(earlier.atOffset(ZoneOffset.UTC), service)
                    .update();

            String change = record(service, "cgroup:cpu.max");

            String run = browser(Role.VIEWER)
                    .get(RUNS + "?change=" + change)
                    .expect(200)
                    .json()
                    .at("/items/0/id")
                    .asString();
            long changed =
                    runs.find(Long.parseLong(run)).orElseThrow().run().plan().changed();
            if (observed.equals("2")) {
                assertThat(changed).isEqualTo(earlier.getEpochSecond());
            } else {
                assertThat(changed).isGreaterThan(earlier.getEpochSecond() + 60);
            }
        }
    }

    @Test
    void note_isNotVerified() {
        String service = "noted-only:80";
        tell(service, 60, 0, 100);
        judged(service);

        changes.recordNote(
                new Change.Wish(service, "t", null, null, null, null, null, null),
                "test-operator",
                Instant.now(),
                null);
        String change = record(service, "KeepAliveTimeout");

        assertThat(browser(Role.VIEWER).get(RUNS + "?service=" + service).json().get("items"))
                .hasSize(1)
                .first()
                .satisfies(run -> assertThat(run.get("changeId").asString()).isEqualTo(change));
    }

    @Test
    void secondChange_whileARunIsOpen_endsItInconclusive() {
        String service = "twice:80";
        tell(service, 60, 0, 100);
        judged(service);

        String first = record(service, "KeepAliveTimeout");
        record(service, "ListenBacklog");

        JsonNode ended = browser(Role.VIEWER)
                .get(RUNS + "?change=" + first)
                .expect(200)
                .json()
                .at("/items/0");
        assertThat(ended.get("verdict").asString()).isEqualTo("inconclusive");
        assertThat(ended.get("reason").asString()).isEqualTo("another-change");
    }

    /**
     * The run's times are in the past here, as after a restart of this service: the seconds come
     * from memory or store.
     */
    @Test
    void halvedResponseTimes_endImproved_withReportAndComparison() {
        String service = "halved:80";
        tell(service, 240, 120, 100);
        tell(service, 120, 0, 50);
        judged(service);
        String change = record(service, "MaxRequestWorkers");
        JsonNode run = browser(Role.OPERATOR)
                .post(
                        RUNS,
                        Map.of(
                                "changeId",
                                change,
                                "baselineSeconds",
                                60,
                                "settleSeconds",
                                0,
                                "afterSeconds",
                                60))
                .expect(201)
                .json();
        String id = run.get("id").asString();
        long now = System.currentTimeMillis() / 1_000;
        jdbc.sql("""
                        update verification set changed = ?, baseline_from = ?, baseline_to = ?, after_from = ?, after_to = ?
                        where id = ?""")
                .params(now - 122, now - 230, now - 125, now - 115, now - 20, Long.parseLong(id))
                .update();
        JsonNode done = restarted(id);

        assertThat(done.get("verdict").asString()).as(done.toString()).isEqualTo("improved");
        assertThat(done.at("/result/rows/0/change").asDouble()).isBetween(-0.6, -0.4);
        CentralClient viewer = browser(Role.VIEWER);
        String report = viewer.get(RUNS + "/" + id + "/report").expect(200).body();
        assertThat(report).contains("**Verdict: improved**", "MaxRequestWorkers", "| ms |");
        assertThat(viewer.get(RUNS + "/" + id + "/comparison?with=" + id)
                        .expect(200)
                        .json()
                        .at("/rows/0/one"))
                .isEqualTo(done.at("/result/rows/0"));
        assertThat(runs.find(Long.parseLong(id)).orElseThrow().run().result()).isNotNull();
    }

    @Test
    void begin_wrongLengthsOrUnknownChange_isRefused() {
        CentralClient operator = browser(Role.OPERATOR);

        assertThat(operator.post(RUNS, Map.of("changeId", "1", "afterSeconds", 5))
                        .expect(400)
                        .body())
                .contains("afterSeconds: 5 (expected: 20 to 3600)");
        operator.post(RUNS, Map.of("changeId", "99999999")).expect(404);
        machine(Scope.METRICS_READ).post(RUNS, Map.of("changeId", "1")).expect(403);
        browser(Role.VIEWER).get(RUNS + "/x").expect(404);
    }

    /** Starts a verifier, as after a restart, which reads the open run from the database. */
    private JsonNode restarted(String id) {
        // It started half a minute ago: after a start a run waits for delayed sources.
        Clock earlier = Clock.offset(Clock.systemUTC(), Duration.ofSeconds(-30));
        Verifier again = new Verifier(
                settings, runs, changes, series, live, diagnostician, archive, history, earlier);
        again.start();
        Awaitility.await("the run is judged").atMost(Duration.ofSeconds(60)).until(() -> {
            again.assessed(assessor.latest());
            Verification run = runs.find(Long.parseLong(id)).orElseThrow().run();
            return run.result() != null;
        });
        again.stop();
        return browser(Role.VIEWER).get(RUNS + "/" + id).expect(200).json();
    }

    private String record(String service, String setting) {
        Changes.Outcome outcome = changes.record(
                new Change.Wish(service, "t", setting, "1", "2", null, null, null),
                "test-operator",
                null);
        return Long.toString(((Changes.Outcome.Recorded) outcome).change().id());
    }

    /** Sends records of the seconds from {@code from} ago up to {@code to} ago. */
    private void tell(String service, int from, int to, double millis) {
        long now = System.currentTimeMillis() / 1_000;
        Random random = new Random(from);
        List<TelemetryRecord> records = new ArrayList<>();
        for (long second = now - from; second < now - to; second++) {
            records.add(Told.packets(
                    service,
                    second,
                    Map.of(
                            "rps",
                            36.0 + random.nextInt(9),
                            "ms",
                            millis * (0.9 + random.nextDouble() / 5))));
        }
        Batch batch = new Batch(new BatchId("agent@" + service, now, from), records);
        try {
            store.append(batch);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        intake.stored(batch);
    }
}
