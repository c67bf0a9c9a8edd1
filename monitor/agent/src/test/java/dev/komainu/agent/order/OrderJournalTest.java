package dev.komainu.agent.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.record.OrderOutcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An order stays in the journal as long as it might be valid, for any change of the clock; then the
 * oldest are removed.
 */
class OrderJournalTest {

    private static final int MOST = 500;

    @TempDir
    private Path directory;

    private OrderJournal journal;

    @BeforeEach
    void setUp() throws IOException {
        journal = new OrderJournal(directory);
    }

    /** Review, finding 9: outcomes and backups may contain secrets of configurations. */
    @Test
    void localUser_readsJournalOfAnOlderVersion_isKeptOut() throws IOException {
        end(1);
        Path outcome = directory.resolve(id(1) + ".outcome");
        assertThat(mode(outcome)).isEqualTo("rw-------");
        Files.setPosixFilePermissions(outcome, PosixFilePermissions.fromString("rw-r--r--"));
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));

        assertThat(new OrderJournal(directory).contains(id(1))).isTrue();

        assertThat(mode(directory)).isEqualTo("rwx------");
        assertThat(mode(outcome)).isEqualTo("rw-------");
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    private static String id(int number) {
        return String.format(java.util.Locale.ROOT, "%032x", number);
    }

    private void end(int number) throws IOException {
        journal.end(new OrderOutcome(
                id(number),
                "here",
                "web:80",
                OrderOutcome.State.DONE,
                "done",
                "",
                new OrderOutcome.Change(null, null, null, false),
                1,
                2));
    }

    /** Writes the full number of outcomes with this file time. */
    private void fillWithOutcomes(Duration fromNow) throws IOException {
        for (int i = 0; i < MOST; i++) {
            Path file = Files.createFile(directory.resolve(id(i) + ".outcome"));
            Files.setLastModifiedTime(file, FileTime.from(Instant.now().plus(fromNow)));
        }
    }

    @Test
    void end_clockSetBackSinceTheOthers_theNewOneIsKept() throws IOException {
        fillWithOutcomes(Duration.ofDays(400));
        end(MOST);
        assertThat(journal.contains(id(MOST))).isTrue();
        assertThat(journal.contains(id(0))).as("valid again at that time").isTrue();
    }

    @Test
    void end_manyValidOrders_allAreKept() throws IOException {
        fillWithOutcomes(Duration.ofMinutes(-30));
        end(MOST);
        assertThat(journal.contains(id(0))).isTrue();
        assertThat(journal.contains(id(MOST))).isTrue();
    }

    @Test
    void end_manyOldOrders_theOldestIsRemoved() throws IOException {
        fillWithOutcomes(Duration.ofDays(-2));
        end(MOST);
        try (var left = Files.list(directory)) {
            assertThat(left).hasSize(MOST);
        }
        assertThat(journal.contains(id(MOST))).isTrue();
    }
}
