package dev.komainu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** The Java files of the main code of all modules, without package-info. */
final class MainSources {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Set<String> NOT_READ =
            Set.of(".git", "target", "node_modules", "dist", "data", "test");

    private MainSources() {}

    static List<Path> files() throws IOException {
        List<Path> all = new ArrayList<>();
        walk(NOT_READ, file -> {
            String name = file.getFileName().toString();
            if (name.endsWith(".java") && !name.equals("package-info.java")) {
                all.add(file);
            }
        });
        assertThat(all).hasSizeGreaterThan(1_000);
        return all;
    }

    /**
     * Passes all files of the project on.
     *
     * @param notRead names of directories that are left out
     */
    static void walk(Set<String> notRead, Consumer<Path> each) throws IOException {
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes facts) {
                return notRead.contains(directory.getFileName().toString())
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes facts) {
                each.accept(file);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    /** Returns a file's path below the root of the project. */
    static String name(Path file) {
        return ROOT.relativize(file).toString();
    }
}
