package dev.komainu.telemetry.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.telemetry.kit.Capability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Attacks of a local user on what a program keeps on disk (review, finding 9). */
class PrivateFilesTest {

    @TempDir
    Path scratch;

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    private static Path wide(Path path, String mode) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
        return path;
    }

    @Test
    void localUser_readsFreshDirectory_isKeptOutOfItAndItsNewParents() throws IOException {
        PrivateFiles.directory(scratch.resolve("a/b"));
        assertThat(mode(scratch.resolve("a/b"))).isEqualTo("rwx------");
        assertThat(mode(scratch.resolve("a"))).isEqualTo("rwx------");
    }

    @Test
    void localUser_readsDirectoryOfAnOlderVersion_isKeptOutAndForeignFilesStay()
            throws IOException {
        Path directory = wide(Files.createDirectory(scratch.resolve("old")), "rwxr-xr-x");
        Path own = wide(Files.createFile(directory.resolve("1.seg")), "rw-r--r--");
        Path other = wide(Files.createFile(directory.resolve("notes")), "rw-r--r--");
        Path outside = wide(Files.createFile(scratch.resolve("outside")), "rw-r--r--");
        Files.createSymbolicLink(directory.resolve("2.seg"), outside);
        PrivateFiles.directory(directory, "*.seg");
        assertThat(mode(directory)).isEqualTo("rwx------");
        assertThat(mode(own)).isEqualTo("rw-------");
        assertThat(mode(other)).isEqualTo("rw-r--r--");
        assertThat(mode(outside)).isEqualTo("rw-r--r--");
    }

    @Test
    void localUser_offersDirectoryOfTheirOwn_isRefused() throws IOException {
        Capability.need("another owner", Capability.SETUID);
        Path directory = Files.createDirectory(scratch.resolve("theirs"));
        Files.setAttribute(directory, "unix:uid", 65_534);
        assertThatThrownBy(() -> PrivateFiles.directory(directory))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("belongs to the user")
                .hasMessageContaining("chown -R");
    }

    @Test
    void operator_namesDirectoryOfSeveralUsers_isRefusedAndTheDirectoryStaysOpen()
            throws IOException {
        Path sticky = Files.createDirectory(scratch.resolve("sticky"));
        Files.setAttribute(sticky, "unix:mode", 01777);
        assertThatThrownBy(() -> PrivateFiles.directory(sticky))
                .hasMessageContaining("shared by all users");
        Capability.need("another owner", Capability.SETUID);
        Path shared = wide(Files.createDirectory(scratch.resolve("shared")), "rwxr-xr-x");
        Files.setAttribute(Files.createDirectory(shared.resolve("database")), "unix:uid", 65_534);
        assertThatThrownBy(() -> PrivateFiles.directory(shared))
                .hasMessageContaining("used by other users");
        assertThat(mode(shared)).isEqualTo("rwxr-xr-x");
    }

    @Test
    void localUser_readsFile_isKeptOutOfNewAndExistingOnes() throws IOException {
        Path fresh = scratch.resolve("fresh");
        PrivateFiles.open(fresh, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)
                .close();
        assertThat(mode(fresh)).isEqualTo("rw-------");
        Path old = wide(Files.createFile(scratch.resolve("old")), "rw-r--r--");
        PrivateFiles.open(old, StandardOpenOption.WRITE).close();
        assertThat(mode(old)).isEqualTo("rw-------");
    }

    @Test
    void localUser_plantsLinkForTheReplacement_itsTargetStays() throws IOException {
        Path target = Files.writeString(scratch.resolve("target"), "theirs");
        Files.createSymbolicLink(scratch.resolve("key.new"), target);
        Path key = wide(Files.writeString(scratch.resolve("key"), "old"), "rw-r--r--");
        PrivateFiles.replace(key, new byte[] {'n', 'e', 'w'});
        assertThat(target).hasContent("theirs");
        assertThat(key).hasContent("new");
        assertThat(mode(key)).isEqualTo("rw-------");
        assertThat(scratch.resolve("key.new")).doesNotExist();
    }
}
