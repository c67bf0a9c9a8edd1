package dev.komainu.central.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.advice.Advice;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.ScenarioRun;
import dev.komainu.central.indices.YamlResource;
import dev.komainu.central.state.RuleSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Tests of every file in {@code cases/}: given this server and these records, expect this path,
 * these leaves, this advice.
 */
class CaseTest {

    private final Diagnostician diagnostician =
            new Diagnostician(new IndexCatalogue(), RuleSet.load(new IndexCatalogue()));

    /**
     * The expectations of a case.
     *
     * @param state expected at the end of the scenario
     * @param verdicts expected by decision
     * @param leaves expected, exactly
     * @param first the first advice: the wizard's page opens with it
     * @param advice expected: proposed value by id
     * @param companions expected: proposed value by id of what changes together with an advice
     * @param withoutAdvice ids that must not be in the result
     */
    record Case(
            String state,
            @Nullable Map<String, String> verdicts,
            @Nullable List<String> leaves,
            @Nullable String first,
            @Nullable Map<String, String> advice,
            @Nullable Map<String, String> companions,
            @Nullable List<String> withoutAdvice) {}

    @TestFactory
    Stream<DynamicTest> everyCase() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("test/resources/cases"))) {
            return files
                    .filter(file -> file.toString().endsWith(".expect.yaml"))
                    .sorted()
                    .map(file -> file.getFileName().toString().replace(".expect.yaml", ""))
                    .toList()
                    .stream()
                    .map(name -> DynamicTest.dynamicTest(name, () -> check(name)));
        }
    }

    private void check(String name) {
        ScenarioRun run = ScenarioRun.of("/cases/" + name + ".yaml");
        Case wanted = YamlResource.read("/cases/" + name + ".expect.yaml", Case.class);
        Diagnosis diagnosis = diagnostician.diagnose(
                run.profile(), run.judgement(), run.view(), Instant.ofEpochSecond(0));

        assertThat(diagnosis.state().label()).as(run.ribbon()).isEqualTo(wanted.state());
        if (wanted.verdicts() != null) {
            wanted.verdicts()
                    .forEach((node, verdict) -> assertThat(diagnosis.decisions())
                            .as("%s in %s", node, diagnosis.path())
                            .filteredOn(decision -> decision.node().equals(node))
                            .map(decision -> decision.verdict().label())
                            .containsExactly(verdict));
        }
        if (wanted.leaves() != null) {
            assertThat(diagnosis.leaves()).containsExactlyInAnyOrderElementsOf(wanted.leaves());
        }
        if (wanted.first() != null) {
            assertThat(diagnosis.advice()).first().extracting(Advice::id).isEqualTo(wanted.first());
        }
        if (wanted.advice() != null) {
            wanted.advice()
                    .forEach((id, proposed) -> assertThat(diagnosis.advice())
                            .as(
                                    "%s among %s",
                                    id,
                                    diagnosis.advice().stream().map(Advice::id).toList())
                            .filteredOn(advice -> advice.id().equals(id))
                            .map(Advice::proposed)
                            .containsExactly(proposed));
        }
        if (wanted.companions() != null) {
            assertThat(diagnosis.advice().stream()
                            .flatMap(advice -> advice.companions().stream())
                            .collect(Collectors.toMap(
                                    Advice.Companion::id, Advice.Companion::proposed)))
                    .isEqualTo(wanted.companions());
        }
        if (wanted.withoutAdvice() != null) {
            assertThat(diagnosis.advice())
                    .map(Advice::id)
                    .doesNotContainAnyElementsOf(wanted.withoutAdvice());
        }
        assertThat(diagnosis.advice()).allSatisfy(advice -> {
            assertThat(advice.derivation().en()
                            + advice.derivation().ja()
                            + advice.title().en())
                    .doesNotContain("{", "NaN");
            assertThat(advice.steps()).allSatisfy(step -> {
                if (step.command() != null) {
                    assertThat(step.command())
                            .doesNotContain("{proposed}", "{current}", "{file}", "{pid}");
                }
            });
        });
    }

    @Test
    void rollback_discoveredSetting_restoresTheCapturedValue() {
        ScenarioRun run = ScenarioRun.of("/cases/apache-too-few-workers.yaml");

        Diagnosis diagnosis = diagnostician.diagnose(
                run.profile(), run.judgement(), run.view(), Instant.ofEpochSecond(0));

        Advice advice = diagnosis.advice().stream()
                .filter(a -> a.id().equals("apache/max-request-workers"))
                .findFirst()
                .orElseThrow();
        assertThat(advice.current()).isEqualTo("10");
        assertThat(advice.currentSource()).isEqualTo("/etc/server.conf:1");
        assertThat(advice.steps())
                .filteredOn(step -> step.kind() == Advice.Kind.ROLLBACK)
                .extracting(Advice.Step::command)
                .satisfiesExactly(
                        command -> assertThat(command)
                                .contains("ServerLimit", "\\110/I' /etc/server.conf")
                                .doesNotContain("restart"),
                        command -> assertThat(command)
                                .contains(
                                        "MaxRequestWorkers",
                                        "\\110/I' /etc/server.conf",
                                        "restart"));
        assertThat(advice.steps())
                .filteredOn(step -> step.kind() == Advice.Kind.RELOAD)
                .as("one restart for both values")
                .hasSize(1);
        assertThat(advice.file()).isEqualTo("/etc/server.conf");
        assertThat(advice.line()).isEqualTo(1);
        assertThat(advice.before()).isEqualTo("10");
        assertThat(advice.after()).isEqualTo("18");
        assertThat(advice.effect()).isEqualTo(Advice.Effect.RESTART);
    }

    @Test
    void decision_answered_hasItsConfidenceWithReasons() {
        ScenarioRun run = ScenarioRun.of("/cases/apache-too-few-workers.yaml");

        Diagnosis diagnosis = diagnostician.diagnose(
                run.profile(), run.judgement(), run.view(), Instant.ofEpochSecond(0));

        assertThat(diagnosis.decisions())
                .filteredOn(decision -> decision.verdict() != Decision.Verdict.UNKNOWN)
                .allSatisfy(decision -> {
                    assertThat(decision.confidence()).isNotNull();
                    assertThat(decision.confidenceReasons()).isNotEmpty();
                    assertThat(decision.evidence()).isNotEmpty();
                });
    }
}
