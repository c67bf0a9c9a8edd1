package dev.komainu.central.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.indices.Condition;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.YamlResource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Tests of the causal order: what it says, and which mistakes of the file are refused. */
class CausalOrderTest {

    private final IndexCatalogue catalogue = new IndexCatalogue();
    private final RuleSet ruleSet = RuleSet.load(catalogue);
    private final CausalOrder.File file =
            YamlResource.read("/state/causes.yaml", CausalOrder.File.class);

    /** The chains that issue 24 names. */
    @Test
    void order_isWhatFillsWhat() {
        CausalOrder order = CausalOrder.standard();
        for (String above : List.of(
                "frozen",
                "memory",
                "disk",
                "cpu-quota",
                "cpu-others",
                "cpu-own",
                "one-core",
                "runtime",
                "upstream",
                "link",
                "clients")) {
            assertThat(order.isAbove(above, "workers")).as(above).isTrue();
            assertThat(order.isAbove(above, "accept-queue")).as(above).isTrue();
            assertThat(order.isAbove(above, "unexplained")).as(above).isTrue();
        }
        assertThat(order.isAbove("link", "clients")).isTrue();
        assertThat(order.isAbove("accept-queue", "workers")).isFalse();
        assertThat(order.isAbove("cpu-own", "disk")).isFalse();
    }

    @Test
    void eachCauseAboveAnother_canBeSuspectedAndRuledOut() {
        assertThat(file.causes())
                .filteredOn(cause -> CausalOrder.standard().causes().stream()
                        .anyMatch(other -> CausalOrder.standard().isAbove(cause.id(), other.id())
                                && !other.id().equals("unexplained")))
                .allSatisfy(cause -> {
                    assertThat(cause.ruledOut()).as(cause.id()).isNotEmpty();
                    assertThat(cause.unseen().ja()).as(cause.id()).isNotBlank();
                    assertThat(cause.command()).as(cause.id()).contains("./komainu");
                });
    }

    @Test
    void file_hasNoMistakes() {
        assertThat(CausalOrder.mistakes(file, catalogue, ruleSet)).isEmpty();
    }

    @Test
    void circle_isRefusedWithItsPosition() {
        assertThat(mistakes("workers", cause -> filling(cause, List.of("disk"))))
                .anyMatch(
                        mistake -> mistake.matches(
                                "causes\\[\\d+] workers: fills itself through \\[disk].*without a circle.*"));
    }

    @Test
    void unknownCause_isRefused() {
        assertThat(mistakes("disk", cause -> filling(cause, List.of("workers", "wrokers"))))
                .singleElement()
                .asString()
                .startsWith("causes[")
                .contains("disk: fills: wrokers (expected: the id of a cause)");
    }

    @Test
    void unknownMeasure_isRefused() {
        Condition wrong =
                new Condition("hostDiskWorry", null, Condition.Comparison.BELOW, 1, "own", null);
        assertThat(mistakes("disk", cause -> with(cause, cause.rules(), List.of(List.of(wrong)))))
                .singleElement()
                .asString()
                .contains("disk: ruledOut: hostDiskWorry (expected: the name of an index)");
    }

    @Test
    void causeWithoutExclusion_isRefused() {
        assertThat(mistakes("disk", cause -> with(cause, cause.rules(), List.of())))
                .singleElement()
                .asString()
                .contains("disk: ruledOut is empty");
    }

    @Test
    void ruleWithoutCause_isRefused() {
        List<String> fewer = new ArrayList<>(cause("disk").rules());
        fewer.remove("disk/waits");
        assertThat(mistakes("disk", cause -> with(cause, fewer, cause.ruledOut())))
                .contains("disk/waits: no cause (expected: one cause that lists this rule)");
    }

    @Test
    void ruleOfTwoCauses_isRefused() {
        List<String> more = new ArrayList<>(cause("disk").rules());
        more.add("memory/faults");
        assertThat(mistakes("disk", cause -> with(cause, more, cause.ruledOut())))
                .anyMatch(mistake -> mistake.contains(
                        "disk: rules: memory/faults (expected: one cause; memory has it too)"));
    }

    @Test
    void unknownRule_isRefused() {
        List<String> more = new ArrayList<>(cause("disk").rules());
        more.add("disk/wears");
        assertThat(mistakes("disk", cause -> with(cause, more, cause.ruledOut())))
                .singleElement()
                .asString()
                .contains("disk: rules: disk/wears (expected: the id of a rule)");
    }

    /** A symptom that outranks its cause would be named first. */
    @Test
    void rankAgainstTheOrder_isRefused() {
        List<Rule> rules = ruleSet.rules().stream()
                .map(rule -> rule.id().equals("disk/waits")
                        ? new Rule(
                                rule.id(),
                                rule.state(),
                                50,
                                rule.cause(),
                                rule.kinds(),
                                rule.when(),
                                rule.enter())
                        : rule)
                .toList();
        RuleSet changed = new RuleSet(ruleSet.version(), ruleSet.enter(), ruleSet.leave(), rules);
        assertThat(changed.mistakes(catalogue))
                .anyMatch(
                        mistake -> mistake.contains("disk/waits: rank: 50 (expected: above 66, the"
                                + " rank of processes/all-busy, which its cause fills)"));
    }

    private Cause cause(String id) {
        return file.causes().stream()
                .filter(cause -> cause.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    private List<String> mistakes(String id, UnaryOperator<Cause> change) {
        List<Cause> causes = file.causes().stream()
                .map(cause -> cause.id().equals(id) ? change.apply(cause) : cause)
                .toList();
        return CausalOrder.mistakes(
                new CausalOrder.File(file.naming(), file.recovery(), causes), catalogue, ruleSet);
    }

    private static Cause filling(Cause cause, List<String> fills) {
        return new Cause(
                cause.id(),
                cause.title(),
                fills,
                cause.rules(),
                cause.suspected(),
                cause.ruledOut(),
                cause.unseen(),
                cause.command());
    }

    private static Cause with(Cause cause, List<String> rules, List<List<Condition>> ruledOut) {
        return new Cause(
                cause.id(),
                cause.title(),
                cause.fills(),
                rules,
                cause.suspected(),
                ruledOut,
                cause.unseen(),
                cause.command());
    }
}
