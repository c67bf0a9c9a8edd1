package dev.komainu.central.state;

import dev.komainu.central.indices.Condition;
import dev.komainu.central.indices.Evidence;
import dev.komainu.central.indices.MeasurementView;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The causes that do not explain a failing service: for each state with rules, the figure that
 * excludes it, or the collector that is missing. Derived from the rules. Pure.
 */
final class ExcludedCauses {

    private ExcludedCauses() {}

    /**
     * Returns the evidence in the order of the states; a state without a rule for this kind of
     * server is left out.
     */
    static List<Evidence> of(
            List<Rule> rules, String kind, MeasurementView view, CollectorPresence presence) {
        Map<ServiceState, List<Rule>> byState = new EnumMap<>(ServiceState.class);
        for (Rule rule : rules) {
            // A failing server responds: it is not unreachable.
            if (rule.state() != ServiceState.FAILING
                    && rule.state() != ServiceState.UNREACHABLE
                    && rule.appliesTo(kind)
                    && UnobservableStates.isAbout(rule, kind)) {
                byState.computeIfAbsent(rule.state(), state -> new ArrayList<>())
                        .add(rule);
            }
        }
        List<Evidence> evidence = new ArrayList<>();
        byState.forEach((state, about) -> evidence.addAll(against(state, about, view, presence)));
        return evidence;
    }

    /**
     * Returns the evidence against one state: the first condition of the state's first rule, or,
     * when the first condition of every rule is met or unknown, another condition. If a rule could
     * not be judged, returns the evidence that is missing for it.
     */
    private static List<Evidence> against(
            ServiceState state,
            List<Rule> rules,
            MeasurementView view,
            CollectorPresence presence) {
        Map<Rule, Optional<Condition>> refuting = new LinkedHashMap<>();
        rules.forEach(rule -> refuting.put(rule, refuting(rule, view)));
        List<Evidence> unseen = refuting.entrySet().stream()
                .filter(entry -> entry.getValue().isEmpty())
                .flatMap(entry ->
                        UnobservableStates.lacking(entry.getKey(), view, presence).stream())
                .distinct()
                .map(missing -> unseen(state, rules.getFirst(), missing, view))
                .toList();
        if (!unseen.isEmpty()) {
            return unseen;
        }
        Stream<Condition> marks = refuting.entrySet().stream()
                .filter(entry -> entry.getValue()
                        .equals(Optional.of(entry.getKey().when().getFirst())))
                .flatMap(entry -> entry.getValue().stream());
        Stream<Condition> all = refuting.values().stream().flatMap(Optional::stream);
        return Stream.concat(marks, all)
                .limit(1)
                .map(condition -> Evidence.against(state.label(), condition, view))
                .toList();
    }

    private static Evidence unseen(
            ServiceState state,
            Rule rule,
            UnobservableState.Missing missing,
            MeasurementView view) {
        String measure = rule.when().getFirst().measure();
        return Evidence.unobserved(
                state.label(), measure, missing.text(), missing.command(), view.source(measure));
    }

    /** Returns the first condition whose value is known and does not reach its threshold. */
    private static Optional<Condition> refuting(Rule rule, MeasurementView view) {
        return unmet(rule, view)
                .filter(condition ->
                        !Double.isNaN(view.now(condition.measure(), condition.seconds())))
                .findFirst();
    }

    private static Stream<Condition> unmet(Rule rule, MeasurementView view) {
        return rule.when().stream().filter(condition -> !condition.holds(view, view.second()));
    }
}
