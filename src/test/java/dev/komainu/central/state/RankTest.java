package dev.komainu.central.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.Replay;
import dev.komainu.central.indices.YamlResource;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Of two rules that hold together the first cause is named. With exchanged ranks it would be the
 * other, unless the causal order relates them: then the exchanged ranks are refused.
 */
class RankTest {

    private final RuleSet ruleSet = RuleSet.load(new IndexCatalogue());

    record Sheet(List<Pair> pairs) {}

    /**
     * A pair of rules that hold together.
     *
     * @param first names the state; its scenario is played
     * @param other also holds
     * @param with changed values, so that the other holds
     */
    record Pair(String first, String other, Map<String, String> with) {}

    @TestFactory
    Stream<DynamicTest> everyPair_namesTheFirstCause() throws IOException {
        List<PinnedRule> pinned = PinnedRule.all();
        return YamlResource.read("/ranks.yaml", Sheet.class).pairs().stream()
                .map(pair ->
                        DynamicTest.dynamicTest(pair.first() + " before " + pair.other(), () -> {
                            PinnedRule story = pinned.stream()
                                    .filter(each -> each.rule().equals(pair.first()))
                                    .findFirst()
                                    .orElseThrow();
                            Replay replay = new Replay(story.story(pair.with()));
                            assertThat(named(replay, ruleSet)).isEqualTo(pair.first());
                            if (CausalOrder.standard()
                                    .isAbove(rule(pair.first()), rule(pair.other()))) {
                                assertThat(exchanged(pair).mistakes(new IndexCatalogue()))
                                        .as("with ranks exchanged")
                                        .anySatisfy(mistake -> assertThat(mistake)
                                                .contains(pair.first() + ": rank"));
                            } else {
                                assertThat(named(replay, exchanged(pair)))
                                        .as("with ranks exchanged")
                                        .isEqualTo(pair.other());
                            }
                        }));
    }

    private static String named(Replay replay, RuleSet ruleSet) {
        return replay.judge(new StateModel(ruleSet)).getLast().rule();
    }

    private RuleSet exchanged(Pair pair) {
        int first = rule(pair.first()).rank();
        int other = rule(pair.other()).rank();
        List<Rule> rules = ruleSet.rules().stream()
                .map(rule -> rule.id().equals(pair.first())
                        ? ranked(rule, other)
                        : rule.id().equals(pair.other()) ? ranked(rule, first) : rule)
                .toList();
        return new RuleSet(ruleSet.version(), ruleSet.enter(), ruleSet.leave(), rules);
    }

    private Rule rule(String id) {
        return ruleSet.rules().stream()
                .filter(rule -> rule.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    private static Rule ranked(Rule rule, int rank) {
        return new Rule(
                rule.id(),
                rule.state(),
                rank,
                rule.cause(),
                rule.kinds(),
                rule.when(),
                rule.enter());
    }
}
