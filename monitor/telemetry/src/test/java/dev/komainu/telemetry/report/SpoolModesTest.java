package dev.komainu.telemetry.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.record.BatchId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Attacks of a local user on the records that wait on disk (review, finding 9). */
class SpoolModesTest {

    @TempDir
    Path data;

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    private static OutgoingBatch batch(long sequence) {
        return new OutgoingBatch(new BatchId("test", 7, sequence), 3, new byte[] {1, 2, 3});
    }

    @Test
    void localUser_readsSpoolAndQuarantine_isKeptOut() throws IOException {
        Path spoolDirectory = data.resolve("spool");
        Path segment = spoolDirectory.resolve("0000000000000001.seg");
        try (Spool spool = new Spool(spoolDirectory, 1 << 20, new DropCounts(), Spool::create)) {
            spool.append(batch(1));
        }
        new Quarantine(data.resolve("quarantine"), 1 << 20).store(batch(2), "400");
        assertThat(mode(spoolDirectory)).isEqualTo("rwx------");
        assertThat(mode(segment)).isEqualTo("rw-------");
        assertThat(mode(data.resolve("quarantine"))).isEqualTo("rwx------");
        assertThat(mode(data.resolve("quarantine/7-2.batch"))).isEqualTo("rw-------");
        assertThat(mode(data.resolve("quarantine/7-2.txt"))).isEqualTo("rw-------");

        // As an earlier version left it.
        Files.setPosixFilePermissions(spoolDirectory, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setPosixFilePermissions(segment, PosixFilePermissions.fromString("rw-r--r--"));
        try (Spool spool = new Spool(spoolDirectory, 1 << 20, new DropCounts(), Spool::create)) {
            assertThat(spool.records()).isEqualTo(3);
        }
        assertThat(mode(spoolDirectory)).isEqualTo("rwx------");
        assertThat(mode(segment)).isEqualTo("rw-------");
    }
}
