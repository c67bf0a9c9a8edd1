package dev.komainu.central.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.Replay;
import dev.komainu.central.indices.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Drawn faults with drawn symptoms, each with its onset, its noise, its end and a queue that
 * drains: within a fault the state changes its name at most once, never to a symptom, and the
 * service is normal again soon after its visitors are served as before.
 */
class FaultNamesTest {

    private static final RuleSet RULES = RuleSet.load(new IndexCatalogue());
    private static final int QUIET = 60;

    /** Seconds from service as before to {@code normal}, at most. */
    private static final int RECOVERED_WITHIN = 20;

    /** A cause: the host values that show it, and the state that names it. */
    private record Fault(String state, Map<String, String> host, Map<String, String> packets) {}

    private static final List<Fault> FAULTS = List.of(
            new Fault("saturated/disk", Map.of("iowait", "0.5~10", "idle", "0.3"), Map.of()),
            new Fault("saturated/cpu", Map.of("idle", "0.02", "cores", "1.8"), Map.of()),
            new Fault(
                    "saturated/cpu",
                    Map.of("quota", "1", "throttled", "0.6~10", "idle", "0.7"),
                    Map.of()),
            new Fault(
                    "saturated/memory",
                    Map.of("majorFaults", "300~20", "swap", "400~20", "idle", "0.5"),
                    Map.of()),
            new Fault("saturated/processes", Map.of("stopped", "1", "idle", "0.95"), Map.of()),
            new Fault("saturated/processes", Map.of("clientWrite", "0.9"), Map.of()),
            new Fault("upstream-fault", Map.of("backendsConnecting", "20"), Map.of()),
            new Fault("saturated/processes", Map.of(), Map.of()));

    static Stream<Arguments> seeds() {
        return IntStream.range(0, 48).mapToObj(Arguments::of);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void drawnFault_isNamedOnceAndLeftInTime(int seed) {
        Random random = new Random(seed);
        Fault fault = FAULTS.get(seed % FAULTS.size());
        int length = 25 + random.nextInt(40);
        int drain = random.nextInt(25);
        Replay replay = new Replay(story(fault, length, drain, random));

        List<String> states = replay.judge(new StateModel(RULES)).stream()
                .map(judgement -> judgement.state().label())
                .toList();
        List<String> changes = new ArrayList<>();
        for (int second = 1; second < states.size(); second++) {
            if (!states.get(second).equals(states.get(second - 1))) {
                changes.add(states.get(second));
            }
        }
        String told = fault + ", " + length + " s, drains " + drain + " s: "
                + PlayedRule.ribbon(replay, RULES, null);
        assertThat(changes)
                .as(told)
                .startsWith(fault.state())
                .endsWith("normal")
                .hasSizeLessThan(4);
        assertThat(states.indexOf(fault.state()) - QUIET).as("named: " + told).isBetween(0, 15);
        int normal = states.lastIndexOf(changes.get(changes.size() - 2)) + 1;
        assertThat(normal - (QUIET + length + drain))
                .as("recovered: " + told)
                .isLessThanOrEqualTo(RECOVERED_WITHIN);
    }

    /** Tells the fault, then a queue that drains with all its symptoms, then the quiet again. */
    private static Scenario story(Fault fault, int length, int drain, Random random) {
        boolean overflows = random.nextBoolean();
        boolean busy = random.nextBoolean();
        String noise = "~" + random.nextInt(30);
        Map<String, String> quiet = Map.of("rps", "60" + noise, "ms", "5");
        Map<String, String> calm = Map.of(
                "idle",
                "0.8",
                "stopped",
                "0",
                "clientWrite",
                "0.02",
                "backends",
                "5",
                "backendsConnecting",
                "0",
                "busiestProcess",
                "0.1",
                "cores",
                "0.2");
        Map<String, String> suffering = new java.util.HashMap<>(Map.of(
                "rps",
                "60" + noise,
                "done",
                "40" + noise,
                "ms",
                "300",
                "waiting",
                busy ? "20" : "14",
                "conns",
                "60"));
        Map<String, String> host = new java.util.HashMap<>(calm);
        host.put("acceptQueue", "100");
        host.put("acceptQueueLimit", "150");
        if (overflows) {
            suffering.put("synRepeats", "20");
            host.put("overflows", "15");
        }
        Map<String, String> draining = new java.util.HashMap<>(suffering);
        draining.put("done", "80" + noise);
        suffering.putAll(fault.packets());
        Map<String, String> ill = new java.util.HashMap<>(host);
        ill.putAll(fault.host());
        List<Scenario.Phase> phases = new ArrayList<>();
        phases.add(new Scenario.Phase(QUIET, quiet, calm, null, null));
        phases.add(new Scenario.Phase(length, suffering, ill, null, null));
        if (drain > 0) {
            phases.add(new Scenario.Phase(drain, draining, host, null, null));
        }
        phases.add(new Scenario.Phase(70, quiet, calm, null, null));
        return new Scenario(
                "drawn",
                "apache",
                Map.of("MaxRequestWorkers", busy ? "20" : "40"),
                phases,
                List.of());
    }
}
