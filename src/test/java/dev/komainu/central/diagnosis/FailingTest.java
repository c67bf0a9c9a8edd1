package dev.komainu.central.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.indices.Evidence;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.ScenarioRun;
import dev.komainu.central.state.RuleSet;
import dev.komainu.central.state.ServiceState;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Tests of the evidence for a service that fails without a known cause: the causes that were ruled
 * out, those that were not, and the places to check.
 */
class FailingTest {

    private static final Set<String> CAUSES = Set.of(
            "saturated/sockets",
            "saturated/processes",
            "saturated/cpu",
            "saturated/memory",
            "saturated/disk",
            "saturated/bandwidth");

    private final Diagnostician diagnostician =
            new Diagnostician(new IndexCatalogue(), RuleSet.load(new IndexCatalogue()));

    @Test
    void agentBesideIt_everyCauseIsRuledOut_byAFigureThatDoesNotReachItsThreshold() {
        List<Evidence> ruledOut = ruledOut(ScenarioRun.of("/cases/failing-errors.yaml"));

        assertThat(states(ruledOut)).isEqualTo(CAUSES);
        assertThat(ruledOut).allSatisfy(each -> {
            assertThat(each.value()).isNotNull();
            assertThat(each.met()).isFalse();
            assertThat(each.text().en()).startsWith("Ruled out: " + each.rulesOut());
        });
        assertThat(ruledOut)
                .filteredOn(each -> Objects.equals(each.rulesOut(), "saturated/cpu"))
                .singleElement()
                .satisfies(each -> assertThat(each.text().en()).contains("80 %, not < 10 %"));
    }

    @Test
    void packetsOnly_missingMeasurements_areNotRuledOut_andTheCommandIsNamed() {
        List<Evidence> ruledOut = ruledOut(ScenarioRun.of("/cases/failing-packets-only.yaml"));

        assertThat(states(ruledOut)).isEqualTo(CAUSES);
        assertThat(ruledOut)
                .filteredOn(each -> Objects.equals(each.rulesOut(), "saturated/memory"))
                .singleElement()
                .satisfies(each -> {
                    assertThat(each.value()).isNull();
                    assertThat(each.text().en())
                            .startsWith("Not ruled out: saturated/memory")
                            .contains("sudo ./komainu agent");
                });
    }

    @Test
    void namedCause_thatClientsFail_isNoCauseBesideIt() {
        ScenarioRun run = ScenarioRun.of("/cases/failing-beside-open-files.yaml");

        assertThat(run.judgement().state()).isEqualTo(ServiceState.SATURATED_SOCKETS);
        assertThat(run.judgement().otherCauses()).doesNotContain(ServiceState.FAILING);
        assertThat(run.judgement().evidence())
                .extracting(Evidence::rulesOut)
                .as("states of the causes above")
                .doesNotContain(
                        ServiceState.FAILING.label(), run.judgement().state().label());
    }

    @Test
    void changeShortlyBefore_isTheFirstClue() {
        ScenarioRun run = ScenarioRun.of("/cases/failing-errors.yaml");
        Instant onset = Instant.ofEpochSecond(run.judgement().sinceSecond());

        assertThat(clues(
                        run,
                        new FailureClues.LastChange(
                                onset.minusSeconds(30), "root /srv/new", "alice")))
                .contains(
                        "The last change: root /srv/new (alice, " + onset.minusSeconds(30) + ").");
        assertThat(clues(
                        run,
                        new FailureClues.LastChange(
                                onset.minusSeconds(3_600), "root /srv/new", "alice")))
                .doesNotContain("The last change")
                .contains("Read its error log");
        assertThat(clues(run, null)).doesNotContain("The last change").contains("--access-log");
    }

    private String clues(ScenarioRun run, FailureClues.@Nullable LastChange last) {
        Diagnosis diagnosis = diagnostician.diagnose(
                run.profile(),
                run.judgement(),
                run.view(),
                Instant.ofEpochSecond(0),
                List.of(),
                DiagnosisWhatIf.NOTHING,
                last,
                Diagnostician.NO_CAPACITY);
        return diagnosis.decisions().stream()
                .filter(decision -> decision.node().equals("clients-failed"))
                .flatMap(decision -> decision.evidence().stream())
                .map(each -> each.text().en())
                .collect(Collectors.joining("\n"));
    }

    private static List<Evidence> ruledOut(ScenarioRun run) {
        assertThat(run.judgement().state()).as(run.ribbon()).isEqualTo(ServiceState.FAILING);
        return run.judgement().evidence().stream()
                .filter(each -> each.rulesOut() != null)
                .toList();
    }

    private static Set<String> states(List<Evidence> evidence) {
        return evidence.stream()
                .map(each -> Objects.requireNonNull(each.rulesOut()))
                .collect(Collectors.toSet());
    }
}
