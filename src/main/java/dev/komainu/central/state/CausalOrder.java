package dev.komainu.central.state;

import dev.komainu.central.indices.Condition;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.YamlResource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The causal order: which cause fills what, so that a symptom is not named as the first cause.
 * Immutable.
 *
 * <p>A cause is <em>above</em> another when it fills it, directly or through others. The file is
 * {@code state/causes.yaml}.
 */
public final class CausalOrder {

    private static final String RESOURCE = "/state/causes.yaml";

    private final Naming naming;
    private final Recovery recovery;
    private final Map<String, Cause> causes = new LinkedHashMap<>();
    private final Map<String, Cause> byRule = new HashMap<>();
    private final Map<String, Set<String>> above = new HashMap<>();

    /**
     * Limits of the wait of a symptom for the causes above it.
     *
     * @param waitSeconds seconds after a rule began to hold, after which it names its state even if
     *     a cause above it is suspected
     * @param freshSeconds seconds of the fault that a host sample must describe to rule a cause out
     * @param hurry persistence with which a cause above a symptom that waited long enough is
     *     entered
     */
    record Naming(int waitSeconds, int freshSeconds, Rule.Persistence hurry) {}

    /**
     * Conditions under which a fault is over.
     *
     * @param servedFor seconds in which the visitors must be served as before
     * @param failedFor seconds in which the rule must have failed
     * @param drainSeconds longest time for which a queue that drains keeps the state
     * @param served what holds while visitors are served as before: of each entry, at least one
     *     condition
     */
    record Recovery(
            Rule.Persistence servedFor,
            Rule.Persistence failedFor,
            int drainSeconds,
            List<List<Condition>> served) {

        /** Reports whether visitors were served as before at this second. */
        boolean isServed(dev.komainu.central.indices.MeasurementView view, long second) {
            return served.stream()
                    .allMatch(either ->
                            either.stream().anyMatch(condition -> condition.holds(view, second)));
        }
    }

    /** The file's content. */
    record File(Naming naming, Recovery recovery, List<Cause> causes) {}

    private static final class Standard {
        private static final CausalOrder ORDER =
                new CausalOrder(YamlResource.read(RESOURCE, File.class));
    }

    CausalOrder(File file) {
        naming = file.naming();
        recovery = file.recovery();
        for (Cause cause : file.causes()) {
            causes.putIfAbsent(cause.id(), cause);
            cause.rules().forEach(rule -> byRule.putIfAbsent(rule, cause));
        }
        for (String id : causes.keySet()) {
            reach(id, id, new HashSet<>());
        }
    }

    private void reach(String from, String at, Set<String> seen) {
        Cause cause = causes.get(at);
        for (String filled : cause == null ? List.<String>of() : cause.fills()) {
            if (seen.add(filled)) {
                above.computeIfAbsent(filled, id -> new LinkedHashSet<>()).add(from);
                reach(from, filled, seen);
            }
        }
    }

    /** Returns the order of the class path. */
    static CausalOrder standard() {
        return Standard.ORDER;
    }

    /** Returns the mistakes of the file of the class path, against the catalogue and the rules. */
    static List<String> mistakes(IndexCatalogue catalogue, RuleSet ruleSet) {
        return mistakes(YamlResource.read(RESOURCE, File.class), catalogue, ruleSet).stream()
                .map(mistake -> RESOURCE + ": " + mistake)
                .toList();
    }

    static List<String> mistakes(File file, IndexCatalogue catalogue, RuleSet ruleSet) {
        List<String> mistakes = new ArrayList<>();
        if (file.naming().waitSeconds() < 1 || file.naming().waitSeconds() > 60) {
            mistakes.add("naming: waitSeconds: " + file.naming().waitSeconds()
                    + " (expected: 1 to 60 seconds)");
        }
        file.naming().hurry().check("naming: hurry", mistakes);
        file.recovery().servedFor().check("recovery: servedFor", mistakes);
        file.recovery().failedFor().check("recovery: failedFor", mistakes);
        check("recovery: served", file.recovery().served(), catalogue, mistakes);
        Set<String> known = new HashSet<>();
        int position = 0;
        for (Cause cause : file.causes()) {
            position++;
            if (!known.add(cause.id())) {
                mistakes.add(where(position, cause) + ": defined twice");
            }
        }
        CausalOrder order = new CausalOrder(file);
        Map<String, String> owners = new HashMap<>();
        position = 0;
        for (Cause cause : file.causes()) {
            String where = where(++position, cause);
            for (String filled : cause.fills()) {
                if (!known.contains(filled)) {
                    mistakes.add(where + ": fills: " + filled + " (expected: the id of a cause)");
                }
            }
            if (order.isAbove(cause.id(), cause.id())) {
                mistakes.add(where + ": fills itself through " + cause.fills()
                        + " (expected: an order without a circle)");
            }
            check(where + ": suspected", cause.suspected(), catalogue, mistakes);
            check(where + ": ruledOut", cause.ruledOut(), catalogue, mistakes);
            if (cause.ruledOut().isEmpty() && order.fillsAny(cause)) {
                mistakes.add(where + ": ruledOut is empty (expected: a group of conditions)");
            }
            for (String rule : cause.rules()) {
                String other = owners.put(rule, cause.id());
                if (other != null) {
                    mistakes.add(where + ": rules: " + rule + " (expected: one cause; " + other
                            + " has it too)");
                }
                if (ruleSet.rules().stream().noneMatch(each -> each.id().equals(rule))) {
                    mistakes.add(where + ": rules: " + rule + " (expected: the id of a rule)");
                }
            }
        }
        for (Rule rule : ruleSet.rules()) {
            if (!owners.containsKey(rule.id())) {
                mistakes.add(rule.id() + ": no cause (expected: one cause that lists this rule)");
            }
        }
        mistakes.addAll(order.ranks(ruleSet));
        return mistakes;
    }

    private static void check(
            String where,
            List<List<Condition>> groups,
            IndexCatalogue catalogue,
            List<String> mistakes) {
        groups.forEach(
                group -> group.forEach(condition -> condition.check(where, catalogue, mistakes)));
    }

    private boolean fillsAny(Cause cause) {
        return !cause.fills().isEmpty() && !cause.fills().equals(List.of("unexplained"));
    }

    /** Returns the pairs of rules whose ranks contradict the order. */
    private List<String> ranks(RuleSet ruleSet) {
        List<String> mistakes = new ArrayList<>();
        for (Rule upper : ruleSet.rules()) {
            for (Rule lower : ruleSet.rules()) {
                if (isAbove(upper, lower) && upper.rank() <= lower.rank()) {
                    mistakes.add(upper.id() + ": rank: " + upper.rank() + " (expected: above "
                            + lower.rank() + ", the rank of " + lower.id()
                            + ", which its cause fills)");
                }
            }
        }
        return mistakes;
    }

    private static String where(int position, Cause cause) {
        return "causes[" + position + "] " + cause.id();
    }

    Naming naming() {
        return naming;
    }

    Recovery recovery() {
        return recovery;
    }

    /** Returns the causes in the file's order. */
    public List<Cause> causes() {
        return List.copyOf(causes.values());
    }

    /** Returns the cause that a rule indicates; null for a rule that no cause lists. */
    @Nullable
    Cause of(Rule rule) {
        return byRule.get(rule.id());
    }

    /** Returns the causes above this one, in the file's order. */
    List<Cause> above(Cause cause) {
        Set<String> ids = above.getOrDefault(cause.id(), Set.of());
        return causes.values().stream().filter(each -> ids.contains(each.id())).toList();
    }

    /** Reports whether one cause fills another, directly or through others. */
    boolean isAbove(String upper, String lower) {
        return above.getOrDefault(lower, Set.of()).contains(upper);
    }

    /** Reports whether the cause of one rule is above the cause of another. */
    boolean isAbove(Rule upper, Rule lower) {
        Cause from = of(upper);
        Cause to = of(lower);
        return from != null && to != null && isAbove(from.id(), to.id());
    }

    /** Reports whether two rules indicate the same cause. */
    boolean isSame(Rule one, Rule other) {
        Cause cause = of(one);
        return cause != null && cause.equals(of(other));
    }
}
