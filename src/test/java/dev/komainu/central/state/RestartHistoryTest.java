package dev.komainu.central.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.control.ControlEngine;
import dev.komainu.central.indices.LocalizedText;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Tests of the durations of a service's earlier restarts, from its stored transitions. */
@ParameterizedClass
@EnumSource
class RestartHistoryTest {

    private static final String WEB = "web:80";

    private final StateHistory history;

    RestartHistoryTest(ControlEngine engine) {
        history = new StateHistory(JdbcClient.create(engine.fresh()));
    }

    @Test
    void restarts_lastFromTheNamedStopUntilTheNextResponse() {
        keep(100, ServiceState.NORMAL, ServiceState.STOPPED_UNCLEAR, "stopped/unclear");
        keep(
                106,
                ServiceState.STOPPED_UNCLEAR,
                ServiceState.STOPPED_RESTARTING,
                "stopped/new-start");
        keep(
                108,
                ServiceState.STOPPED_RESTARTING,
                ServiceState.STOPPED_RESTARTING,
                StateModel.ANSWERS_AGAIN);
        keep(118, ServiceState.STOPPED_RESTARTING, ServiceState.NORMAL, "normal");
        keep(500, ServiceState.NORMAL, ServiceState.STOPPED_UNCLEAR, "stopped/unclear");
        keep(
                503,
                ServiceState.STOPPED_UNCLEAR,
                ServiceState.STOPPED_RESTARTING,
                StateModel.ANSWERS_AGAIN);

        assertThat(history.restartSeconds(WEB)).containsExactly(12, 7);
    }

    /** A crash that somebody ended after an hour says nothing about restarts. */
    @Test
    void outageThatEnded_isNoRestart() {
        keep(100, ServiceState.NORMAL, ServiceState.STOPPED_CRASHED, "stopped/refused");
        keep(3_700, ServiceState.STOPPED_CRASHED, ServiceState.NORMAL, "normal");
        keep(5_000, ServiceState.NORMAL, ServiceState.STOPPED_RESTARTING, StateModel.ANSWERS_AGAIN);

        assertThat(history.restartSeconds(WEB)).isEmpty();
        assertThat(history.restartSeconds("other:80")).isEmpty();
    }

    private void keep(long second, ServiceState from, ServiceState to, String rule) {
        history.keep(
                new Transition(WEB, second, from, to, rule, LocalizedText.of("c", "c"), List.of()));
    }
}
