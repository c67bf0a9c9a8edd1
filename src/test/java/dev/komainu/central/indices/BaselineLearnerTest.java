package dev.komainu.central.indices;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.fleet.ServerLimits;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests of the conditions under which a service learns its baseline. */
class BaselineLearnerTest {

    private static final String ID = "a:80";
    private static final long NOW = 1_763_683_200L;

    @Test
    void allCpuUsed_butTheServerNeverWaitsForIt_isLearned() {
        assertThat(learnedMillis(Map.of("idle", 0.02, "cpuWaiting", 0.0, "threads", 50.0)))
                .isBetween(4.0, 6.0);
    }

    @Test
    void allCpuUsed_andTheServerWaitsForIt_isNotLearned() {
        assertThat(learnedMillis(Map.of("idle", 0.02, "cpuWaiting", 0.5, "threads", 50.0)))
                .isNaN();
    }

    @Test
    void allCpuUsed_andItsWaitsAreUnknown_isNotLearned() {
        assertThat(learnedMillis(Map.of("idle", 0.02, "waitsUnseen", 1.0))).isNaN();
    }

    @Test
    void idleCpu_isLearned() {
        assertThat(learnedMillis(Map.of("idle", 0.5))).isBetween(4.0, 6.0);
    }

    /** Returns the usual response time after a minute with these host samples. */
    private static double learnedMillis(Map<String, Double> host) {
        LiveIndices live = new LiveIndices(new IndexCatalogue());
        BaselineLearner learner = new BaselineLearner(live);
        Map<String, Double> sample = new HashMap<>(host);
        sample.put("interval", 1.0);
        for (long second = NOW; second < NOW + 60; second++) {
            Map<String, Double> packets = Map.of("rps", 100.0, "ms", 5.0);
            live.accept("agent@a", ID, Told.packets(ID, second, packets), second * 1_000);
            live.accept("agent@a", Told.host("a", ID, second + 1, sample));
            learner.learn(live.view(ID, "a", ServerLimits.UNKNOWN, second), true);
        }
        return live.baseline(ID).ready() ? live.baseline(ID).responseMillis() : Double.NaN;
    }
}
