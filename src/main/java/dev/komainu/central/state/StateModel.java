package dev.komainu.central.state;

import dev.komainu.central.indices.Condition;
import dev.komainu.central.indices.Evidence;
import dev.komainu.central.indices.IndexSource;
import dev.komainu.central.indices.LocalizedText;
import dev.komainu.central.indices.MeasurementView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Judges each service once a second.
 *
 * <p>Each rule is asked again for every one of the last seconds, not only for the newest: a host
 * sample arrives up to ten seconds after the seconds it speaks of, and counts for them then. That
 * is what makes a shortage of CPU known within one sample instead of two. A rule entered is left
 * only after it failed for long; the highest-ranked entered rule names the state, the others are
 * told beside it. Used by one thread.
 */
public final class StateModel {

    private final RuleSet book;
    private final RulesByService rules;
    private final StopClassifier.Limits limits;
    private final Map<String, ServiceMemory> memories = new HashMap<>();

    /** Judges every service by the book's own thresholds. */
    public StateModel(RuleSet book) {
        this(book, book);
    }

    /** @param rules the book's, with thresholds of each service's own */
    public StateModel(RuleSet book, RulesByService rules) {
        this(book, rules, StopClassifier.Limits.USUAL);
    }

    StateModel(RuleSet book, RulesByService rules, StopClassifier.Limits limits) {
        this.book = book;
        this.rules = rules;
        this.limits = limits;
    }

    /** Continues after a restart of this program where the last transition left off. */
    public void resume(String service, ServiceState state, long sinceSecond, String rule) {
        ServiceMemory memory = new ServiceMemory(sinceSecond, limits);
        memory.state = state;
        memory.rule = rule;
        memories.put(service, memory);
    }

    /**
     * The clock was set back to this second: states stay, and what is remembered of later seconds
     * is moved to it.
     */
    public void setBack(long second) {
        memories.values().forEach(memory -> memory.setBack(second));
    }

    /** The same for one service. */
    public void setBack(String service, long second) {
        ServiceMemory memory = memories.get(service);
        if (memory != null) {
            memory.setBack(second);
        }
    }

    public void forget(String service) {
        memories.remove(service);
    }

    /**
     * The state of before, while it is too early after a start to say that a collector is missing.
     */
    public Judgement hold(MeasurementView view) {
        ServiceMemory memory = memories.computeIfAbsent(
                view.service(), id -> new ServiceMemory(view.second(), limits));
        return new Judgement(
                memory.state,
                memory.since,
                memory.rule,
                StateTexts.HELD,
                List.of(Evidence.said(
                        "connectionsPerSecond", StateTexts.HELD, IndexSource.DISCOVERY)),
                List.of(),
                null);
    }

    public Judgement judge(String kind, MeasurementView view, CollectorPresence presence) {
        ServiceMemory memory = memories.computeIfAbsent(
                view.service(), id -> new ServiceMemory(view.second(), limits));
        Verdict verdict = decide(memory, kind, view, presence);
        Transition transition = null;
        if (verdict.state != memory.state) {
            transition = new Transition(
                    view.service(),
                    view.second(),
                    memory.state,
                    verdict.state,
                    verdict.rule,
                    verdict.cause,
                    verdict.evidence);
            memory.state = verdict.state;
            memory.since = view.second();
        }
        memory.rule = verdict.rule;
        return new Judgement(
                memory.state,
                memory.since,
                verdict.rule,
                verdict.cause,
                verdict.evidence,
                verdict.others,
                transition);
    }

    private Verdict decide(
            ServiceMemory memory, String kind, MeasurementView view, CollectorPresence presence) {
        if (!presence.heard()) {
            memory.entered.clear();
            return Verdict.of(
                    ServiceState.UNKNOWN,
                    "unheard",
                    StateTexts.unheard(presence),
                    unheard(presence));
        }
        StopClassifier.Mark mark = memory.stops.watch(view);
        List<Rule> entered = standing(memory, view, walk(memory, kind, view));
        if (mark != null && mark != StopClassifier.Mark.GAP) {
            memory.entered.clear();
            if (mark == StopClassifier.Mark.UNREACHABLE) {
                memory.clouded = view.second() + limits.clouded();
            } else if (mark != StopClassifier.Mark.RESTARTING) {
                // Refusals of a stop say nothing about the server that answers again.
                memory.clouded = Math.max(memory.clouded, view.second());
            }
            return stopped(mark, view);
        }
        if (mark == StopClassifier.Mark.GAP && memory.state != ServiceState.UNKNOWN) {
            return Verdict.of(memory.state, memory.rule, StateTexts.GAP, refusals(view));
        }
        if (entered.isEmpty()) {
            return Verdict.of(
                    ServiceState.NORMAL, "normal", StateTexts.normal(view), normal(view, presence));
        }
        Rule first = entered.getFirst();
        List<Evidence> evidence = new ArrayList<>();
        first.when().forEach(condition -> evidence.add(Evidence.of(condition, view)));
        if (first.state() == ServiceState.FAILING) {
            evidence.addAll(ExcludedCauses.of(rules.of(view.service()), kind, view, presence));
        }
        List<ServiceState> others = new ArrayList<>();
        for (Rule rule : entered) {
            // That clients are failed is what the first cause does to them, and no cause beside it.
            boolean cause = rule.state() != ServiceState.FAILING;
            if (cause && rule.state() != first.state() && !others.contains(rule.state())) {
                others.add(rule.state());
                evidence.add(Evidence.of(rule.when().getFirst(), view));
            }
        }
        return new Verdict(first.state(), first.id(), first.cause(), evidence, others);
    }

    /** Enters and leaves rules; answers those entered, highest rank first. */
    private List<Rule> walk(ServiceMemory memory, String kind, MeasurementView view) {
        List<Rule> entered = new ArrayList<>();
        for (Rule rule : rules.of(view.service())) {
            if (!rule.appliesTo(kind)) {
                continue;
            }
            Long since = memory.entered.get(rule.id());
            // What it failed before it was entered says nothing about leaving: else it would leave
            // the moment it came.
            boolean in = since == null
                    ? agrees(rule, view, entering(rule), memory.clouded, true)
                    : !agrees(rule, view, book.leave(), since, false);
            if (in) {
                memory.entered.putIfAbsent(rule.id(), view.second());
                entered.add(rule);
            } else {
                memory.entered.remove(rule.id());
            }
        }
        entered.sort(Comparator.comparingInt(Rule::rank).reversed());
        return entered;
    }

    /**
     * When the rule that named the state is left, one that merely lingers beside it does not take
     * its place: what it told was the first one's doing, and would be a second alarm for the same
     * trouble. It must still hold as for entering.
     */
    private List<Rule> standing(ServiceMemory memory, MeasurementView view, List<Rule> entered) {
        boolean named =
                rules.of(view.service()).stream().anyMatch(rule -> rule.id().equals(memory.rule));
        if (!named || entered.stream().anyMatch(rule -> rule.id().equals(memory.rule))) {
            return entered;
        }
        List<Rule> still = new ArrayList<>();
        for (Rule rule : entered) {
            if (agrees(rule, view, entering(rule), memory.clouded, true)) {
                still.add(rule);
            } else {
                memory.entered.remove(rule.id());
            }
        }
        return still;
    }

    private Rule.Persistence entering(Rule rule) {
        return rule.enter() == null ? book.enter() : rule.enter();
    }

    /**
     * Whether the rule held ({@code wanted}), or did not, in at least N of the last M seconds, all
     * after one second.
     */
    private static boolean agrees(
            Rule rule,
            MeasurementView view,
            Rule.Persistence persistence,
            long after,
            boolean wanted) {
        int agreed = 0;
        for (int back = 0; back < persistence.of(); back++) {
            long second = view.second() - back;
            if (second > after && rule.holds(view, second) == wanted) {
                agreed++;
            } else if (back + 1 - agreed > persistence.of() - persistence.need()) {
                return false;
            }
        }
        return agreed >= persistence.need();
    }

    private Verdict stopped(StopClassifier.Mark mark, MeasurementView view) {
        return switch (mark) {
            case CRASHED ->
                Verdict.of(
                        ServiceState.STOPPED_CRASHED,
                        "stopped/refused",
                        StateTexts.CRASHED,
                        refusals(view));
            case NO_PROCESS ->
                Verdict.of(
                        ServiceState.STOPPED_CRASHED,
                        "stopped/no-process",
                        StateTexts.NO_PROCESS,
                        List.of(Evidence.of(view.read("serverProcesses", 10))));
            case RESTARTING ->
                Verdict.of(
                        ServiceState.STOPPED_RESTARTING,
                        "stopped/answers-again",
                        StateTexts.RESTARTING,
                        refusals(view));
            case UNREACHABLE ->
                Verdict.of(
                        ServiceState.UNREACHABLE,
                        "unreachable/no-packet",
                        StateTexts.UNREACHABLE,
                        List.of(
                                Evidence.of(view.read("synRepeatsPerSecond", limits.unreachable())),
                                Evidence.of(view.read(
                                        "serverPacketsPerSecond", limits.unreachable()))));
            case GAP ->
                throw new IllegalArgumentException("mark: GAP (expected: one that names a state)");
        };
    }

    private static List<Evidence> refusals(MeasurementView view) {
        List<Evidence> evidence = new ArrayList<>();
        evidence.add(Evidence.of(view.read("refusedPerSecond", 10)));
        evidence.add(Evidence.of(view.read("processedPerSecond", 10)));
        evidence.add(Evidence.of(view.read("serverResetsPerSecond", 10)));
        if (!Double.isNaN(view.now("serverProcesses", 1))) {
            evidence.add(Evidence.of(view.read("serverProcesses", 1)));
        }
        return evidence;
    }

    private static List<Evidence> normal(MeasurementView view, CollectorPresence presence) {
        List<Evidence> evidence = new ArrayList<>();
        double arriving = view.now("arrivalPerSecond", 60);
        if (!(arriving > 0)) {
            evidence.add(Evidence.said("arrivalPerSecond", StateTexts.SILENT, IndexSource.PACKETS));
        }
        evidence.add(Evidence.of(view.read("arrivalPerSecond", 10)));
        evidence.add(Evidence.of(view.read("processedPerSecond", 10)));
        if (arriving > 0) {
            evidence.add(Evidence.of(view.read("responseP50Millis", 10)));
        }
        if (presence.hostSeen()) {
            evidence.add(Evidence.of(view.read("hostCpuIdleShare", 10)));
        } else {
            evidence.add(Evidence.said("hostCpuIdleShare", StateTexts.NO_HOST, IndexSource.KERNEL));
        }
        return evidence;
    }

    private static List<Evidence> unheard(CollectorPresence presence) {
        return List.of(Evidence.said(
                "connectionsPerSecond", StateTexts.unheard(presence), IndexSource.DISCOVERY));
    }

    private record Verdict(
            ServiceState state,
            String rule,
            LocalizedText cause,
            List<Evidence> evidence,
            List<ServiceState> others) {

        static Verdict of(
                ServiceState state, String rule, LocalizedText cause, List<Evidence> evidence) {
            return new Verdict(state, rule, cause, evidence, List.of());
        }
    }

    /** Which states cannot be judged of this service now, and whose word is missing. */
    public List<UnobservableState> blind(
            String kind, MeasurementView view, CollectorPresence presence) {
        return UnobservableStates.of(rules.of(view.service()), kind, view, presence);
    }

    /** Every measurement some rule looks at. */
    public List<String> measurements() {
        return book.rules().stream()
                .flatMap(rule -> rule.when().stream())
                .map(Condition::measure)
                .distinct()
                .toList();
    }
}
