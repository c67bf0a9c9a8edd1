package dev.komainu.central.advice;

import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.MeasurementView;
import dev.komainu.central.indices.YamlResource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** All advice, by kind of server; {@code linux} goes for every server whose host is known. Immutable. */
public final class AdviceBook {

    /** Kinds with a file of their own in {@code advice/}. */
    static final List<String> KINDS = List.of("apache", "nginx", "komainu", "linux");

    private final Map<String, List<AdviceItem>> byKind = new LinkedHashMap<>();

    /** @throws IllegalStateException naming every mistake of every file at once */
    public AdviceBook(IndexCatalogue catalogue) {
        List<String> mistakes = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        for (String kind : KINDS) {
            List<AdviceItem> items =
                    YamlResource.read("/advice/" + kind + ".yaml", Page.class).items();
            for (AdviceItem item : items) {
                if (!seen.add(item.id())) {
                    mistakes.add(item.id() + ": defined twice");
                }
                check(item, catalogue, mistakes);
            }
            byKind.put(kind, items);
        }
        if (!mistakes.isEmpty()) {
            throw new IllegalStateException("advice: " + String.join("; ", mistakes));
        }
    }

    /** Every leaf some advice hangs on. */
    public Set<String> leaves() {
        Set<String> leaves = new HashSet<>();
        byKind.values().forEach(items -> items.forEach(item -> leaves.addAll(item.leaves())));
        return leaves;
    }

    /** Advice for the leaves reached, in the order of the leaves and then of the book; what is satisfied is left out. */
    public List<Advice> advise(ServiceProfile service, List<String> leaves, MeasurementView view) {
        List<AdviceItem> items = new ArrayList<>(byKind.getOrDefault(service.kind(), List.of()));
        if (service.node() != null) {
            items.addAll(byKind.getOrDefault("linux", List.of()));
        }
        List<Advice> advice = new ArrayList<>();
        Set<String> given = new HashSet<>();
        for (String leaf : leaves) {
            for (AdviceItem item : items) {
                if (item.leaves().contains(leaf) && !given.contains(item.id())) {
                    Advice derived = new Derivation(service, view, item, leaf).advice();
                    if (derived != null) {
                        given.add(item.id());
                        advice.add(derived);
                    }
                }
            }
        }
        return advice;
    }

    private static void check(AdviceItem item, IndexCatalogue catalogue, List<String> mistakes) {
        if (item.when() != null) {
            item.when().forEach(condition -> condition.check(item.id(), catalogue, mistakes));
        }
        if (item.unless() != null) {
            for (String pair : item.unless()) {
                if (pair.indexOf('=') < 1) {
                    mistakes.add(item.id() + ": unless " + pair + " (expected: NAME=VALUE)");
                }
            }
        }
        try {
            for (String name : Arithmetic.namesIn(item.proposed())) {
                if (!name.startsWith("$") && !name.equals("current") && !catalogue.knows(name)) {
                    mistakes.add(item.id() + ": " + name + " (expected: an index, $SETTING or current)");
                }
            }
        } catch (IllegalArgumentException e) {
            mistakes.add(item.id() + ": " + e.getMessage());
        }
        Set<Advice.Kind> kinds = new HashSet<>();
        item.steps().forEach(step -> kinds.add(step.kind()));
        if (!kinds.contains(Advice.Kind.PERSISTENT)
                || !kinds.contains(Advice.Kind.ROLLBACK)
                || !kinds.contains(Advice.Kind.VERIFY)) {
            mistakes.add(item.id() + ": steps " + kinds + " (expected: at least persistent, verify and rollback)");
        }
    }

    record Page(List<AdviceItem> items) {}
}
