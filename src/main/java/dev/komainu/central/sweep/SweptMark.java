package dev.komainu.central.sweep;

import dev.komainu.central.indices.Condition;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.state.Rule;
import dev.komainu.central.state.RuleSet;
import dev.komainu.central.state.StateModel;
import dev.komainu.central.state.StopLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A threshold that is swept: of a rule's condition, or a limit of the classification of stops.
 *
 * @param rule id of the rule; {@link #STOPS} for a limit
 * @param measure the measurement, or the limit's name
 * @param comparison sign of the comparison; empty for a limit
 * @param mark the threshold in use
 * @param most highest value that it may have
 * @param whole whether only whole numbers are possible
 * @param source origin of the threshold
 */
record SweptMark(
        String rule,
        String measure,
        String comparison,
        double mark,
        double most,
        boolean whole,
        String source) {

    static final String STOPS = "stops";

    /** The factors of a sweep, about even on a scale of ratios. */
    static final List<Double> FACTORS =
            List.of(1 / 3.0, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.25, 1.4, 1.7, 2.0, 2.5, 3.0);

    /** Position of the factor 1. */
    static final int AS_IT_IS = FACTORS.indexOf(1.0);

    static List<SweptMark> all(RuleSet ruleSet, IndexCatalogue catalogue) {
        List<SweptMark> marks = new ArrayList<>();
        for (Rule rule : ruleSet.rules()) {
            for (Condition condition : rule.when()) {
                double most = switch (catalogue.definition(condition.measure()).unit()) {
                    case "share" -> 1;
                    case "percent" -> 100;
                    default -> Double.MAX_VALUE;
                };
                marks.add(new SweptMark(
                        rule.id(),
                        condition.measure(),
                        condition.is().printed(),
                        condition.than(),
                        most,
                        false,
                        condition.source()));
            }
        }
        StopLimits.usual()
                .forEach((name, value) -> marks.add(new SweptMark(
                        STOPS,
                        name,
                        "",
                        value,
                        name.endsWith("Share") ? 1 : Double.MAX_VALUE,
                        StopLimits.isWhole(name),
                        "own")));
        return marks;
    }

    boolean isStopLimit() {
        return rule.equals(STOPS);
    }

    /** Returns the threshold multiplied by a factor, within its range. */
    double times(int factor) {
        double value = Math.min(most, mark * FACTORS.get(factor));
        return whole ? Math.max(1, Math.rint(value)) : value;
    }

    /**
     * Returns the position of the factor that gives the same threshold and is nearest to 1: factors
     * beyond the range of a share, or between whole numbers, need no judgement of their own.
     */
    int representative(int factor) {
        int step = factor < AS_IT_IS ? 1 : -1;
        int nearest = factor;
        for (int other = factor; other != AS_IT_IS + step; other += step) {
            if (times(other) == times(factor)) {
                nearest = other;
            }
        }
        return nearest;
    }

    /** Returns the state model with this threshold multiplied. */
    StateModel model(RuleSet ruleSet, int factor) {
        double value = times(factor);
        if (isStopLimit()) {
            return StopLimits.model(ruleSet, ruleSet, Map.of(measure, value));
        }
        List<Rule> rules = ruleSet.rules().stream()
                .map(each -> each.id().equals(rule) ? changed(each, value) : each)
                .toList();
        return new StateModel(ruleSet, service -> rules);
    }

    private Rule changed(Rule of, double value) {
        return of.with(of.when().stream()
                .map(condition -> condition.measure().equals(measure)
                        ? condition.against(value, condition.source())
                        : condition)
                .toList());
    }

    /** Returns the rule of the threshold; null for a limit of stops. */
    @Nullable
    Rule ruleOf(RuleSet ruleSet) {
        return ruleSet.rules().stream()
                .filter(each -> each.id().equals(rule))
                .findFirst()
                .orElse(null);
    }
}
