package dev.komainu.central.state;

import dev.komainu.central.indices.Condition;
import dev.komainu.central.indices.Replay;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The cases of a rule, played once and judged by any rule set. */
final class PlayedRule {

    /** Relative tolerance between a committed value and the scenario's value. */
    private static final double EXACT = 0.005;

    private final PinnedRule pinned;
    private final Replay base;
    private final @Nullable Replay elsewhere;
    private final List<Played> cases = new ArrayList<>();

    private record Played(PinnedRule.Case pinnedCase, Replay replay) {}

    PlayedRule(PinnedRule pinned) {
        this.pinned = pinned;
        base = new Replay(pinned.story(Map.of()));
        elsewhere = pinned.otherKind() == null
                ? null
                : new Replay(pinned.story(Map.of("kind", pinned.otherKind())));
        for (PinnedRule.Case pinnedCase : pinned.cases()) {
            cases.add(new Played(
                    pinnedCase,
                    pinnedCase.with() == null
                            ? base
                            : new Replay(pinned.story(pinnedCase.with()))));
        }
    }

    /**
     * Returns the differences between the cases and their committed results, for the rule as the
     * rule set has it.
     */
    List<String> failures(RuleSet ruleSet, Rule rule) {
        List<String> failures = new ArrayList<>();
        for (Condition condition : rule.when()) {
            failures.addAll(failures(ruleSet, condition));
        }
        if (failsBase(ruleSet)) {
            failures.add(pinned.rule() + ": " + pinned.state().label() + " from " + pinned.entered()
                    + " s, but " + ribbon(base, ruleSet, null));
        }
        if (failsElsewhere(ruleSet)) {
            failures.add(pinned.rule() + ": named of " + pinned.otherKind());
        }
        return failures;
    }

    /** Returns the differences of one condition's cases: their values, and the named states. */
    private List<String> failures(RuleSet ruleSet, Condition condition) {
        List<String> failures = new ArrayList<>();
        for (Played played : cases) {
            PinnedRule.Case pinnedCase = played.pinnedCase();
            if (!pinnedCase.of().equals(condition.measure())) {
                continue;
            }
            Double value = pinnedCase.holds() != null ? pinnedCase.holds() : pinnedCase.beyond();
            double seen = played.replay()
                    .view(second(played), null)
                    .now(condition.measure(), condition.seconds());
            if (value != null && !(Math.abs(seen - value) <= Math.abs(value) * EXACT)) {
                failures.add(String.format(
                        Locale.ROOT,
                        "%s, %s: the story gives %.4g",
                        pinned.rule(),
                        pinnedCase,
                        seen));
            }
            if (value != null && condition.compares(value) != (pinnedCase.holds() != null)) {
                failures.add(pinned.rule() + ", " + pinnedCase + ": on the wrong side of "
                        + condition.than());
            }
            if (fails(played, ruleSet)) {
                failures.add(pinned.rule() + ", " + pinnedCase + ": "
                        + ribbon(played.replay(), ruleSet, null));
            }
        }
        if (failsMissing(ruleSet, condition.measure())) {
            failures.add(pinned.rule() + ", " + condition.measure() + " missing: "
                    + ribbon(base, ruleSet, condition.measure()));
        }
        return failures;
    }

    /** Reports whether a case of this condition fails with the changed rule set. */
    boolean notices(RuleSet changed, String measure) {
        return cases.stream()
                .anyMatch(played ->
                        played.pinnedCase().of().equals(measure) && fails(played, changed));
    }

    boolean failsBase(RuleSet ruleSet) {
        List<Judgement> judged = base.judge(new StateModel(ruleSet));
        for (int second = 0; second < judged.size(); second++) {
            if (judged.get(second).rule().equals(pinned.rule()) != (second >= pinned.entered())) {
                return true;
            }
        }
        return judged.getLast().state() != pinned.state();
    }

    boolean failsElsewhere(RuleSet ruleSet) {
        return elsewhere != null
                && elsewhere.judge(new StateModel(ruleSet)).getLast().rule().equals(pinned.rule());
    }

    /**
     * Checks the case without the measurement: the rule is entered only where that is committed.
     */
    boolean failsMissing(RuleSet ruleSet, String measure) {
        boolean holds = pinned.cases().stream()
                .anyMatch(pinnedCase ->
                        pinnedCase.of().equals(measure) && "holds".equals(pinnedCase.missing()));
        return named(base, ruleSet, measure) != holds;
    }

    private boolean fails(Played played, RuleSet ruleSet) {
        if (played.pinnedCase().holds() != null) {
            Judgement judged = played.replay().judge(new StateModel(ruleSet)).get(second(played));
            return !judged.rule().equals(pinned.rule()) || judged.state() != pinned.state();
        }
        if (played.pinnedCase().beyond() == null) {
            return false;
        }
        List<Judgement> judged = played.replay().judge(new StateModel(ruleSet));
        return judged.stream().anyMatch(each -> each.rule().equals(pinned.rule()))
                || !result(judged.getLast()).equals(played.pinnedCase().expect());
    }

    private boolean named(Replay replay, RuleSet ruleSet, @Nullable String hidden) {
        Judgement last = replay.judge(new StateModel(ruleSet), hidden).getLast();
        return last.rule().equals(pinned.rule()) && last.state() == pinned.state();
    }

    private static int second(Played played) {
        Integer at = played.pinnedCase().at();
        return at == null ? played.replay().seconds() - 1 : at;
    }

    static String result(Judgement judgement) {
        if (judgement.state() == ServiceState.NORMAL) {
            return "normal";
        }
        String beside = judgement.otherCauses().stream()
                .map(ServiceState::label)
                .collect(Collectors.joining(", "));
        return judgement.state().label() + " by " + judgement.rule()
                + (beside.isEmpty() ? "" : " beside " + beside);
    }

    static String ribbon(Replay replay, RuleSet ruleSet, @Nullable String hidden) {
        StringBuilder ribbon = new StringBuilder();
        String before = "";
        int second = 0;
        for (Judgement judged : replay.judge(new StateModel(ruleSet), hidden)) {
            String now = result(judged);
            if (!now.equals(before)) {
                ribbon.append(ribbon.isEmpty() ? "" : ", ")
                        .append(now)
                        .append(" from ")
                        .append(second);
            }
            before = now;
            second++;
        }
        return ribbon.toString();
    }
}
