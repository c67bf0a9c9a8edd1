package dev.komainu.central.state;

import dev.komainu.central.indices.MeasurementView;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The choice of the rule that names the state, by the causal order.
 *
 * <p>A first name waits until each cause above it is ruled out or cannot be seen, for a limited
 * time. Within a fault the name changes at most once, and only to a cause above. A symptom of the
 * named cause never takes over while its queue drains.
 */
final class FirstCause {

    private final CausalOrder order;
    private final RuleSet ruleSet;
    private final ServiceMemory memory;
    private final MeasurementView view;
    private final CausesAbove causes;

    FirstCause(
            CausalOrder order,
            RuleSet ruleSet,
            ServiceMemory memory,
            MeasurementView view,
            CausesAbove causes) {
        this.order = order;
        this.ruleSet = ruleSet;
        this.memory = memory;
        this.view = view;
        this.causes = causes;
    }

    /**
     * Returns the rule that names the state; null when the service is normal, or when it is too
     * early for a name.
     *
     * @param entered the active rules, highest rank first
     */
    @Nullable
    Rule of(List<Rule> entered) {
        FaultCourse fault = memory.fault;
        Rule named = fault.named();
        if (named == null) {
            return first(entered);
        }
        if (!order.recovery().isServed(view, view.second())) {
            fault.hurt();
        }
        if (entered.stream().anyMatch(rule -> rule.id().equals(named.id()))) {
            return confirmed(named, entered);
        }
        fault.left(view.second());
        return successor(named, entered);
    }

    private @Nullable Rule first(List<Rule> entered) {
        if (entered.isEmpty()) {
            return null;
        }
        Rule top = entered.getFirst();
        // The rules of failing are entered late enough.
        boolean late = top.state() == ServiceState.FAILING;
        if (late || !isSettled(top)) {
            if (!late && entered.stream().noneMatch(this::waitedLongEnough)) {
                return null;
            }
            Rule above = hurried(top);
            top = above == null ? top : above;
        }
        return named(top);
    }

    private boolean isSettled(Rule rule) {
        return causes.of(rule, began(rule)).stream().allMatch(CauseVerdict::isSettled);
    }

    private boolean waitedLongEnough(Rule rule) {
        return view.second() - began(rule) >= order.naming().waitSeconds();
    }

    private long began(Rule rule) {
        return memory.began.getOrDefault(rule.id(), view.second());
    }

    /**
     * Returns the highest rule of a cause above that holds but is not entered yet; null when there
     * is none. The symptom was measured long enough, so the cause is as old.
     */
    private @Nullable Rule hurried(Rule symptom) {
        Rule best = null;
        Cause filled = order.of(symptom);
        for (Cause cause : filled == null ? List.<Cause>of() : order.above(filled)) {
            for (Rule rule : causes.rules(cause)) {
                boolean higher = best == null || rule.rank() > best.rank();
                if (higher
                        && RuleTrend.agrees(
                                rule, view, order.naming().hurry(), memory.clouded, true)) {
                    best = rule;
                }
            }
        }
        if (best != null) {
            memory.enter(best, view.second(), view.second());
        }
        return best;
    }

    /** Returns the rule that names the fault while the present one is active: itself or better. */
    private Rule confirmed(Rule named, List<Rule> entered) {
        for (Rule rule : entered) {
            if (rule.rank() > named.rank() && mayReplace(rule, named)) {
                return named(rule);
            }
        }
        return named(named);
    }

    private boolean mayReplace(Rule rule, Rule named) {
        return rule.state() == named.state()
                || (memory.fault.mayChange() && order.isAbove(rule, named));
    }

    /**
     * Returns the rule that names the state after the naming rule was left: another cause that
     * still holds as strictly as for entering, or the old one while its queue drains.
     */
    private @Nullable Rule successor(Rule named, List<Rule> entered) {
        List<Rule> symptoms = new ArrayList<>();
        for (Rule rule : entered) {
            if (!RuleTrend.agrees(rule, view, ruleSet.entering(rule), memory.clouded, true)) {
                // A rule that only has not expired yet would be a second alarm for the same fault.
                memory.leave(rule.id());
            } else if (order.isAbove(named, rule)
                    || (rule.state() != named.state() && !memory.fault.mayChange())) {
                symptoms.add(rule);
            } else {
                return named(rule);
            }
        }
        boolean drained =
                view.second() - memory.fault.leftAt() >= order.recovery().drainSeconds();
        if (!symptoms.isEmpty() && !drained) {
            return named;
        }
        memory.fault.end();
        if (symptoms.isEmpty()) {
            // Windows of the seconds to come still contain seconds of the fault.
            memory.clouded = Math.max(memory.clouded, view.second());
            return null;
        }
        return named(symptoms.getFirst());
    }

    private Rule named(Rule rule) {
        memory.fault.name(rule, view.second());
        return rule;
    }

    /** Reports whether the cause seems to be over while the visitors still wait. */
    boolean isRecovering(Rule named) {
        return memory.fault.leftAt() != FaultCourse.NEVER
                || RuleTrend.agrees(
                        named, view, order.recovery().failedFor(), memory.fault.since(), false);
    }
}
