package dev.komainu.telemetry.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("the mask belongs to the whole process")
final class ProcessUmaskTest {

    @Test
    void ownerOnly_filesOfLibrariesAreOfMode600(@TempDir Path directory) throws Exception {
        int before = ProcessUmask.set(022);
        try {
            assertThat(mode(Files.createFile(directory.resolve("shared")))).isEqualTo("rw-r--r--");
            assertThat(ProcessUmask.set(ProcessUmask.OWNER_ONLY)).isEqualTo(022);
            assertThat(mode(Files.createFile(directory.resolve("own")))).isEqualTo("rw-------");
        } finally {
            ProcessUmask.set(before);
        }
    }

    private static String mode(Path file) throws Exception {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }
}
