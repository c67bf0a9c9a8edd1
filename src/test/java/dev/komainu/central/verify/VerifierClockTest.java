package dev.komainu.central.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.komainu.central.assessment.Assessment;
import dev.komainu.central.change.Changes;
import dev.komainu.central.control.ControlEngine;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.LiveIndices;
import dev.komainu.central.state.ServiceState;
import dev.komainu.central.state.StateHistory;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Tests that a run ends with a result even when the clock is set during it. */
@ParameterizedClass
@EnumSource
class VerifierClockTest {

    private static final String WEB = "web:80";

    @Parameter
    private ControlEngine engine;

    private Instant now = Instant.parse("2026-11-21T10:00:00Z");
    private final InstantSource source = () -> now;
    private final Clock clock = source.withZone(ZoneOffset.UTC);
    private JdbcClient jdbc;
    private Verifications runs;
    private Verification run;
    private Verifier verifier;

    @BeforeEach
    void setUp() {
        jdbc = JdbcClient.create(engine.fresh());
        runs = new Verifications(jdbc);
        Duration minute = Duration.ofMinutes(1);
        run = runs.begin(
                WEB,
                1,
                "ann",
                now,
                VerificationPlan.of(now, Duration.ofSeconds(2), minute, minute, minute),
                ServiceState.NORMAL,
                null);
        begin();
    }

    /** Starts the service; parts that a run without a known service does not need are omitted. */
    private void begin() {
        verifier = new Verifier(
                new VerifySettings(
                        Duration.ofMinutes(1), Duration.ofMinutes(1), Duration.ofMinutes(1), true),
                runs,
                new Changes(jdbc, clock),
                null,
                new LiveIndices(new IndexCatalogue()),
                null,
                null,
                new StateHistory(jdbc),
                clock);
        verifier.start();
    }

    @AfterEach
    void tearDown() {
        verifier.stop();
    }

    private void tick() {
        verifier.assessed(new Assessment(now, List.of(), List.of(), List.of()));
    }

    private void awaitNoData() {
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(result())
                        .isNotNull()
                        .extracting(Comparison::reason)
                        .isEqualTo(VerdictReason.NO_DATA));
    }

    private Comparison result() {
        return runs.find(run.id()).orElseThrow().run().result();
    }

    /**
     * An hour: a time service or an administrator. 400 days: the run started while the clock was
     * ahead.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 400 * 24})
    void clockSetBack_endsWithoutAVerdict_notWhenThatTimeComesAgain(long hours) {
        now = now.plusSeconds(30);
        tick();
        now = now.minus(Duration.ofHours(hours));
        tick();
        awaitNoData();
    }

    @Test
    void clockSetBackBeforeAStart_endsWithoutAVerdict() {
        now = now.minus(Duration.ofHours(1));
        verifier.stop();
        begin();
        tick();
        awaitNoData();
    }

    @Test
    void clockSetForward_endsWithTheReceivedData() {
        now = now.plus(Duration.ofHours(1));
        tick();
        awaitNoData();
    }

    @Test
    void clockSetBackByASecond_continues() throws InterruptedException {
        now = now.minusSeconds(1);
        tick();
        Thread.sleep(200);
        assertThat(result()).isNull();
    }
}
