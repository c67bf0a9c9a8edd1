package dev.komainu.central.state;

import dev.komainu.central.indices.Condition;
import dev.komainu.central.indices.IndexCatalogue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The rules of each service: the rule set with the thresholds that users set for the service. A new
 * threshold applies from the next tick. Thresholds for a rule or measurement that the rule set no
 * longer contains are kept but not used. Any thread: readers see one immutable snapshot, writers
 * are serialized.
 */
public final class Thresholds implements RulesByService {

    private final RuleSet ruleSet;
    private final IndexCatalogue catalogue;
    private final ThresholdTable table;
    private volatile Snapshot snapshot;

    private record Key(String service, String rule, String measure) {}

    private record Snapshot(Map<Key, ThresholdOverride> overrides, Map<String, List<Rule>> rules) {}

    public Thresholds(RuleSet ruleSet, IndexCatalogue catalogue, ThresholdTable table) {
        this.ruleSet = ruleSet;
        this.catalogue = catalogue;
        this.table = table;
        Map<Key, ThresholdOverride> kept = new HashMap<>();
        table.all().forEach(override -> kept.put(key(override), override));
        this.snapshot = snapshot(kept);
    }

    public RuleSet ruleSet() {
        return ruleSet;
    }

    @Override
    public List<Rule> of(String service) {
        return snapshot.rules().getOrDefault(service, ruleSet.rules());
    }

    /** Returns the threshold set for this condition of a service's rule. */
    public Optional<ThresholdOverride> find(String service, String rule, String measure) {
        return Optional.ofNullable(snapshot.overrides().get(new Key(service, rule, measure)));
    }

    /** Returns the condition of the rule set. */
    public Optional<Condition> condition(String rule, String measure) {
        return ruleSet.rules().stream()
                .filter(candidate -> candidate.id().equals(rule))
                .flatMap(candidate -> candidate.when().stream())
                .filter(condition -> condition.measure().equals(measure))
                .findFirst();
    }

    /** Returns the highest allowed threshold of this measurement; the lowest is 0. */
    public double most(String measure) {
        return switch (catalogue.definition(measure).unit()) {
            case "share" -> 1;
            case "percent" -> 100;
            default -> 1e12;
        };
    }

    /**
     * Sets a threshold.
     *
     * @return the replaced threshold; null when there was none
     */
    public synchronized @Nullable ThresholdOverride set(ThresholdOverride override) {
        table.save(override);
        Map<Key, ThresholdOverride> next = new HashMap<>(snapshot.overrides());
        ThresholdOverride before = next.put(key(override), override);
        snapshot = snapshot(next);
        return before;
    }

    /**
     * Restores the threshold of the rule set.
     *
     * @return the removed threshold; null when none was set
     */
    public synchronized @Nullable ThresholdOverride reset(
            String service, String rule, String measure) {
        Map<Key, ThresholdOverride> next = new HashMap<>(snapshot.overrides());
        ThresholdOverride before = next.remove(new Key(service, rule, measure));
        if (before != null) {
            table.delete(service, rule, measure);
            snapshot = snapshot(next);
        }
        return before;
    }

    private static Key key(ThresholdOverride override) {
        return new Key(override.service(), override.rule(), override.measure());
    }

    private Snapshot snapshot(Map<Key, ThresholdOverride> overrides) {
        Map<String, List<Rule>> rules = new HashMap<>();
        for (ThresholdOverride override : overrides.values()) {
            rules.computeIfAbsent(override.service(), service -> rules(service, overrides));
        }
        return new Snapshot(Map.copyOf(overrides), Map.copyOf(rules));
    }

    private List<Rule> rules(String service, Map<Key, ThresholdOverride> overrides) {
        List<Rule> result = new ArrayList<>();
        for (Rule rule : ruleSet.rules()) {
            List<Condition> conditions = rule.when().stream()
                    .map(condition -> {
                        ThresholdOverride set =
                                overrides.get(new Key(service, rule.id(), condition.measure()));
                        return set == null
                                ? condition
                                : condition.against(set.value(), set.source());
                    })
                    .toList();
            result.add(conditions.equals(rule.when()) ? rule : rule.with(conditions));
        }
        return List.copyOf(result);
    }
}
