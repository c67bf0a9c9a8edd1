package dev.komainu.central.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.diagnosis.Decision.Verdict;
import dev.komainu.central.diagnosis.Flowchart.Answer;
import dev.komainu.central.diagnosis.Flowchart.Criteria;
import dev.komainu.central.diagnosis.Flowchart.Edge;
import dev.komainu.central.diagnosis.Flowchart.Kind;
import dev.komainu.central.diagnosis.Flowchart.Node;
import dev.komainu.central.indices.Condition;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.LocalizedText;
import dev.komainu.central.indices.MeasurementView;
import dev.komainu.central.indices.Replay;
import dev.komainu.central.indices.Scenario;
import dev.komainu.central.indices.YamlResource;
import dev.komainu.central.state.Judgement;
import dev.komainu.central.state.RuleSet;
import dev.komainu.central.state.ServiceState;
import dev.komainu.central.state.StateModel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * No decision of the flowchart may change without a failing case: each of its conditions is
 * deleted, its threshold moved by half in both directions, its result for unknown values inverted,
 * one at a time and in memory; {@code decisions.yaml} must detect every change.
 */
class DecisionGateTest {

    private static final double FAR = 1.5;
    private static final double EXACT = 0.005;
    private static final Architecture UNTOLD =
            new Architecture(null, null, null, null, null, null, List.of(), List.of());

    private static int tried;
    private static int survived;

    private final RuleSet book = RuleSet.load(new IndexCatalogue());
    private final Flowchart chart = Flowchart.load(new IndexCatalogue());

    record Sheet(List<Pinned> decisions) {}

    /**
     * The cases of a decision.
     *
     * @param node the decision
     * @param states states with the verdict yes, whatever is measured
     * @param story scenario that its cases start from; absent when only states give the verdict
     */
    record Pinned(
            String node,
            @Nullable List<ServiceState> states,
            @Nullable String kind,
            @Nullable Map<String, String> settings,
            @Nullable List<Scenario.Phase> phases,
            @Nullable List<Case> cases) {}

    /**
     * A case of a decision.
     *
     * @param of measurement of the condition
     * @param value at the end of the scenario, just beside the threshold; absent: no collector
     *     reports it
     * @param answer verdict of the decision
     * @param with changed values of the scenario
     */
    record Case(
            String of,
            @Nullable Double value,
            Verdict answer,
            @Nullable Map<String, String> with) {}

    private record Played(Case pinnedCase, MeasurementView view, Judgement judgement) {}

    @TestFactory
    Stream<DynamicTest> everyDecision_isHeldByItsCases() {
        List<Pinned> pinned = YamlResource.read("/decisions.yaml", Sheet.class).decisions();
        return chart.nodes().stream()
                .filter(node -> node.ask() != null
                        && (node.ask().states() != null
                                || !node.ask().conditions().isEmpty()))
                .map(node -> DynamicTest.dynamicTest(node.id(), () -> {
                    Pinned cases = pinned.stream()
                            .filter(each -> each.node().equals(node.id()))
                            .findFirst()
                            .orElse(null);
                    assertThat(cases)
                            .as("cases of the decision in decisions.yaml")
                            .isNotNull();
                    check(node, Objects.requireNonNull(cases));
                }));
    }

    private void check(Node node, Pinned pinned) {
        Criteria ask = Objects.requireNonNull(node.ask());
        List<Played> played = play(pinned);
        List<String> failures = new ArrayList<>();
        for (Played each : played) {
            Verdict seen = verdict(ask, each);
            if (seen != each.pinnedCase().answer()) {
                failures.add(each.pinnedCase() + ": answered " + seen);
            }
            Double value = each.pinnedCase().value();
            for (Condition condition : ask.conditions()) {
                if (value != null
                        && condition.measure().equals(each.pinnedCase().of())) {
                    double measured = each.view().now(condition.measure(), condition.seconds());
                    if (!(Math.abs(measured - value) <= Math.abs(value) * EXACT)) {
                        failures.add(each.pinnedCase() + ": the story gives " + measured);
                    }
                }
            }
        }
        assertThat(failures).isEmpty();
        assertThat(statesThatAnswer(ask))
                .as("states that answer yes")
                .isEqualTo(
                        pinned.states() == null
                                ? List.of()
                                : pinned.states().stream().sorted().toList());
        List<String> survivors = new ArrayList<>();
        for (Condition condition : ask.conditions()) {
            for (@Nullable Condition changed : changes(condition)) {
                tried++;
                Criteria other = with(ask, condition, changed);
                if (played.stream()
                        .filter(each -> each.pinnedCase().of().equals(condition.measure()))
                        .allMatch(each ->
                                verdict(other, each) == each.pinnedCase().answer())) {
                    survivors.add(
                            condition.measure() + ": " + (changed == null ? "deleted" : changed));
                }
            }
        }
        survived += survivors.size();
        assertThat(survivors).as("changes that no case notices").isEmpty();
    }

    private List<Played> play(Pinned pinned) {
        List<Played> played = new ArrayList<>();
        if (pinned.cases() == null) {
            return played;
        }
        Scenario story = new Scenario(
                pinned.node(),
                pinned.kind(),
                pinned.settings(),
                Objects.requireNonNull(pinned.phases()),
                List.of());
        for (Case pinnedCase : pinned.cases()) {
            Replay replay =
                    new Replay(pinnedCase.with() == null ? story : story.with(pinnedCase.with()));
            Judgement last = replay.judge(new StateModel(book)).getLast();
            played.add(new Played(
                    pinnedCase,
                    replay.view(
                            replay.seconds() - 1,
                            pinnedCase.value() == null ? pinnedCase.of() : null),
                    last));
        }
        return played;
    }

    /**
     * Returns the verdict of a decision by measurements; states are removed, so that they cannot
     * give the verdict.
     */
    private static Verdict verdict(Criteria ask, Played played) {
        return verdict(
                new Criteria(null, null, null, ask.any(), ask.all(), ask.missing()),
                played.view(),
                played.judgement());
    }

    private static Verdict verdict(Criteria ask, MeasurementView view, Judgement judgement) {
        LocalizedText text = LocalizedText.of("?", "?");
        Flowchart alone = new Flowchart(
                "1",
                List.of(
                        new Node("start", Kind.START, text, null, null, null),
                        new Node("asked", Kind.DECISION, text, null, null, ask)),
                List.of(new Edge("start", "asked", Answer.NEXT)));
        return new FlowchartWalk(
                        alone,
                        judgement,
                        view,
                        null,
                        UNTOLD,
                        List.of(),
                        DiagnosisWhatIf.NOTHING,
                        List.of())
                .walk()
                .decisions()
                .getFirst()
                .verdict();
    }

    private List<ServiceState> statesThatAnswer(Criteria ask) {
        if (ask.states() == null) {
            return List.of();
        }
        Replay silence = new Replay(new Scenario(
                "Nothing is told.",
                null,
                null,
                List.of(new Scenario.Phase(1, Map.of("rps", "0"), null, null, null)),
                List.of()));
        MeasurementView view = silence.view(0, null);
        return Arrays.stream(ServiceState.values())
                .filter(state -> verdict(
                                ask,
                                view,
                                new Judgement(
                                        state,
                                        0,
                                        "none",
                                        LocalizedText.of("?", "?"),
                                        List.of(),
                                        List.of(),
                                        null))
                        == Verdict.YES)
                .toList();
    }

    private static List<@Nullable Condition> changes(Condition condition) {
        List<@Nullable Condition> changes = new ArrayList<>();
        changes.add(null);
        if (condition.than() == 0) {
            changes.add(condition.against(1, condition.source()));
            changes.add(new Condition(
                    condition.measure(),
                    condition.over(),
                    condition.is() == Condition.Comparison.ABOVE
                            ? Condition.Comparison.AT_LEAST
                            : Condition.Comparison.BELOW,
                    0,
                    condition.source(),
                    condition.unknown()));
        } else {
            changes.add(condition.against(condition.than() * FAR, condition.source()));
            changes.add(condition.against(condition.than() / FAR, condition.source()));
        }
        changes.add(new Condition(
                condition.measure(),
                condition.over(),
                condition.is(),
                condition.than(),
                condition.source(),
                condition.passesUnknown() ? Condition.Unknown.FAIL : Condition.Unknown.PASS));
        return changes;
    }

    private static Criteria with(Criteria ask, Condition old, @Nullable Condition changed) {
        return new Criteria(
                ask.states(),
                ask.types(),
                ask.servedBy(),
                with(ask.any(), old, changed),
                with(ask.all(), old, changed),
                ask.missing());
    }

    private static @Nullable List<Condition> with(
            @Nullable List<Condition> conditions, Condition old, @Nullable Condition changed) {
        if (conditions == null) {
            return null;
        }
        List<Condition> others = new ArrayList<>();
        for (Condition each : conditions) {
            if (each != old) {
                others.add(each);
            } else if (changed != null) {
                others.add(changed);
            }
        }
        return others;
    }

    @AfterAll
    static void printSummary() {
        System.out.println("flowchart: changes " + tried + ", survivors " + survived);
    }
}
