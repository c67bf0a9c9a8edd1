package dev.komainu.central.state;

import dev.komainu.central.indices.Condition;
import dev.komainu.central.indices.Condition.Comparison;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A rule with one wrong part, which the committed cases must detect.
 *
 * @param what description for people
 * @param kind kind of change
 * @param measure the changed condition; null: the rule itself
 * @param rule the changed rule
 */
record RuleChange(String what, Kind kind, @Nullable String measure, Rule rule) {

    /** The kind of a change. */
    enum Kind {
        DELETED,
        MOVED,
        OVER,
        UNKNOWN,
        ENTER,
        KINDS
    }

    private static final double FAR = 1.5;

    /**
     * Replacement of a threshold of 0, which no factor changes: one (second, connection, kill),
     * with its own side changed.
     */
    private static final double FROM_ZERO = 1;

    /** Returns every change of a rule. */
    static List<RuleChange> of(Rule rule, RuleSet ruleSet) {
        List<RuleChange> changes = new ArrayList<>();
        for (Condition condition : rule.when()) {
            String measure = condition.measure();
            changes.add(
                    new RuleChange("deleted", Kind.DELETED, measure, with(rule, condition, null)));
            for (Condition moved : moved(condition)) {
                String what = moved.is().sign() + " " + moved.than();
                changes.add(
                        new RuleChange(what, Kind.MOVED, measure, with(rule, condition, moved)));
            }
            if (condition.over() != null) {
                Condition usual = new Condition(
                        measure,
                        null,
                        condition.is(),
                        condition.than(),
                        condition.source(),
                        condition.unknown());
                changes.add(new RuleChange(
                        "over: 5", Kind.OVER, measure, with(rule, condition, usual)));
            }
            Condition other = new Condition(
                    measure,
                    condition.over(),
                    condition.is(),
                    condition.than(),
                    condition.source(),
                    condition.passesUnknown() ? Condition.Unknown.FAIL : Condition.Unknown.PASS);
            changes.add(new RuleChange(
                    "unknown: " + other.unknown(),
                    Kind.UNKNOWN,
                    measure,
                    with(rule, condition, other)));
        }
        Rule.Persistence enter = rule.enter() == null ? ruleSet.enter() : rule.enter();
        for (int need : List.of(enter.need() - 1, enter.need() + 1)) {
            Rule other = new Rule(
                    rule.id(),
                    rule.state(),
                    rule.rank(),
                    rule.cause(),
                    rule.kinds(),
                    rule.when(),
                    new Rule.Persistence(need, Math.max(need, enter.of())));
            changes.add(new RuleChange(
                    "enter: " + need + " of " + enter.of(), Kind.ENTER, null, other));
        }
        if (rule.kinds() != null) {
            Rule any = new Rule(
                    rule.id(),
                    rule.state(),
                    rule.rank(),
                    rule.cause(),
                    null,
                    rule.when(),
                    rule.enter());
            changes.add(new RuleChange("kinds: deleted", Kind.KINDS, null, any));
        }
        return changes;
    }

    /** Returns the condition with its threshold changed in both directions. */
    static List<Condition> moved(Condition condition) {
        if (condition.than() != 0) {
            return List.of(
                    condition.against(condition.than() * FAR, condition.source()),
                    condition.against(condition.than() / FAR, condition.source()));
        }
        Comparison otherSide = switch (condition.is()) {
            case ABOVE -> Comparison.AT_LEAST;
            case AT_LEAST -> Comparison.ABOVE;
            case BELOW -> Comparison.AT_MOST;
            case AT_MOST -> Comparison.BELOW;
        };
        return List.of(
                condition.against(FROM_ZERO, condition.source()),
                new Condition(
                        condition.measure(),
                        condition.over(),
                        otherSide,
                        0,
                        condition.source(),
                        condition.unknown()));
    }

    private static Rule with(Rule rule, Condition old, @Nullable Condition changed) {
        List<Condition> conditions = new ArrayList<>();
        for (Condition each : rule.when()) {
            if (each != old) {
                conditions.add(each);
            } else if (changed != null) {
                conditions.add(changed);
            }
        }
        return rule.with(conditions);
    }

    /** Returns the rule set with this rule in place of its own. */
    RuleSet in(RuleSet ruleSet) {
        List<Rule> rules = ruleSet.rules().stream()
                .map(each -> each.id().equals(rule.id()) ? rule : each)
                .toList();
        return new RuleSet(ruleSet.version(), ruleSet.enter(), ruleSet.leave(), rules);
    }

    boolean noticed(PlayedRule played, RuleSet ruleSet) {
        RuleSet changed = in(ruleSet);
        return switch (kind) {
            case DELETED, MOVED -> played.notices(changed, Objects.requireNonNull(measure));
            case OVER ->
                played.failsBase(changed)
                        || played.notices(changed, Objects.requireNonNull(measure));
            case UNKNOWN -> played.failsMissing(changed, Objects.requireNonNull(measure));
            case ENTER -> played.failsBase(changed);
            case KINDS -> played.failsElsewhere(changed);
        };
    }

    @Override
    public String toString() {
        return rule.id() + (measure == null ? "" : ", " + measure) + ": " + what;
    }
}
