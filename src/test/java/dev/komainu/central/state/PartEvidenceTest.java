package dev.komainu.central.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.indices.Evidence;
import dev.komainu.central.indices.Scenario;
import dev.komainu.central.indices.ScenarioRun;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The evidence of a state lists the parts of the host that are at fault, and since when. */
class PartEvidenceTest {

    private static Judgement judged(Map<String, String> packets, Map<String, String> host) {
        return ScenarioRun.of(new Scenario(
                        "A part breaks after 40 s.",
                        "tomcat",
                        null,
                        List.of(
                                new Scenario.Phase(
                                        40,
                                        Map.of("rps", "50", "ms", "5"),
                                        Map.of("idle", "0.8", "missingDisks", "0"),
                                        null,
                                        null),
                                new Scenario.Phase(30, packets, host, null, null)),
                        List.of()))
                .judgement();
    }

    private static List<String> parts(Judgement judgement) {
        return judgement.evidence().stream()
                .map(Evidence::text)
                .map(text -> text.en())
                .filter(text -> text.startsWith("Part at fault"))
                .toList();
    }

    @Test
    void normalService_besideADegradedArray() {
        Judgement normal =
                judged(Map.of("rps", "50", "ms", "5"), Map.of("idle", "0.8", "missingDisks", "1"));

        assertThat(normal.state()).isEqualTo(ServiceState.NORMAL);
        // The first sample of the second phase is taken at its tenth second.
        assertThat(parts(normal))
                .containsExactly("Part at fault since 2025-11-21 00:00:50 UTC: array md0 (raid1) "
                        + "runs without some of its disks (1 / 2 missing).");
    }

    @Test
    void failingRequests_besideAFullFileSystem_nameItWithItsPath() {
        Judgement disk = judged(
                Map.of("rps", "50", "ms", "5", "errors", "25"),
                Map.of("idle", "0.8", "volumeUsed", "1"));

        assertThat(disk.rule()).isEqualTo("disk/full");
        assertThat(parts(disk))
                .containsExactly(
                        "Part at fault since 2025-11-21 00:00:50 UTC: / is full to 100.0 %.");
    }
}
