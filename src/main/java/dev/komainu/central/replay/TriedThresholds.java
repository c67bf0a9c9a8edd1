package dev.komainu.central.replay;

import dev.komainu.central.indices.Condition;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.YamlResource;
import dev.komainu.central.state.Rule;
import dev.komainu.central.state.RuleSet;
import dev.komainu.central.state.RulesByService;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Thresholds to try in a replay, from a file.
 *
 * <pre>
 * thresholds:
 *   - { rule: cpu/busy, measure: hostCpuIdleShare, than: 0.15 }
 *   - { service: "web-01:80", rule: processes/all-busy, measure: workersBusyShare, than: 0.9 }
 * </pre>
 *
 * @param thresholds each for one service, or without a service for all
 */
record TriedThresholds(List<Tried> thresholds) {

    /**
     * A threshold.
     *
     * @param service canonical id; absent: every service
     */
    record Tried(@Nullable String service, String rule, String measure, double than) {}

    /**
     * Reads a file.
     *
     * @throws IOException naming the file and its mistakes
     */
    static RulesByService read(Path file, RuleSet ruleSet, IndexCatalogue catalogue)
            throws IOException {
        List<Tried> tried = YamlResource.readFile(file, TriedThresholds.class).thresholds();
        List<String> mistakes = new ArrayList<>();
        for (Tried each : tried) {
            boolean known = ruleSet.rules().stream()
                    .filter(rule -> rule.id().equals(each.rule()))
                    .flatMap(rule -> rule.when().stream())
                    .anyMatch(condition -> condition.measure().equals(each.measure()));
            if (!known) {
                mistakes.add(each.rule() + " " + each.measure()
                        + " (expected: a rule and one of its measurements)");
            } else if (catalogue.definition(each.measure()).unit().equals("share")
                    && !(each.than() >= 0 && each.than() <= 1)) {
                mistakes.add(each.rule() + " " + each.measure() + ": " + each.than()
                        + " (expected: a share, 0 to 1)");
            }
        }
        if (!mistakes.isEmpty()) {
            throw new IOException(file + ": " + String.join("; ", mistakes));
        }
        return rules(tried, ruleSet);
    }

    private static RulesByService rules(List<Tried> tried, RuleSet ruleSet) {
        Set<String> named = new HashSet<>();
        tried.forEach(each -> {
            if (each.service() != null) {
                named.add(each.service());
            }
        });
        List<Rule> all = rules(tried, null, ruleSet);
        Map<String, List<Rule>> own = new HashMap<>();
        named.forEach(service -> own.put(service, rules(tried, service, ruleSet)));
        return service -> own.getOrDefault(service, all);
    }

    private static List<Rule> rules(List<Tried> tried, @Nullable String service, RuleSet ruleSet) {
        return ruleSet.rules().stream()
                .map(rule -> rule.with(rule.when().stream()
                        .map(condition -> changed(rule, condition, tried, service))
                        .toList()))
                .toList();
    }

    /**
     * Returns the condition with the last threshold that applies; one of the service comes last.
     */
    private static Condition changed(
            Rule rule, Condition condition, List<Tried> tried, @Nullable String service) {
        Condition result = condition;
        boolean isOwn = false;
        for (Tried each : tried) {
            boolean about =
                    each.rule().equals(rule.id()) && each.measure().equals(condition.measure());
            String of = each.service();
            if (about && (of == null ? !isOwn : of.equals(service))) {
                result = condition.against(each.than(), "tried");
                isOwn = of != null;
            }
        }
        return result;
    }
}
