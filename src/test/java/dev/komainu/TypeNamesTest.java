package dev.komainu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * A simple name stands for one top-level type in the main code of all modules, so that a search for
 * a name finds one thing.
 */
class TypeNamesTest {

    /** Names that may stand twice, each with its reason; at most five. */
    private static final Map<String, String> EXCEPTIONS = Map.of();

    @Test
    void topLevelTypesOfAllModules_haveDifferentSimpleNames() throws IOException {
        Map<String, Set<String>> places = new TreeMap<>();
        for (Path file : MainSources.files()) {
            places.computeIfAbsent(
                            file.getFileName().toString().replace(".java", ""),
                            simpleName -> new TreeSet<>())
                    .add(MainSources.name(file));
        }
        assertThat(places).hasSizeGreaterThan(1_000);
        assertThat(EXCEPTIONS).hasSizeLessThanOrEqualTo(5);
        places.values().removeIf(files -> files.size() == 1);
        places.keySet().removeAll(EXCEPTIONS.keySet());
        assertThat(places).as("simple names that stand twice").isEmpty();
    }
}
