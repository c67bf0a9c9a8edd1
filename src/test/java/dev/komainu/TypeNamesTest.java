package dev.komainu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
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

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Set<String> NOT_READ =
            Set.of(".git", "target", "node_modules", "dist", "data", "test");

    /** Names that may stand twice, each with its reason; at most five. */
    private static final Map<String, String> EXCEPTIONS = Map.of();

    @Test
    void topLevelTypesOfAllModules_haveDifferentSimpleNames() throws IOException {
        Map<String, Set<String>> places = new TreeMap<>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes facts) {
                return NOT_READ.contains(directory.getFileName().toString())
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes facts) {
                String name = file.getFileName().toString();
                if (name.endsWith(".java") && !name.equals("package-info.java")) {
                    places.computeIfAbsent(name.replace(".java", ""), simpleName -> new TreeSet<>())
                            .add(ROOT.relativize(file).toString());
                }
                return FileVisitResult.CONTINUE;
            }
        });
        assertThat(places).hasSizeGreaterThan(1_000);
        assertThat(EXCEPTIONS).hasSizeLessThanOrEqualTo(5);
        places.values().removeIf(files -> files.size() == 1);
        places.keySet().removeAll(EXCEPTIONS.keySet());
        assertThat(places).as("simple names that stand twice").isEmpty();
    }
}
