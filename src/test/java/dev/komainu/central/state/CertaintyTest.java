package dev.komainu.central.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.indices.Evidence;
import dev.komainu.central.indices.Scenario;
import dev.komainu.central.indices.ScenarioRun;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests of what the evidence of a symptom says about the causes above it. */
class CertaintyTest {

    private static final Map<String, String> USUAL = Map.of("rps", "60", "ms", "5");
    private static final Map<String, String> SLOW =
            Map.of("rps", "60", "done", "40", "ms", "300", "waiting", "20");
    private static final Map<String, String> SEEN = Map.ofEntries(
            Map.entry("idle", "0.8"),
            Map.entry("cores", "0.2"),
            Map.entry("stopped", "0"),
            Map.entry("clientWrite", "0.02"),
            Map.entry("busiestProcess", "0.1"),
            Map.entry("backends", "0"));

    @Test
    void everythingMeasured_isHigh_andEachCauseAboveIsRuledOutByAValue() {
        Judgement judged = judged(SEEN, SEEN);

        assertThat(judged.rule()).isEqualTo("processes/all-busy");
        assertThat(judged.certainty()).isEqualTo(Certainty.HIGH);
        assertThat(texts(judged))
                .anyMatch(text -> text.startsWith("Ruled out: the disk. "))
                .anyMatch(text -> text.startsWith("Ruled out: memory. "))
                .anyMatch(text -> text.startsWith("Ruled out: frozen processes. "))
                .noneMatch(text -> text.startsWith("Not ruled out"));
    }

    @Test
    void olderAgent_isMedium_andTheCollectorIsNamed() {
        Map<String, String> older = Map.of("idle", "0.8", "cores", "0.2");
        Judgement judged = judged(older, older);

        assertThat(judged.certainty()).isEqualTo(Certainty.MEDIUM);
        assertThat(texts(judged))
                .anyMatch(text -> text.startsWith("Ruled out: the disk. "))
                .anyMatch(text -> text.startsWith("Not ruled out: frozen processes. ")
                        && text.endsWith("Collector: sudo ./komainu agent"));
    }

    @Test
    void causeAboveSuspectedThroughout_isLow_andItsValueIsShown() {
        Map<String, String> waits = new java.util.HashMap<>(SEEN);
        waits.put("iowait", "0.15");
        Judgement judged = judged(SEEN, waits);

        assertThat(judged.state()).isEqualTo(ServiceState.SATURATED_PROCESSES);
        assertThat(judged.certainty()).isEqualTo(Certainty.LOW);
        assertThat(texts(judged)).anyMatch(text -> text.startsWith("Not ruled out: the disk. "));
    }

    private static Judgement judged(Map<String, String> before, Map<String, String> then) {
        return ScenarioRun.of(new Scenario(
                        "all workers are busy",
                        "apache",
                        Map.of("MaxRequestWorkers", "20"),
                        List.of(
                                new Scenario.Phase(60, USUAL, before, null, null),
                                new Scenario.Phase(40, SLOW, then, null, null)),
                        List.of()))
                .judgement();
    }

    private static List<String> texts(Judgement judged) {
        return judged.evidence().stream()
                .map(Evidence::text)
                .map(text -> text.en())
                .toList();
    }
}
