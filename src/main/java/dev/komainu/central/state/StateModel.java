package dev.komainu.central.state;

import dev.komainu.central.indices.Condition;
import dev.komainu.central.indices.Deferred;
import dev.komainu.central.indices.Evidence;
import dev.komainu.central.indices.IndexSource;
import dev.komainu.central.indices.LocalizedText;
import dev.komainu.central.indices.MeasurementView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The state model: judges each service once a second.
 *
 * <p>Each rule is evaluated again for each of the last seconds, not only for the newest: a host
 * sample arrives up to ten seconds after the seconds it describes, and then counts for those
 * seconds. So a shortage of CPU is detected within one sample instead of two. An entered rule is
 * left only after it failed for several seconds; the highest-ranked entered rule names the state,
 * and the others are listed as further causes. Used by one thread.
 */
public final class StateModel {

    /** Rule of a restart that ended: the server responds again. */
    static final String ANSWERS_AGAIN = "stopped/answers-again";

    private final RuleSet ruleSet;
    private final RulesByService rules;
    private final StopClassifier.Limits limits;
    private final CausalOrder order = CausalOrder.standard();
    private final Map<String, ServiceMemory> memories = new HashMap<>();

    /** Creates a model with the thresholds of the rule set. */
    public StateModel(RuleSet ruleSet) {
        this(ruleSet, ruleSet);
    }

    /**
     * Creates a model with thresholds by service.
     *
     * @param rules the rules of the rule set, with each service's own thresholds
     */
    public StateModel(RuleSet ruleSet, RulesByService rules) {
        this(ruleSet, rules, StopClassifier.Limits.USUAL);
    }

    StateModel(RuleSet ruleSet, RulesByService rules, StopClassifier.Limits limits) {
        this.ruleSet = ruleSet;
        this.rules = rules;
        this.limits = limits;
    }

    /** Restores the state of the last transition after a restart of the central service. */
    public void resume(String service, ServiceState state, long sinceSecond, String rule) {
        ServiceMemory memory = new ServiceMemory(sinceSecond, limits);
        memory.state = state;
        memory.rule = rule;
        rules.of(service).stream()
                .filter(each -> each.id().equals(rule))
                .findFirst()
                .ifPresent(named -> memory.fault.name(named, sinceSecond));
        memories.put(service, memory);
    }

    /**
     * Handles a clock that was set back to this second: states stay, and later times in the memory
     * are limited to it.
     */
    public void setBack(long second) {
        memories.values().forEach(memory -> memory.setBack(second));
    }

    /** Handles a clock of one service's source that was set back to this second. */
    public void setBack(String service, long second) {
        ServiceMemory memory = memories.get(service);
        if (memory != null) {
            memory.setBack(second);
        }
    }

    /**
     * Adds the earlier restarts of a service, which tell a restart from a crash.
     *
     * @param seconds the duration of each, oldest first
     */
    public void restarted(String service, List<Integer> seconds) {
        ServiceMemory memory = memories.get(service);
        if (memory != null) {
            seconds.forEach(memory.stops::restarted);
        }
    }

    public void forget(String service) {
        memories.remove(service);
    }

    /**
     * Returns the previous state, while it is too early after a start to report a missing
     * collector.
     */
    public Judgement keepState(MeasurementView view) {
        ServiceMemory memory = memories.computeIfAbsent(
                view.service(), id -> new ServiceMemory(view.second(), limits));
        return new Judgement(
                memory.state,
                memory.since,
                memory.rule,
                StateTexts.HELD,
                List.of(Evidence.ofText(
                        "connectionsPerSecond", StateTexts.HELD, IndexSource.DISCOVERY)),
                List.of(),
                null);
    }

    public Judgement judge(String kind, MeasurementView view, CollectorPresence presence) {
        ServiceMemory memory = memories.computeIfAbsent(
                view.service(), id -> new ServiceMemory(view.second(), limits));
        Outcome outcome = decide(memory, kind, view, presence);
        Transition transition = null;
        if (outcome.state != memory.state) {
            // Stored later, when the view may read other seconds.
            transition = new Transition(
                    view.service(),
                    view.second(),
                    memory.state,
                    outcome.state,
                    outcome.rule,
                    outcome.cause,
                    List.copyOf(outcome.evidence));
            memory.state = outcome.state;
            memory.since = view.second();
        }
        memory.rule = outcome.rule;
        return new Judgement(
                memory.state,
                memory.since,
                outcome.rule,
                outcome.cause,
                outcome.evidence,
                outcome.otherCauses,
                outcome.certainty,
                transition);
    }

    private Outcome decide(
            ServiceMemory memory, String kind, MeasurementView view, CollectorPresence presence) {
        if (!presence.reports()) {
            memory.clear();
            return Outcome.of(
                    ServiceState.UNKNOWN,
                    "unheard",
                    StateTexts.unheard(presence),
                    StateEvidence.unheard(presence));
        }
        StopClassifier.Mark mark = memory.stops.watch(view);
        List<Rule> own = rules.of(view.service());
        CausesAbove causes = new CausesAbove(order, own, kind, view, presence);
        FirstCause firstCause = new FirstCause(order, ruleSet, memory, view, causes);
        Rule first = firstCause.of(walk(memory, own, kind, view));
        if (mark != null && mark != StopClassifier.Mark.GAP) {
            memory.clear();
            if (mark == StopClassifier.Mark.UNREACHABLE) {
                memory.clouded = view.second() + limits.clouded();
            } else if (mark != StopClassifier.Mark.RESTARTING) {
                // Refusals during a stop are no evidence about the server that responds again.
                memory.clouded = Math.max(memory.clouded, view.second());
            }
            return stopped(mark, view);
        }
        if (mark == StopClassifier.Mark.GAP && memory.state != ServiceState.UNKNOWN) {
            return Outcome.of(
                    memory.state, memory.rule, StateTexts.GAP, StateEvidence.refusals(view));
        }
        if (first == null) {
            return Outcome.of(
                    ServiceState.NORMAL,
                    "normal",
                    StateTexts.normal(view),
                    Deferred.list(() -> StateEvidence.normal(view, presence)));
        }
        List<CauseVerdict> above = first.state() == ServiceState.FAILING
                ? List.of()
                : causes.of(first, memory.began.getOrDefault(first.id(), view.second()));
        List<Evidence> evidence = new ArrayList<>();
        first.when().forEach(condition -> evidence.add(Evidence.of(condition, view)));
        evidence.addAll(StateEvidence.others(first, view));
        evidence.addAll(StateEvidence.parts(view));
        if (first.state() == ServiceState.FAILING) {
            evidence.addAll(ExcludedCauses.of(own, kind, view, presence));
        }
        List<ServiceState> otherCauses = new ArrayList<>();
        for (Rule rule : active(memory, own)) {
            // Failing is the effect of the first cause, not a further cause.
            boolean cause = rule.state() != ServiceState.FAILING;
            if (cause && rule.state() != first.state() && !otherCauses.contains(rule.state())) {
                otherCauses.add(rule.state());
                evidence.add(Evidence.of(rule.when().getFirst(), view));
            }
        }
        above.stream().map(verdict -> verdict.evidence(view)).distinct().forEach(evidence::add);
        LocalizedText cause =
                firstCause.isRecovering(first) ? StateTexts.recovering(first, view) : first.cause();
        return new Outcome(
                first.state(),
                first.id(),
                cause,
                evidence,
                otherCauses,
                above.isEmpty() ? null : Certainty.of(above));
    }

    /**
     * Enters and leaves rules.
     *
     * @return the entered rules, highest rank first
     */
    private List<Rule> walk(
            ServiceMemory memory, List<Rule> own, String kind, MeasurementView view) {
        boolean servedAgain = memory.fault.isHurt()
                && RuleTrend.served(order.recovery(), view, memory.fault.since());
        for (Rule rule : own) {
            if (!rule.appliesTo(kind)) {
                continue;
            }
            Long since = memory.entered.get(rule.id());
            if (since == null) {
                Rule.Persistence enter = ruleSet.entering(rule);
                if (RuleTrend.agrees(rule, view, enter, memory.clouded, true)) {
                    memory.enter(
                            rule,
                            view.second(),
                            RuleTrend.began(rule, view, enter, memory.clouded));
                }
            } else if (leaves(rule, view, since, servedAgain)) {
                memory.leave(rule.id());
            }
        }
        return active(memory, own);
    }

    /**
     * Reports whether a rule is left. Seconds before it was entered do not count: else it would be
     * left at once.
     */
    private boolean leaves(Rule rule, MeasurementView view, long since, boolean servedAgain) {
        return RuleTrend.agrees(rule, view, ruleSet.leave(), since, false)
                || (servedAgain
                        && RuleTrend.agrees(
                                rule, view, order.recovery().failedFor(), since, false));
    }

    private static List<Rule> active(ServiceMemory memory, List<Rule> own) {
        return own.stream()
                .filter(rule -> memory.entered.containsKey(rule.id()))
                .sorted(Comparator.comparingInt(Rule::rank).reversed())
                .toList();
    }

    private Outcome stopped(StopClassifier.Mark mark, MeasurementView view) {
        return switch (mark) {
            case UNCLEAR ->
                Outcome.of(
                        ServiceState.STOPPED_UNCLEAR,
                        "stopped/unclear",
                        StateTexts.UNCLEAR,
                        StateEvidence.refusals(view));
            case STARTING ->
                Outcome.of(
                        ServiceState.STOPPED_RESTARTING,
                        "stopped/new-start",
                        StateTexts.STARTING,
                        StateEvidence.refusals(view));
            case CRASHED ->
                Outcome.of(
                        ServiceState.STOPPED_CRASHED,
                        "stopped/refused",
                        StateTexts.CRASHED,
                        StateEvidence.refusals(view));
            case NO_PROCESS ->
                Outcome.of(
                        ServiceState.STOPPED_CRASHED,
                        "stopped/no-process",
                        StateTexts.NO_PROCESS,
                        List.of(Evidence.of(view.read("serverProcesses", 10))));
            case RESTARTING ->
                Outcome.of(
                        ServiceState.STOPPED_RESTARTING,
                        ANSWERS_AGAIN,
                        StateTexts.RESTARTING,
                        StateEvidence.refusals(view));
            case UNREACHABLE ->
                Outcome.of(
                        ServiceState.UNREACHABLE,
                        "unreachable/no-packet",
                        StateTexts.UNREACHABLE,
                        unreachable(view));
            case GAP ->
                throw new IllegalArgumentException("mark: GAP (expected: one that names a state)");
        };
    }

    private List<Evidence> unreachable(MeasurementView view) {
        List<Evidence> evidence = new ArrayList<>();
        evidence.add(Evidence.of(view.read("synRepeatsPerSecond", limits.unreachable())));
        evidence.add(Evidence.of(view.read("serverPacketsPerSecond", limits.unreachable())));
        evidence.addAll(StateEvidence.parts(view));
        return evidence;
    }

    private record Outcome(
            ServiceState state,
            String rule,
            LocalizedText cause,
            List<Evidence> evidence,
            List<ServiceState> otherCauses,
            @Nullable Certainty certainty) {

        static Outcome of(
                ServiceState state, String rule, LocalizedText cause, List<Evidence> evidence) {
            return new Outcome(state, rule, cause, evidence, List.of(), null);
        }
    }

    /**
     * Returns the states that cannot be judged for this service now, with the missing collectors.
     */
    public List<UnobservableState> unobservable(
            String kind, MeasurementView view, CollectorPresence presence) {
        return UnobservableStates.of(rules.of(view.service()), kind, view, presence);
    }

    /** Returns every measurement that the rules read. */
    public List<String> measurements() {
        return ruleSet.rules().stream()
                .flatMap(rule -> rule.when().stream())
                .map(Condition::measure)
                .distinct()
                .toList();
    }
}
