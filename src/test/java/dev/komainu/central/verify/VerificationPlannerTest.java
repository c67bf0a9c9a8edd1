package dev.komainu.central.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.change.Change;
import dev.komainu.central.change.Changes;
import dev.komainu.central.control.ControlEngine;
import dev.komainu.central.state.ServiceState;
import dev.komainu.central.state.StateHistory;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Tests of the changes that disturb a verification run. */
@ParameterizedClass
@EnumSource
class VerificationPlannerTest {

    private static final VerifySettings SETTINGS = new VerifySettings(
            Duration.ofSeconds(30), Duration.ofSeconds(20), Duration.ofSeconds(40), true);

    @Parameter
    private ControlEngine engine;

    private Instant now = Instant.parse("2026-11-27T10:00:00Z");
    private final InstantSource source = () -> now;
    private final Clock clock = source.withZone(ZoneOffset.UTC);

    @ParameterizedTest
    @CsvSource({
        // The limit of a process follows from the setting that was changed.
        "limit:nofile, agent, 30, false",
        "socket:backlog, agent, 30, false",
        "limit:nofile, ann, 30, true",
        "worker_processes, agent, 30, true",
        "worker_rlimit_nofile, agent, 30, false",
        "worker_processes, agent, 10, false",
    })
    void anotherChangeWhileMeasuring_disturbs(
            String setting, String by, int secondsAfter, boolean disturbs) {
        JdbcClient jdbc = JdbcClient.create(engine.fresh());
        Changes changes = new Changes(jdbc, clock);
        VerificationPlanner planner =
                new VerificationPlanner(SETTINGS, changes, new StateHistory(jdbc));
        Change change = recorded(changes, "worker_rlimit_nofile", "ann");
        VerificationPlan plan = planner.plan(change, Verifier.Lengths.DEFAULT);
        now = now.plusSeconds(secondsAfter);
        recorded(changes, setting, by);

        assertThat(planner.isDisturbed(new Verification(
                        1,
                        "here:80",
                        change.id(),
                        "ann",
                        now,
                        plan,
                        ServiceState.NORMAL,
                        null,
                        null)))
                .isEqualTo(disturbs);
    }

    private static Change recorded(Changes changes, String setting, String by) {
        Change.Wish wish = new Change.Wish("here:80", "t", setting, "64", "8192", null, null, null);
        return ((Changes.Outcome.Recorded) changes.record(wish, by, null)).change();
    }
}
