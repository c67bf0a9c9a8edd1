package dev.komainu.proxy.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Attacks of a local user on the visitors' pages in the disk tier (review, finding 9). */
class DiskModesTest {

    @TempDir
    Path scratch;

    private static void set(Path path, String mode) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }

    private static List<String> modes(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            List<Path> paths = all.sorted().toList();
            Stream.Builder<String> modes = Stream.builder();
            for (Path path : paths) {
                modes.add(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)));
            }
            return modes.build().distinct().toList();
        }
    }

    private static void run(Path directory, String path) throws Exception {
        try (Shelf shelf = new Shelf(directory)) {
            shelf.put(path, "a".repeat(5000));
            shelf.evictAll();
        }
    }

    @Test
    void localUser_readsCacheSegments_isKeptOutAlsoOfThoseOfAnOlderVersion() throws Exception {
        Path directory = Files.createDirectory(scratch.resolve("cache"));
        set(directory, "rwxr-xr-x");
        run(directory, "/a");
        assertThat(modes(directory)).containsExactly("rwx------", "rw-------");

        set(directory, "rwxr-xr-x");
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                set(file, "rw-r--r--");
            }
        }
        run(directory, "/b");
        assertThat(modes(directory)).containsExactly("rwx------", "rw-------");
    }
}
