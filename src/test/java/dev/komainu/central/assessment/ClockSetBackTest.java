package dev.komainu.central.assessment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.fleet.Fleet;
import dev.komainu.central.fleet.FleetTable;
import dev.komainu.central.indices.BaselineTable;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.LiveIndices;
import dev.komainu.central.indices.Told;
import dev.komainu.central.state.RuleSet;
import dev.komainu.central.state.ServiceState;
import dev.komainu.central.state.StateHistory;
import dev.komainu.central.state.StateModel;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.SourceStatus;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/**
 * The assessment continues within seconds when a clock is set back by an hour: the central
 * service's, an agent's, or both on one machine.
 */
class ClockSetBackTest {

    private static final String WEB = "10.0.0.1:80";
    private static final int HOUR = 3_600;
    private static final Map<String, Double> CALM = Map.of("rps", 100.0, "ms", 5.0);
    /** Requests are refused: crashed four seconds later. */
    private static final Map<String, Double> REFUSED = Map.of("rps", 0.0, "refused", 50.0);
    /** Half of the responses are errors without a known cause. */
    private static final Map<String, Double> FAILING =
            Map.of("rps", 100.0, "ms", 5.0, "errors", 50.0);

    private long second = 1_763_683_200L;
    private final InstantSource source = () -> Instant.ofEpochSecond(second);
    private final Clock clock = source.withZone(ZoneOffset.UTC);
    private final IndexCatalogue catalogue = new IndexCatalogue();
    private final LiveIndices live = new LiveIndices(catalogue);
    private final Fleet fleet = new Fleet(FleetTable.FORGETFUL, clock);
    private final JdbcClient jdbc = database();
    private final Assessor assessor = new Assessor(
            fleet,
            live,
            catalogue,
            new StateModel(RuleSet.load(catalogue)),
            new StateHistory(jdbc),
            new BaselineTable(jdbc),
            clock);
    private final LiveFeed intake = new LiveFeed(fleet, live, clock);
    private long batch;

    @Test
    void machineSetBack_crashAfterwards_isNamedAsPromptlyAsEver() {
        pass(60, CALM, 0);
        second -= HOUR;
        pass(30, CALM, 0);
        assertThat(state()).isEqualTo(ServiceState.NORMAL);
        pass(6, REFUSED, 0);
        assertThat(state()).isEqualTo(ServiceState.STOPPED_UNCLEAR);
        pass(12, REFUSED, 0);
        assertThat(state()).isEqualTo(ServiceState.STOPPED_CRASHED);
    }

    @Test
    void machineSetBack_whileCrashed_recoversAsPromptlyAsEver() {
        pass(60, CALM, 0);
        pass(18, REFUSED, 0);
        assertThat(state()).isEqualTo(ServiceState.STOPPED_CRASHED);
        second -= HOUR;
        pass(30, CALM, 0);
        assertThat(state()).isEqualTo(ServiceState.NORMAL);
    }

    @Test
    void machineSetBack_whileRefused_aGapDoesNotLastUntilTheClockIsThereAgain() {
        pass(60, CALM, 0);
        pass(2, REFUSED, 0);
        assertThat(state()).isEqualTo(ServiceState.NORMAL);
        second -= HOUR;
        pass(6, REFUSED, 0);
        assertThat(state()).isEqualTo(ServiceState.STOPPED_UNCLEAR);
        pass(12, REFUSED, 0);
        assertThat(state()).isEqualTo(ServiceState.STOPPED_CRASHED);
    }

    @Test
    void machineSetBack_justAfterARestart_isShownNoLonger() {
        pass(60, CALM, 0);
        pass(2, REFUSED, 0);
        pass(2, CALM, 0);
        assertThat(state()).isEqualTo(ServiceState.STOPPED_RESTARTING);
        second -= HOUR;
        pass(15, CALM, 0);
        assertThat(state()).isEqualTo(ServiceState.NORMAL);
    }

    @Test
    void machineSetBack_whileFailing_recoversAsPromptlyAsEver() {
        pass(60, CALM, 0);
        pass(60, FAILING, 0);
        assertThat(state()).isEqualTo(ServiceState.FAILING);
        second -= HOUR;
        pass(60, CALM, 0);
        assertThat(state()).isEqualTo(ServiceState.NORMAL);
    }

    @Test
    void machineSetBack_afterACrash_aRuleIsEnteredAsPromptlyAsEver() {
        pass(60, CALM, 0);
        pass(10, REFUSED, 0);
        second -= HOUR;
        pass(30, CALM, 0);
        pass(60, FAILING, 0);
        assertThat(state()).isEqualTo(ServiceState.FAILING);
    }

    @Test
    void machineSetBack_aStateThatLasts_didNotBeginInTheFuture() {
        pass(60, CALM, 0);
        second -= HOUR;
        pass(3, CALM, 0);
        assertThat(assessor.latest().service(WEB).judgement().sinceSecond())
                .isLessThanOrEqualTo(second);
    }

    @Test
    void machineSetBack_serviceFallsSilent_isUnknownAfterTheUsualTime() {
        pass(60, CALM, 0);
        second -= HOUR;
        pass(30, CALM, 0);
        for (int i = 0; i < 30; i++) {
            second++;
            assessor.tick();
        }
        assertThat(state()).isEqualTo(ServiceState.UNKNOWN);
    }

    @Test
    void machineSetBack_shownValues_areCurrent() {
        pass(60, CALM, 0);
        second -= HOUR;
        pass(3, Map.of("rps", 40.0, "ms", 5.0), 0);
        ServiceAssessment now = assessor.latest().service(WEB);
        assertThat(now.second()).isBetween(second - 2, second);
        assertThat(assessor.view(now).now("arrivalPerSecond", 1)).isEqualTo(40);
    }

    @Test
    void agentsClockAheadAndPutRight_isJudgedAgainWithinSeconds() {
        pass(60, CALM, HOUR);
        pass(15, CALM, 0);
        pass(6, REFUSED, 0);
        assertThat(state()).isEqualTo(ServiceState.STOPPED_UNCLEAR);
        pass(12, REFUSED, 0);
        assertThat(state()).isEqualTo(ServiceState.STOPPED_CRASHED);
    }

    @Test
    void machineSetBack_sourceFallsSilent_isKnownAfterTheUsualTime() {
        intake.stored(new Batch(new BatchId("agent@n", 1, ++batch), List.of(status())));
        assessor.tick();
        second -= HOUR;
        assessor.tick();
        second += Fleet.SILENT_SECONDS + 2;
        assertThat(fleet.sources())
                .singleElement()
                .satisfies(seen -> assertThat(seen.silent()).isTrue());
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void serviceWithoutWindows_isNotTreatedAsOneWhoseClockWasAhead(CapturedOutput output) {
        ServiceSighting idle = new ServiceSighting(
                "idle:80",
                "n",
                "nginx :80",
                "nginx",
                null,
                List.of(Endpoint.parse("10.0.0.2:80")),
                new ServiceSighting.ServerProcess(null, null),
                List.of(),
                second * 1_000_000);
        intake.stored(new Batch(new BatchId("agent@n", 1, ++batch), List.of(idle, status())));
        for (int i = 0; i < 3 * Assessor.LATE_SECONDS; i++) {
            second++;
            assessor.tick();
        }
        assertThat(output).doesNotContain("idle:80");
    }

    private SourceStatus status() {
        return new SourceStatus(
                "n",
                SourceStatus.Kind.AGENT,
                "0.1.0",
                1,
                second * 1_000_000,
                new SourceStatus.Use(1, 0.01),
                List.of("lo"),
                List.of(),
                List.of());
    }

    /**
     * Advances the time.
     *
     * @param ahead seconds that the agent's clock is ahead of the central service's
     */
    private void pass(int seconds, Map<String, Double> values, long ahead) {
        for (int i = 0; i < seconds; i++) {
            TelemetryRecord window = Told.packets(WEB, second + ahead, values);
            second++;
            intake.stored(new Batch(new BatchId("agent@n", 1, ++batch), List.of(window)));
            assessor.tick();
        }
    }

    private ServiceState state() {
        return assessor.latest().service(WEB).judgement().state();
    }

    private static JdbcClient database() {
        JdbcDataSource source = new JdbcDataSource();
        source.setURL("jdbc:h2:mem:clock-" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        new ResourceDatabasePopulator(
                        new ClassPathResource("db/h2/V11__state.sql"),
                        new ClassPathResource("db/h2/V33__usual_failures.sql"),
                        new ClassPathResource("db/h2/V46__usual_round_trip.sql"))
                .execute(source);
        return JdbcClient.create(source);
    }
}
