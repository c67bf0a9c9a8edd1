package dev.komainu.central.indices;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Every index by name, in the order of the catalogue file. Immutable. */
@Component
public final class IndexCatalogue {

    private static final String RESOURCE = "/indices/catalogue.yaml";

    private final Map<String, IndexDefinition> byName = new LinkedHashMap<>();

    /** @throws IllegalStateException naming every mistake of the file at once */
    public IndexCatalogue() {
        List<String> mistakes = new ArrayList<>();
        for (IndexDefinition index : YamlResource.read(RESOURCE, File.class).indices()) {
            if (byName.put(index.name(), index) != null) {
                mistakes.add(index.name() + ": defined twice");
            }
            if (!Formulas.knows(index.name())) {
                mistakes.add(
                        index.name() + ": nothing computes it (expected: a formula in Formulas)");
            }
        }
        for (String formula : Formulas.names()) {
            if (!byName.containsKey(formula)) {
                mistakes.add(formula + ": computed but not explained (expected: an entry in "
                        + RESOURCE + ")");
            }
        }
        if (!mistakes.isEmpty()) {
            throw new IllegalStateException(RESOURCE + ": " + String.join("; ", mistakes));
        }
    }

    public List<IndexDefinition> all() {
        return List.copyOf(byName.values());
    }

    public boolean knows(String name) {
        return byName.containsKey(name);
    }

    public @Nullable IndexDefinition find(String name) {
        return byName.get(name);
    }

    /** @throws IllegalArgumentException when no index has this name */
    public IndexDefinition definition(String name) {
        IndexDefinition found = byName.get(name);
        if (found == null) {
            throw new IllegalArgumentException(
                    "index: " + name + " (expected: a name from the catalogue of indices)");
        }
        return found;
    }

    record File(List<IndexDefinition> indices) {}
}
