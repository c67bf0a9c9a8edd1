package dev.komainu.central.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.Replay;
import dev.komainu.central.indices.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests of the changes of a name within one fault. */
class FirstCauseTest {

    private static final RuleSet RULES = RuleSet.load(new IndexCatalogue());
    private static final Map<String, String> USUAL = Map.of("rps", "60", "ms", "5");
    private static final Map<String, String> SLOW =
            Map.of("rps", "60", "done", "40", "ms", "300", "waiting", "20");

    /** The rule of the disk needs two more seconds when the symptom has waited long enough. */
    @Test
    void causeThatBeganLater_isNamedInPlaceOfTheSymptom() {
        assertThat(states(
                        phase(60, USUAL, Map.of("idle", "0.8")),
                        phase(8, SLOW, Map.of("idle", "0.6", "iowait", "0.15")),
                        phase(30, SLOW, Map.of("idle", "0.3", "iowait", "0.5"))))
                .containsExactly("saturated/disk");
    }

    @Test
    void otherCauseBesideIt_thatIsNotAbove_doesNotReplaceTheName() {
        assertThat(states(
                        phase(60, USUAL, quota("0.8", "0", "0")),
                        phase(25, SLOW, quota("0.3", "0.5", "0")),
                        phase(25, SLOW, quota("0.3", "0.5", "0.6"))))
                .containsExactly("saturated/disk");
    }

    @Test
    void causeAbove_enteredLater_replacesTheNameOnce() {
        assertThat(states(
                        phase(60, USUAL, Map.of("idle", "0.8")),
                        phase(25, SLOW, Map.of("idle", "0.6")),
                        phase(25, SLOW, Map.of("idle", "0.3", "iowait", "0.5")),
                        phase(
                                25,
                                SLOW,
                                Map.of("idle", "0.3", "iowait", "0.5", "available", "0.02"))))
                .containsExactly("saturated/processes", "saturated/disk");
    }

    private static Map<String, String> quota(String idle, String iowait, String throttled) {
        return Map.of("idle", idle, "iowait", iowait, "quota", "1", "throttled", throttled);
    }

    private static Scenario.Phase phase(
            int seconds, Map<String, String> packets, Map<String, String> host) {
        return new Scenario.Phase(seconds, packets, host, null, null);
    }

    /** Returns the states after {@code normal}, each once for its time. */
    private static List<String> states(Scenario.Phase... phases) {
        Replay replay = new Replay(new Scenario("a fault", null, null, List.of(phases), List.of()));
        List<String> states = new ArrayList<>();
        for (Judgement judged : replay.judge(new StateModel(RULES))) {
            String label = judged.state().label();
            if (states.isEmpty() ? !label.equals("normal") : !label.equals(states.getLast())) {
                states.add(label);
            }
        }
        return states;
    }
}
