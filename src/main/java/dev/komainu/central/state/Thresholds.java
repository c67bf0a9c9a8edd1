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
 * The rule book as each service is judged by it: with the thresholds people set for that service in
 * place of the book's. One set is used from the next tick on. What was set for a rule or a
 * measurement the book has no more is kept and passed over. Any thread: readers see one immutable
 * picture, writers take turns.
 */
public final class Thresholds implements RulesByService {

    private final RuleSet book;
    private final IndexCatalogue catalogue;
    private final ThresholdTable table;
    private volatile Picture picture;

    private record Key(String service, String rule, String measure) {}

    private record Picture(Map<Key, ThresholdOverride> overrides, Map<String, List<Rule>> rules) {}

    public Thresholds(RuleSet book, IndexCatalogue catalogue, ThresholdTable table) {
        this.book = book;
        this.catalogue = catalogue;
        this.table = table;
        Map<Key, ThresholdOverride> kept = new HashMap<>();
        table.all().forEach(it -> kept.put(key(it), it));
        this.picture = picture(kept);
    }

    public RuleSet book() {
        return book;
    }

    @Override
    public List<Rule> of(String service) {
        return picture.rules().getOrDefault(service, book.rules());
    }

    /** What was set for this condition of a service's rule. */
    public Optional<ThresholdOverride> find(String service, String rule, String measure) {
        return Optional.ofNullable(picture.overrides().get(new Key(service, rule, measure)));
    }

    /** The condition as the book has it. */
    public Optional<Condition> condition(String rule, String measure) {
        return book.rules().stream()
                .filter(each -> each.id().equals(rule))
                .flatMap(each -> each.when().stream())
                .filter(each -> each.measure().equals(measure))
                .findFirst();
    }

    /** The highest a threshold of this measurement may be; the lowest is 0. */
    public double most(String measure) {
        return switch (catalogue.definition(measure).unit()) {
            case "share" -> 1;
            case "percent" -> 100;
            default -> 1e12;
        };
    }

    /** Sets one, in place of an earlier one; answers that. */
    public synchronized @Nullable ThresholdOverride set(ThresholdOverride it) {
        table.save(it);
        Map<Key, ThresholdOverride> next = new HashMap<>(picture.overrides());
        ThresholdOverride before = next.put(key(it), it);
        picture = picture(next);
        return before;
    }

    /** Goes back to the book's threshold; answers what was set, null when nothing was. */
    public synchronized @Nullable ThresholdOverride reset(
            String service, String rule, String measure) {
        Map<Key, ThresholdOverride> next = new HashMap<>(picture.overrides());
        ThresholdOverride before = next.remove(new Key(service, rule, measure));
        if (before != null) {
            table.delete(service, rule, measure);
            picture = picture(next);
        }
        return before;
    }

    private static Key key(ThresholdOverride it) {
        return new Key(it.service(), it.rule(), it.measure());
    }

    private Picture picture(Map<Key, ThresholdOverride> overrides) {
        Map<String, List<Rule>> rules = new HashMap<>();
        for (ThresholdOverride each : overrides.values()) {
            rules.computeIfAbsent(each.service(), service -> rules(service, overrides));
        }
        return new Picture(Map.copyOf(overrides), Map.copyOf(rules));
    }

    private List<Rule> rules(String service, Map<Key, ThresholdOverride> overrides) {
        List<Rule> own = new ArrayList<>();
        for (Rule rule : book.rules()) {
            List<Condition> conditions = rule.when().stream()
                    .map(condition -> {
                        ThresholdOverride set =
                                overrides.get(new Key(service, rule.id(), condition.measure()));
                        return set == null
                                ? condition
                                : condition.against(set.value(), set.source());
                    })
                    .toList();
            own.add(conditions.equals(rule.when()) ? rule : rule.with(conditions));
        }
        return List.copyOf(own);
    }
}
