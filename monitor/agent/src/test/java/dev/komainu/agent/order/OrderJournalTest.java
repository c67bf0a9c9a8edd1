package dev.komainu.agent.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.record.OrderOutcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An order is known as long as it might be valid, whatever the clock did; then the oldest are
 * forgotten.
 */
class OrderJournalTest {

    private static final int MOST = 500;

    @TempDir
    private Path directory;

    private OrderJournal journal;

    @BeforeEach
    void open() throws IOException {
        journal = new OrderJournal(directory);
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
                null,
                null,
                null,
                false,
                1,
                2));
    }

    /** So many outcomes, written when the clock said this. */
    private void kept(Duration fromNow) throws IOException {
        for (int i = 0; i < MOST; i++) {
            Path file = Files.createFile(directory.resolve(id(i) + ".outcome"));
            Files.setLastModifiedTime(file, FileTime.from(Instant.now().plus(fromNow)));
        }
    }

    @Test
    void end_clockSetBackSinceTheOthers_theNewOneIsNotForgotten() throws IOException {
        kept(Duration.ofDays(400));
        end(MOST);
        assertThat(journal.knows(id(MOST))).isTrue();
        assertThat(journal.knows(id(0))).as("valid again when that time comes").isTrue();
    }

    @Test
    void end_manyOrdersWithinTheirLives_noneIsForgotten() throws IOException {
        kept(Duration.ofMinutes(-30));
        end(MOST);
        assertThat(journal.knows(id(0))).isTrue();
        assertThat(journal.knows(id(MOST))).isTrue();
    }

    @Test
    void end_manyOldOrders_theOldestIsForgotten() throws IOException {
        kept(Duration.ofDays(-2));
        end(MOST);
        try (var left = Files.list(directory)) {
            assertThat(left).hasSize(MOST);
        }
        assertThat(journal.knows(id(MOST))).isTrue();
    }
}
