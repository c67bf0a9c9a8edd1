package dev.komainu.central.state;

import dev.komainu.central.indices.Condition;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.YamlResource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * All rules, and how long they must hold.
 *
 * @param version version of the rule set, stored with each transition
 * @param enter seconds a rule must hold before its state is entered
 * @param leave seconds it must not hold before its state is left
 * @param rules in the file's order
 */
public record RuleSet(
        String version, Rule.Persistence enter, Rule.Persistence leave, List<Rule> rules)
        implements RulesByService {

    @Override
    public List<Rule> of(String service) {
        return rules;
    }

    /** Returns the persistence with which a rule is entered. */
    Rule.Persistence entering(Rule rule) {
        return rule.enter() == null ? enter : rule.enter();
    }

    private static final String RESOURCE = "/state/rules.yaml";

    /**
     * Loads the rule file.
     *
     * @throws IllegalStateException with all mistakes of the file
     */
    public static RuleSet load(IndexCatalogue catalogue) {
        RuleSet ruleSet = YamlResource.read(RESOURCE, RuleSet.class);
        List<String> mistakes = ruleSet.mistakes(catalogue);
        if (!mistakes.isEmpty()) {
            throw new IllegalStateException(RESOURCE + ": " + String.join("; ", mistakes));
        }
        return ruleSet;
    }

    List<String> mistakes(IndexCatalogue catalogue) {
        List<String> mistakes = new ArrayList<>();
        enter.check("enter", mistakes);
        leave.check("leave", mistakes);
        Set<String> ids = new HashSet<>();
        for (Rule rule : rules) {
            if (!ids.add(rule.id())) {
                mistakes.add(rule.id() + ": defined twice");
            }
            if (rule.rank() < 0 || rule.rank() > 100) {
                mistakes.add(rule.id() + ": rank: " + rule.rank() + " (expected: 0 to 100)");
            }
            if (rule.when().stream().allMatch(Condition::passesUnknown)) {
                mistakes.add(
                        rule.id()
                                + ": every condition passes on unknown values (expected: one that requires a value)");
            }
            if (rule.enter() != null) {
                rule.enter().check(rule.id(), mistakes);
            }
            if (rule.when().stream().map(Condition::measure).distinct().count()
                    < rule.when().size()) {
                mistakes.add(rule.id() + ": a measurement occurs twice (expected: once)");
            }
            rule.when().forEach(condition -> condition.check(rule.id(), catalogue, mistakes));
        }
        mistakes.addAll(CausalOrder.mistakes(catalogue, this));
        return mistakes;
    }
}
