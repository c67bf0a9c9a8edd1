package dev.komainu.central.diagnosis;

import dev.komainu.central.diagnosis.Decision.Verdict;
import dev.komainu.central.diagnosis.Flowchart.Answer;
import dev.komainu.central.diagnosis.Flowchart.Criteria;
import dev.komainu.central.diagnosis.Flowchart.Edge;
import dev.komainu.central.diagnosis.Flowchart.Kind;
import dev.komainu.central.diagnosis.Flowchart.Node;
import dev.komainu.central.indices.Condition;
import dev.komainu.central.indices.Evidence;
import dev.komainu.central.indices.MeasurementView;
import dev.komainu.central.state.Judgement;
import dev.komainu.central.state.Rule;
import dev.komainu.central.state.ServiceState;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One walk through the flowchart. Created for one diagnosis, used once. */
final class FlowchartWalk {

    private final Flowchart chart;
    private final Judgement judgement;
    private final MeasurementView view;
    private final @Nullable Rule rule;
    private final Architecture architecture;
    private final DiagnosisWhatIf whatIf;
    private final List<Evidence> clues;
    private final Map<String, DecisionOverride> overrides = new LinkedHashMap<>();
    private final Map<String, Node> nodes = new LinkedHashMap<>();
    private final Set<String> path = new LinkedHashSet<>();
    private final List<String> leaves = new ArrayList<>();
    private final List<Decision> decisions = new ArrayList<>();

    /**
     * Creates a walk.
     *
     * @param rule the rule that named the state, if one did: its conditions give the confidence of
     *     the state
     * @param clues places to check, listed with the decision about a failing service
     */
    FlowchartWalk(
            Flowchart chart,
            Judgement judgement,
            MeasurementView view,
            @Nullable Rule rule,
            Architecture architecture,
            List<DecisionOverride> overrides,
            DiagnosisWhatIf whatIf,
            List<Evidence> clues) {
        this.chart = chart;
        this.judgement = judgement;
        this.view = view;
        this.rule = rule;
        this.architecture = architecture;
        this.whatIf = whatIf;
        this.clues = clues;
        overrides.forEach(override -> this.overrides.put(override.node(), override));
        chart.nodes().forEach(node -> nodes.put(node.id(), node));
    }

    FlowchartWalk walk() {
        Deque<Node> open = new ArrayDeque<>();
        chart.nodes().stream().filter(node -> node.kind() == Kind.START).forEach(open::add);
        while (!open.isEmpty()) {
            Node node = open.remove();
            if (!path.add(node.id())) {
                continue;
            }
            if (node.kind() == Kind.ACTION) {
                leaves.add(node.id());
            }
            Verdict verdict = Verdict.UNKNOWN;
            if (node.kind() == Kind.DECISION) {
                Decision decision = answered(decide(node, Objects.requireNonNull(node.ask())));
                decisions.add(decision);
                verdict = decision.leading();
            }
            for (Edge edge : chart.edges()) {
                if (edge.from().equals(node.id()) && leadsOn(edge.answer(), verdict)) {
                    open.add(Objects.requireNonNull(nodes.get(edge.to())));
                }
            }
        }
        return this;
    }

    private static boolean leadsOn(Answer answer, Verdict verdict) {
        return answer == Answer.NEXT
                || verdict == Verdict.UNKNOWN
                || (answer == Answer.YES) == (verdict == Verdict.YES);
    }

    /**
     * Returns the verdict of a decision: from the what-if, else from an override, else as measured.
     */
    private Decision answered(Decision decision) {
        Verdict supposed = whatIf.answers().get(decision.node());
        if (supposed != null) {
            Instant now = Instant.ofEpochSecond(view.second());
            return decision.under(new DecisionOverride(
                    decision.node(), supposed, "what if", "what if", now, now));
        }
        DecisionOverride override = overrides.get(decision.node());
        return override == null ? decision : decision.under(override);
    }

    private Decision decide(Node node, Criteria criteria) {
        List<Flowchart.Missing> missing =
                criteria.missing() == null ? List.of() : criteria.missing();
        if (criteria.byPeople()) {
            return new Decision(node.id(), Verdict.UNKNOWN, null, List.of(), List.of(), missing);
        }
        List<Evidence> evidence = new ArrayList<>();
        List<Condition> carried = new ArrayList<>();
        Verdict verdict = Verdict.NO;
        List<ServiceState> states = criteria.states();
        if (states != null) {
            if (states.contains(judgement.state())) {
                verdict = Verdict.YES;
                evidence.addAll(judgement.evidence());
                if (states.equals(List.of(ServiceState.FAILING))) {
                    evidence.addAll(clues);
                }
                if (rule != null) {
                    carried.addAll(rule.when());
                }
            } else if (judgement.state() == ServiceState.UNKNOWN) {
                verdict = Verdict.UNKNOWN;
                evidence.addAll(judgement.evidence());
            } else if (criteria.any() == null && criteria.all() == null) {
                evidence.addAll(judgement.evidence());
            }
        }
        verdict = or(verdict, any(supposing(node, criteria.any()), evidence, carried));
        verdict = or(verdict, all(supposing(node, criteria.all()), evidence, carried));
        if (criteria.types() != null || criteria.servedBy() != null) {
            evidence.addAll(architecture.evidence());
            verdict = or(verdict, built(criteria));
        }
        if (verdict == Verdict.UNKNOWN) {
            return new Decision(node.id(), verdict, null, List.of(), evidence, missing);
        }
        Decision.Level built = architecture.confidence();
        if (carried.isEmpty()
                && built != null
                && (criteria.types() != null || criteria.servedBy() != null)) {
            return new Decision(
                    node.id(), verdict, built, architecture.reasons(), evidence, List.of());
        }
        Confidence confidence = new Confidence(view);
        Decision.Level level = confidence.weigh(carried);
        return new Decision(node.id(), verdict, level, confidence.reasons(), evidence, List.of());
    }

    private Verdict built(Criteria criteria) {
        if (architecture.type() == null) {
            return Verdict.UNKNOWN;
        }
        List<Integer> types = criteria.types();
        boolean yes = (types != null && types.contains(architecture.type()))
                || (criteria.servedBy() != null && criteria.servedBy() == architecture.servedBy());
        return yes ? Verdict.YES : Verdict.NO;
    }

    private @Nullable List<Condition> supposing(Node node, @Nullable List<Condition> conditions) {
        return conditions == null
                ? null
                : conditions.stream()
                        .map(condition -> whatIf.on(node.id(), condition))
                        .toList();
    }

    private static Verdict or(Verdict left, Verdict right) {
        if (left == Verdict.YES || right == Verdict.YES) {
            return Verdict.YES;
        }
        return left == Verdict.UNKNOWN || right == Verdict.UNKNOWN ? Verdict.UNKNOWN : Verdict.NO;
    }

    private Verdict any(
            @Nullable List<Condition> any, List<Evidence> evidence, List<Condition> carried) {
        Verdict verdict = Verdict.NO;
        for (Condition condition : any == null ? List.<Condition>of() : any) {
            evidence.add(Evidence.of(condition, view));
            carried.add(condition);
            verdict = or(verdict, answer(condition));
        }
        return verdict;
    }

    private Verdict all(
            @Nullable List<Condition> all, List<Evidence> evidence, List<Condition> carried) {
        if (all == null) {
            return Verdict.NO;
        }
        Verdict verdict = Verdict.YES;
        for (Condition condition : all) {
            evidence.add(Evidence.of(condition, view));
            carried.add(condition);
            Verdict next = answer(condition);
            if (next == Verdict.NO || verdict == Verdict.NO) {
                verdict = Verdict.NO;
            } else if (next == Verdict.UNKNOWN) {
                verdict = Verdict.UNKNOWN;
            }
        }
        return verdict;
    }

    private Verdict answer(Condition condition) {
        double value = view.now(condition.measure(), condition.seconds());
        if (Double.isNaN(value)) {
            return condition.passesUnknown() ? Verdict.NO : Verdict.UNKNOWN;
        }
        return condition.compares(value) ? Verdict.YES : Verdict.NO;
    }

    /** Returns node ids in the order they were reached. */
    List<String> path() {
        return List.copyOf(path);
    }

    List<String> leaves() {
        return leaves;
    }

    List<Decision> decisions() {
        return decisions;
    }
}
