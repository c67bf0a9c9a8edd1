package dev.komainu.central.state;

import dev.komainu.central.indices.Condition;
import dev.komainu.central.indices.Replay;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A rule's cases, played once and judged by any rule book. */
final class PlayedRule {

    /** A value committed is what the story gives to within so much. */
    private static final double EXACT = 0.005;

    private final PinnedRule pinned;
    private final Replay base;
    private final @Nullable Replay elsewhere;
    private final List<Played> cases = new ArrayList<>();

    private record Played(PinnedRule.Case told, Replay replay) {}

    PlayedRule(PinnedRule pinned) {
        this.pinned = pinned;
        base = new Replay(pinned.story(Map.of()));
        elsewhere = pinned.otherKind() == null
                ? null
                : new Replay(pinned.story(Map.of("kind", pinned.otherKind())));
        for (PinnedRule.Case told : pinned.cases()) {
            cases.add(new Played(
                    told, told.with() == null ? base : new Replay(pinned.story(told.with()))));
        }
    }

    /** What the cases say otherwise than committed, of the rule as the book has it. */
    List<String> failures(RuleSet book, Rule rule) {
        List<String> failures = new ArrayList<>();
        for (Condition condition : rule.when()) {
            failures.addAll(failures(book, condition));
        }
        if (failsBase(book)) {
            failures.add(pinned.rule() + ": " + pinned.state().label() + " from " + pinned.entered()
                    + " s, but " + ribbon(base, book, null));
        }
        if (failsElsewhere(book)) {
            failures.add(pinned.rule() + ": named of " + pinned.otherKind());
        }
        return failures;
    }

    /** What one condition's cases say otherwise than committed: their values, and what is named. */
    private List<String> failures(RuleSet book, Condition condition) {
        List<String> failures = new ArrayList<>();
        for (Played played : cases) {
            PinnedRule.Case told = played.told();
            if (!told.of().equals(condition.measure())) {
                continue;
            }
            Double value = told.holds() != null ? told.holds() : told.beyond();
            double seen = played.replay()
                    .view(second(played), null)
                    .now(condition.measure(), condition.seconds());
            if (value != null && !(Math.abs(seen - value) <= Math.abs(value) * EXACT)) {
                failures.add(String.format(
                        Locale.ROOT, "%s, %s: the story gives %.4g", pinned.rule(), told, seen));
            }
            if (value != null && condition.compares(value) != (told.holds() != null)) {
                failures.add(
                        pinned.rule() + ", " + told + ": on the wrong side of " + condition.than());
            }
            if (fails(played, book)) {
                failures.add(
                        pinned.rule() + ", " + told + ": " + ribbon(played.replay(), book, null));
            }
        }
        if (failsMissing(book, condition.measure())) {
            failures.add(pinned.rule() + ", " + condition.measure() + " missing: "
                    + ribbon(base, book, condition.measure()));
        }
        return failures;
    }

    /** Whether some case of this condition shows that the book is another. */
    boolean notices(RuleSet changed, String measure) {
        return cases.stream()
                .anyMatch(played -> played.told().of().equals(measure) && fails(played, changed));
    }

    boolean failsBase(RuleSet book) {
        List<Judgement> judged = base.judge(new StateModel(book));
        for (int second = 0; second < judged.size(); second++) {
            if (judged.get(second).rule().equals(pinned.rule()) != (second >= pinned.entered())) {
                return true;
            }
        }
        return judged.getLast().state() != pinned.state();
    }

    boolean failsElsewhere(RuleSet book) {
        return elsewhere != null
                && elsewhere.judge(new StateModel(book)).getLast().rule().equals(pinned.rule());
    }

    /** Nothing collects the measurement: it is entered where that is committed, else it is not. */
    boolean failsMissing(RuleSet book, String measure) {
        boolean holds = pinned.cases().stream()
                .anyMatch(told -> told.of().equals(measure) && "holds".equals(told.missing()));
        return named(base, book, measure) != holds;
    }

    private boolean fails(Played played, RuleSet book) {
        if (played.told().holds() != null) {
            Judgement judged = played.replay().judge(new StateModel(book)).get(second(played));
            return !judged.rule().equals(pinned.rule()) || judged.state() != pinned.state();
        }
        if (played.told().beyond() == null) {
            return false;
        }
        List<Judgement> judged = played.replay().judge(new StateModel(book));
        return judged.stream().anyMatch(each -> each.rule().equals(pinned.rule()))
                || !said(judged.getLast()).equals(played.told().expect());
    }

    private boolean named(Replay replay, RuleSet book, @Nullable String hidden) {
        Judgement last = replay.judge(new StateModel(book), hidden).getLast();
        return last.rule().equals(pinned.rule()) && last.state() == pinned.state();
    }

    private static int second(Played played) {
        Integer at = played.told().at();
        return at == null ? played.replay().seconds() - 1 : at;
    }

    static String said(Judgement judgement) {
        if (judgement.state() == ServiceState.NORMAL) {
            return "normal";
        }
        String beside = judgement.otherCauses().stream()
                .map(ServiceState::label)
                .collect(Collectors.joining(", "));
        return judgement.state().label() + " by " + judgement.rule()
                + (beside.isEmpty() ? "" : " beside " + beside);
    }

    static String ribbon(Replay replay, RuleSet book, @Nullable String hidden) {
        StringBuilder ribbon = new StringBuilder();
        String before = "";
        int second = 0;
        for (Judgement judged : replay.judge(new StateModel(book), hidden)) {
            String now = said(judged);
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
