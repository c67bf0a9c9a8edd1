package dev.komainu.central.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.Replay;
import dev.komainu.central.indices.Scenario;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * No rule may change without a failing case: each condition is deleted, each threshold moved by
 * half, and each value for windows, persistence, kinds and the unknown is changed, one at a time
 * and in memory. The rule's committed cases must detect every change.
 */
class RuleGateTest {

    private static final Map<RuleChange.Kind, Integer> TRIED = new EnumMap<>(RuleChange.Kind.class);
    private static final List<RuleChange> SURVIVORS = new ArrayList<>();

    private final RuleSet ruleSet = RuleSet.load(new IndexCatalogue());

    @TestFactory
    Stream<DynamicTest> everyRule_isHeldByItsCases() throws IOException {
        Map<String, PinnedRule> pinned = PinnedRule.all().stream()
                .collect(Collectors.toMap(PinnedRule::rule, Function.identity()));
        return ruleSet.rules().stream()
                .map(rule -> DynamicTest.dynamicTest(rule.id(), () -> {
                    assertThat(pinned)
                            .as(
                                    "rules with cases; -Dstate.propose=%s proposes some (test/resources/rules)",
                                    rule.id())
                            .containsKey(rule.id());
                    check(rule, pinned.get(rule.id()));
                }));
    }

    private void check(Rule rule, PinnedRule pinned) {
        assertThat(pinned.mistakes(rule)).isEmpty();
        PlayedRule played = new PlayedRule(pinned);
        assertThat(played.failures(ruleSet, rule)).isEmpty();
        List<RuleChange> survivors = new ArrayList<>();
        for (RuleChange change : RuleChange.of(rule, ruleSet)) {
            TRIED.merge(change.kind(), 1, Integer::sum);
            if (!change.noticed(played, ruleSet)) {
                survivors.add(change);
            }
        }
        SURVIVORS.addAll(survivors);
        assertThat(survivors).as("changes that no case notices").isEmpty();
    }

    @TestFactory
    Stream<DynamicTest> everyFileOfCases_isOfARule() throws IOException {
        List<String> ids = ruleSet.rules().stream().map(Rule::id).toList();
        return PinnedRule.all().stream()
                .map(pinned -> DynamicTest.dynamicTest(
                        pinned.rule(), () -> assertThat(ids).contains(pinned.rule())));
    }

    /**
     * Memory is short from 20 to 34 s, fully in the window of five seconds from 24 on; a rule is
     * left 15 s after it last held.
     */
    @Test
    void leaving_aSecondEarlierOrLater_isNoticed() {
        Replay story = new Replay(new Scenario(
                "Memory is short for a quarter of a minute.",
                null,
                null,
                List.of(memory(20, "0.6"), memory(15, "0.02"), memory(30, "0.6")),
                List.of()));

        assertThat(PlayedRule.ribbon(story, ruleSet, null))
                .isEqualTo(
                        "normal from 0, saturated/memory by memory/available from 28, normal from 49");
        for (int need : List.of(ruleSet.leave().need() - 1, ruleSet.leave().need() + 1)) {
            RuleSet other = new RuleSet(
                    ruleSet.version(),
                    ruleSet.enter(),
                    new Rule.Persistence(need, ruleSet.leave().of()),
                    ruleSet.rules());
            assertThat(PlayedRule.ribbon(story, other, null))
                    .endsWith("normal from " + (49 + need - ruleSet.leave().need()));
        }
    }

    private static Scenario.Phase memory(int seconds, String available) {
        return new Scenario.Phase(
                seconds, Map.of("rps", "50"), Map.of("available", available), null, null);
    }

    /**
     * {@code -Dstate.propose=RULE} prints cases for a rule with a scenario, {@code all} for every
     * such rule; without it there is no test.
     */
    @TestFactory
    Stream<DynamicTest> propose() throws IOException {
        String wanted = System.getProperty("state.propose", "");
        return PinnedRule.all().stream()
                .filter(pinned -> wanted.equals("all") && pinned.cases().isEmpty()
                        || wanted.equals(pinned.rule()))
                .map(pinned -> DynamicTest.dynamicTest("proposal for " + pinned.rule(), () -> {
                    Rule rule = ruleSet.rules().stream()
                            .filter(each -> each.id().equals(pinned.rule()))
                            .findFirst()
                            .orElseThrow();
                    System.out.println("  - rule: " + pinned.rule());
                    System.out.println(new RuleProposal(ruleSet, rule, pinned).yaml());
                }));
    }

    @AfterAll
    static void printSummary() {
        System.out.println("rules: " + TRIED + ", survivors " + SURVIVORS.size());
    }
}
