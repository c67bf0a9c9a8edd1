package dev.komainu.central.state;

import dev.komainu.central.indices.Condition;
import dev.komainu.central.indices.IndexSource;
import dev.komainu.central.indices.MeasurementView;
import dev.komainu.central.state.CauseVerdict.Standing;
import java.util.ArrayList;
import java.util.List;

/**
 * The examination of the causes above a symptom at one second: which are ruled out, suspected, not
 * measured yet, or not observable. Pure.
 */
final class CausesAbove {

    private final CausalOrder order;
    private final List<Rule> rules;
    private final String kind;
    private final MeasurementView view;
    private final CollectorPresence presence;

    CausesAbove(
            CausalOrder order,
            List<Rule> rules,
            String kind,
            MeasurementView view,
            CollectorPresence presence) {
        this.order = order;
        this.rules = rules;
        this.kind = kind;
        this.view = view;
        this.presence = presence;
    }

    /**
     * Returns the verdicts on the causes above a rule, in the order of the file. A cause that this
     * kind of server does not have is left out.
     *
     * @param began second at which the rule began to hold
     */
    List<CauseVerdict> of(Rule symptom, long began) {
        List<CauseVerdict> verdicts = new ArrayList<>();
        Cause filled = order.of(symptom);
        if (filled == null) {
            return verdicts;
        }
        for (Cause cause : order.above(filled)) {
            List<Rule> own = rules(cause);
            if (!own.isEmpty()) {
                verdicts.add(verdict(cause, own, began));
            }
        }
        return verdicts;
    }

    /**
     * Returns the rules of a cause that can apply to this server: by its kind, or because their
     * measurements are collected. An application server may have a backend, too.
     */
    List<Rule> rules(Cause cause) {
        return rules.stream()
                .filter(rule -> cause.rules().contains(rule.id())
                        && rule.appliesTo(kind)
                        && (UnobservableStates.isAbout(rule, kind) || isCollected(rule)))
                .toList();
    }

    private boolean isCollected(Rule rule) {
        return rule.when().stream()
                .allMatch(condition -> condition.passesUnknown()
                        || !Double.isNaN(view.now(condition.measure(), condition.seconds())));
    }

    private CauseVerdict verdict(Cause cause, List<Rule> own, long began) {
        ServiceState state = own.getFirst().state();
        for (List<Condition> group : cause.suspected()) {
            if (outcome(group, began) == Outcome.HOLDS) {
                return new CauseVerdict(cause, state, Standing.SUSPECTED, measured(group));
            }
        }
        for (Rule rule : own) {
            if (rule.holds(view, view.second())) {
                return new CauseVerdict(
                        cause, state, Standing.SUSPECTED, rule.when().getFirst());
            }
        }
        Outcome best = Outcome.FAILS;
        Condition decided = null;
        for (List<Condition> group : cause.ruledOut()) {
            Outcome outcome = outcome(group, began);
            if (decided == null || outcome.compareTo(best) > 0) {
                best = outcome;
                decided = measured(group);
            }
        }
        Standing standing = switch (best) {
            case HOLDS -> Standing.RULED_OUT;
            case PENDING -> Standing.PENDING;
            case FAILS -> Standing.SUSPECTED;
            case UNKNOWN -> Standing.UNSEEN;
        };
        return new CauseVerdict(
                cause, state, standing, standing == Standing.UNSEEN ? null : decided);
    }

    /** The result of a group of conditions, the more decisive the later. */
    private enum Outcome {
        FAILS,
        UNKNOWN,
        PENDING,
        HOLDS
    }

    private Outcome outcome(List<Condition> group, long began) {
        Outcome outcome = Outcome.UNKNOWN;
        for (Condition condition : group) {
            double value = view.now(condition.measure(), condition.seconds());
            if (Double.isNaN(value)) {
                if (!condition.passesUnknown()) {
                    return Outcome.UNKNOWN;
                }
            } else if (!isFresh(condition, began)) {
                outcome = Outcome.PENDING;
            } else if (!condition.compares(value)) {
                return Outcome.FAILS;
            } else if (outcome == Outcome.UNKNOWN) {
                outcome = Outcome.HOLDS;
            }
        }
        return outcome;
    }

    /** Returns the first condition of the group whose value is known; the first when none is. */
    private Condition measured(List<Condition> group) {
        return group.stream()
                .filter(condition ->
                        !Double.isNaN(view.now(condition.measure(), condition.seconds())))
                .findFirst()
                .orElse(group.getFirst());
    }

    /** Reports whether the newest value of the measurement describes seconds since the onset. */
    private boolean isFresh(Condition condition, long began) {
        return view.source(condition.measure()) != IndexSource.KERNEL
                || !presence.hostReports()
                || view.hostSecond()
                        >= Math.min(view.second(), began + order.naming().freshSeconds());
    }
}
