package dev.komainu.central.indices;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** The indices by name, in the order of the catalogue file. Immutable. */
@Component
public final class IndexCatalogue {

    private static final String RESOURCE = "/indices/catalogue.yaml";

    private final Map<String, IndexDefinition> byName = new LinkedHashMap<>();

    /**
     * Reads the catalogue file.
     *
     * @throws IllegalStateException with all mistakes of the file
     */
    public IndexCatalogue() {
        List<String> mistakes = new ArrayList<>();
        for (IndexDefinition index : YamlResource.read(RESOURCE, File.class).indices()) {
            if (byName.put(index.name(), index) != null) {
                mistakes.add(index.name() + ": defined twice");
            }
            if (!Formulas.isDefined(index.name())) {
                mistakes.add(index.name() + ": no formula (expected: a formula in Formulas)");
            }
        }
        for (String formula : Formulas.names()) {
            if (!byName.containsKey(formula)) {
                mistakes.add(formula + ": computed but not defined (expected: an entry in "
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

    public boolean contains(String name) {
        return byName.containsKey(name);
    }

    /** Returns the definition of an index; null when no index has this name. */
    public @Nullable IndexDefinition find(String name) {
        return byName.get(name);
    }

    /**
     * Returns the definition of an index.
     *
     * @throws IllegalArgumentException when no index has this name
     */
    public IndexDefinition definition(String name) {
        IndexDefinition found = byName.get(name);
        if (found == null) {
            throw new IllegalArgumentException(
                    "index: " + name + " (expected: a name from the index catalogue)");
        }
        return found;
    }

    record File(List<IndexDefinition> indices) {}
}
