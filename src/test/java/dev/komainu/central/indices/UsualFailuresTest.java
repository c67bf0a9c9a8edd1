package dev.komainu.central.indices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.komainu.central.fleet.ServerLimits;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests of the usual failures and processes: their learning, and the excess over them. */
class UsualFailuresTest {

    private static final String ID = "a:80";
    private static final long NOW = 1_763_683_200L;

    private final LiveIndices live = new LiveIndices(new IndexCatalogue());
    private final BaselineLearner lessons = new BaselineLearner(live);

    @Test
    void twoPerCentAllTheTime_areUsual_andTheExcessIsWhatComesOnTop() {
        learn(Map.of("rps", 100.0, "errors", 2.0));
        assertThat(live.baseline(ID).failureShare()).isCloseTo(0.02, within(1e-3));

        report(NOW + 60, Map.of("rps", 100.0, "errors", 12.0));
        assertThat(at(NOW + 60, "failureExcessShare")).isCloseTo(0.10, within(1e-3));
        assertThat(at(NOW + 60, "failureExcessPerSecond")).isCloseTo(10, within(0.1));
    }

    @Test
    void unansweredRequests_areFailuresOfTheirOwn_deliberateErrorsAreNone() {
        report(
                NOW,
                Map.of(
                        "rps",
                        100.0,
                        "done",
                        90.0,
                        "errors",
                        40.0,
                        "deliberateUnavailable",
                        30.0,
                        "closedUnanswered",
                        10.0));

        assertThat(at(NOW, "failureExcessShare")).isCloseTo(0.20, within(1e-9));
        assertThat(at(NOW, "unplannedErrorsPerSecond")).isEqualTo(10);
    }

    @Test
    void manyFailuresFromTheStart_areNeverUsual_beyondTheMost() {
        learn(Map.of("rps", 100.0, "errors", 40.0));

        assertThat(live.baseline(ID).failureShare()).isEqualTo(Baseline.MOST_FAILURES);
    }

    @Test
    void vanished_countsNeitherWhatIsUnderWay_norWhatClientsReset() {
        report(NOW - 1, Map.of("rps", 0.0, "waiting", 5.0, "old", 1.0));
        report(
                NOW,
                Map.of(
                        "rps",
                        100.0,
                        "done",
                        40.0,
                        "waiting",
                        25.0,
                        "clientResets",
                        10.0,
                        "old",
                        1.0));

        assertThat(at(NOW, "vanishedPerSecond")).isEqualTo(30);
        assertThat(at(NOW, "vanishedShare")).isCloseTo(0.3, within(1e-9));
        assertThat(at(NOW, "carriedShare")).isCloseTo(0.4, within(1e-9));
    }

    @Test
    void slots_ofAProxy_holdBothSides_ofAnotherServerOne() {
        report(NOW, Map.of("rps", 10.0, "concurrent", 40.0, "waiting", 30.0));

        assertThat(slots(new ServerLimits(null, 100.0, true))).isCloseTo(0.7, within(1e-9));
        assertThat(slots(new ServerLimits(null, 100.0, false))).isCloseTo(0.4, within(1e-9));
    }

    private double slots(ServerLimits limits) {
        return live.view(ID, null, limits, NOW).now("connectionsShare", 1);
    }

    private void learn(Map<String, Double> values) {
        for (long second = NOW; second < NOW + 60; second++) {
            report(second, values);
            lessons.learn(live.view(ID, null, ServerLimits.UNKNOWN, second), true);
        }
    }

    private void report(long second, Map<String, Double> values) {
        live.accept("agent@a", ID, Told.packets(ID, second, values), second * 1_000);
    }

    private double at(long second, String index) {
        return live.view(ID, null, ServerLimits.UNKNOWN, second).now(index, 1);
    }
}
